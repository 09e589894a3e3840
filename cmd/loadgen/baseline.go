package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/cmd/internal/baseline"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// baselineCommand serves the baseline as a process of its own, so that its CPU
// time can be distinguished.
type baselineCommand struct {
	Database string `required:"" help:"Address of the database."`
	Addr     string `required:"" help:"Address to listen on."`

	StoreDomain string `help:"What follows the handle in the host of a store, for the addresses of assets."`
	Assets      string `type:"path" help:"Folder of the assets that are served."`
}

// Run serves until the context ends.
func (c *baselineCommand) Run(ctx context.Context) error {
	app.TuneCollector() // both sides alike
	// Commits are as durable as the service's are by default.
	s, err := ent.Open(ctx, ent.Config{Database: c.Database, FullSync: true})
	if err != nil {
		return err
	}
	defer s.Close()
	ring, err := keyring.Parse(os.Getenv("STOREFRONT_SECRET_KEY"))
	if err != nil {
		return err
	}
	config := baseline.Config{Store: s, Keys: apikey.NewKeeper(s), Pages: page.New(ring), Links: link.New(ring)}
	if c.StoreDomain != "" {
		config.OriginOf = func(handle string) string { return "http://" + handle + "." + c.StoreDomain }
	}
	if c.Assets != "" {
		if config.Assets, err = os.OpenRoot(c.Assets); err != nil {
			return err
		}
		defer config.Assets.Close()
	}
	h, err := baseline.New(config)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
