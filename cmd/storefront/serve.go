package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/cmd/internal/demo"
)

type serveCmd struct {
	app.Config
	JSON bool `name:"json" help:"Print the addresses as one line of JSON once requests are answered."`
}

// Help implements kong.HelpProvider.
func (serveCmd) Help() string {
	return `SIGTERM or SIGINT drains: no new requests, the running ones finish within 15 seconds. A second signal ` +
		`kills, which is safe too.

Examples:

    storefront serve --demo
    storefront serve --addr 0.0.0.0:8080 --public-url https://shop.example --trusted-proxies 10.0.0.0/8
    storefront serve --database-file /run/secrets/database --migrate
`
}

// started is what --json prints.
type started struct {
	APIHost     string `json:"api_host"`
	AdminURL    string `json:"admin_url"`
	StoreDomain string `json:"store_domain"`
	// DemoFile is the file of the demo's credentials, or null.
	DemoFile *string `json:"demo_file"`
}

// Run serves.
func (c *serveCmd) Run(s *session) error {
	if err := s.secretKey(&c.Storage); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return &usageError{err}
	}
	r := app.Runtime{Logger: c.Log.Logger(s.err), Getenv: s.getenv, Build: s.build}
	err := app.Run(s.ctx, c.Config, r, func(server *app.Server) error { return c.announce(s, server) })
	if err != nil && s.ctx.Err() != nil && !errors.Is(err, s.ctx.Err()) {
		return fmt.Errorf("drain: %w", err)
	}
	return err
}

// announce prints where the server is.
func (c *serveCmd) announce(s *session, server *app.Server) error {
	path := filepath.Join(c.Data, demo.FileName)
	if c.JSON {
		out := started{APIHost: server.API, AdminURL: server.Admin, StoreDomain: server.StoreDomain}
		if server.Demo != nil {
			out.DemoFile = &path
		}
		return json.NewEncoder(s.out).Encode(out)
	}
	if server.Demo != nil {
		return server.Demo.Announce(s.out, path)
	}
	_, err := fmt.Fprintf(s.out, "API   %s/api/public/v1\nAdmin %s\n", server.API, server.Admin)
	return err
}
