// Package export writes the orders, products and customers of stores to files
// (contract, section 9).
package export

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/blob"
	"github.com/storefront-go/storefront/graph/notify"
)

// Config is what the engine needs.
type Config struct {
	Store *ent.Store
	Blobs *blob.Store
	// Notifier tells people of exports that ended; a nil one tells the dashboard alone.
	Notifier *notify.Notifier
	// Workers is how many jobs run at once in this process; 4 by default.
	Workers int
	Logger  *slog.Logger
}

// Engine is the exports of one process. Its operations may be used while it
// stands still; it works between [Engine.Start] and [Engine.Stop].
type Engine struct{ Config }

// New makes an engine that stands still.
func New(c Config) (*Engine, error) {
	if c.Store == nil || c.Blobs == nil {
		return nil, errors.New("export: a store and a blob store are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return &Engine{c}, nil
}

// Start works on jobs until [Engine.Stop].
func (e *Engine) Start(ctx context.Context) {}

// Stop gives the jobs back.
func (e *Engine) Stop(ctx context.Context) {}

// File is the file of a completed export: its parts read as one.
type File struct {
	Name        string
	ContentType string
	Size        int64
	Sha256      string
}
