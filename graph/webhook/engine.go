// Package webhook takes events to the endpoints that subscribed to them
// (contract, section 8): at least once, and in order for each resource.
//
// A relay moves events from the outbox into one queue for each endpoint. A
// dispatcher leases queues, keeps a lane for each resource in memory, sends the
// heads of the lanes and settles what came of it. Any number of processes may do
// so at once.
package webhook

import (
	"errors"
	"log/slog"

	"github.com/storefront-go/storefront/ent"
)

// Config is what the engine needs.
type Config struct {
	Store *ent.Store
	// Vault opens the endpoints' secrets.
	Vault  Vault
	Logger *slog.Logger
}

// Engine is the webhooks of one process.
type Engine struct {
	Config
}

// New makes an engine that stands still.
func New(c Config) (*Engine, error) {
	if c.Store == nil {
		return nil, errors.New("webhook: a store is needed")
	}
	return &Engine{Config: c}, nil
}
