package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/cmd/internal/demo"
)

type serveCmd struct {
	app.Config
	JSON bool `name:"json" help:"Print the addresses as one line of JSON when it is ready."`
}

// started is the output of --json.
type started struct {
	APIHost     string `json:"api_host"`
	AdminURL    string `json:"admin_url"`
	StoreDomain string `json:"store_domain"`
	// DemoFile has the demo's credentials; null without a demo, or if the file is another server's.
	DemoFile *string `json:"demo_file"`
}

// usualSettings returns the settings without flags and variables.
func usualSettings() (*app.Config, error) {
	var c app.Config
	parser, err := kong.New(&c, kong.PostBuild(newFlags(nil).adopt))
	if err != nil {
		return nil, err
	}
	_, err = parser.Parse(nil)
	return &c, err
}

func (c *serveCmd) Run(s *session) error {
	if err := s.secretKey(&c.Storage); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return &usageError{err}
	}
	logger, flush := c.Log.Logger(s.err)
	defer flush()
	r := app.Runtime{Logger: logger, Getenv: s.getenv, Build: s.build}
	if err := r.Check(); err != nil {
		return &usageError{err}
	}
	if c.Log.Read(s.err) {
		usual, err := usualSettings()
		if err != nil {
			return err
		}
		r.Defaults = usual
	}
	err := app.Run(s.ctx, c.Config, r, func(server *app.Server) error { return c.announce(s, server) })
	if err != nil && s.ctx.Err() != nil && !errors.Is(err, s.ctx.Err()) {
		return fmt.Errorf("drain: %w", err)
	}
	return err
}

func (c *serveCmd) announce(s *session, server *app.Server) error {
	path := filepath.Join(c.Data, demo.FileName)
	if c.JSON {
		out := started{APIHost: server.API, AdminURL: server.Admin, StoreDomain: server.StoreDomain}
		if server.Demo != nil && server.Demo.Runs == "" {
			out.DemoFile = &path
		}
		return json.NewEncoder(s.out).Encode(out)
	}
	if server.Demo != nil {
		return server.Demo.Announce(s.out, path)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n  Dashboard  %s/dashboard\n  API        %[1]s/api/public/v1\n  Docs       %[1]s/docs\n  Admin      %s\n\n",
		server.API, server.Admin)
	if server.Empty {
		fmt.Fprintf(&b, "  There is no store yet. Create the first one, and open the printed link:\n\n    %s\n\n",
			c.firstStore(server))
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}

// firstStore returns the command that creates a store in this server's data.
func (c *serveCmd) firstStore(server *app.Server) string {
	var command strings.Builder
	command.WriteString(`storefront store create "My shop" --currency EUR --owner-email you@shop.example`)
	for _, f := range []struct{ name, value, usual string }{
		{"--data", c.Data, "./storefront-data"}, {"--public-url", server.API, "http://127.0.0.1:8080"},
		{"--store-domain", c.StoreDomain, ""},
	} {
		if f.value != f.usual {
			command.WriteString(" " + f.name + " " + quoted(f.value))
		}
	}
	if c.Database != "" || c.DatabaseFile != nil {
		command.WriteString(" --database-file FILE")
	}
	return command.String()
}

func quoted(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
