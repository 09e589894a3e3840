package app

import (
	"fmt"

	"github.com/storefront-go/storefront/ent/limit"
)

// Limits says what stores and people have, and cause, at most. Every command that
// makes something takes it.
type Limits struct {
	Limit []string `env:"STOREFRONT_LIMIT" placeholder:"NAME=NUMBER" help:"Limit for all stores without one of their own, such as people=1000; may be repeated (default: as /docs/limits lists)."`
}

// Check returns what is wrong with the limits that were set.
func (l Limits) Check() error {
	_, err := l.values()
	return err
}

// values returns the limits that were set.
func (l Limits) values() (limit.Values, error) {
	v := limit.Values{}
	for _, text := range l.Limit {
		if err := v.Set(text); err != nil {
			return nil, fmt.Errorf("--limit: %w", err)
		}
	}
	return v, nil
}
