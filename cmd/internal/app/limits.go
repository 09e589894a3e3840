package app

import (
	"fmt"

	"github.com/storefront-go/storefront/ent/limit"
)

// Limits overrides limits of stores and people. Every command that creates something has it.
type Limits struct {
	Limit []string `env:"STOREFRONT_LIMIT" placeholder:"NAME=NUMBER" help:"Limit for all stores without one of their own, such as people=1000; may be repeated (default: as /docs/limits lists)."`
}

// Check returns every error of the given limits.
func (l Limits) Check() error {
	_, err := l.values()
	return err
}

func (l Limits) values() (limit.Values, error) {
	v := limit.Values{}
	for _, text := range l.Limit {
		if err := v.Set(text); err != nil {
			return nil, fmt.Errorf("--limit: %w", err)
		}
	}
	return v, nil
}
