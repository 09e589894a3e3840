package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/storefront-go/storefront/cmd/internal/app"
)

type dispatchCmd struct {
	app.DispatchConfig
	JSON bool `name:"json" help:"Print the address as one line of JSON when it is ready."`
}

// Help implements kong.HelpProvider.
func (dispatchCmd) Help() string {
	return `Delivers the webhooks of every store of the database, beside servers that run with --no-dispatch or beside ` +
		`other dispatchers; any number may run. SIGTERM or SIGINT drains: attempts in flight finish and are ` +
		`recorded. A second signal exits at once, which is safe too.

It needs the root secret of the servers: the same --data, or STOREFRONT_SECRET_KEY.

Examples:

    storefront serve --no-dispatch --database-file /run/secrets/database
    storefront dispatch --database-file /run/secrets/database
`
}

// Run delivers webhooks.
func (c *dispatchCmd) Run(s *session) error {
	if err := s.secretKey(&c.Storage); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return &usageError{err}
	}
	logger, flush := c.Log.Logger(s.err)
	defer flush()
	r := app.Runtime{Logger: logger, Getenv: s.getenv, Build: s.build}
	err := app.RunDispatch(s.ctx, c.DispatchConfig, r, func(server *app.Server) error {
		if c.JSON {
			return json.NewEncoder(s.out).Encode(map[string]string{"admin_url": server.Admin})
		}
		_, err := fmt.Fprintf(s.out, "Dispatching webhooks\nAdmin %s\n", server.Admin)
		return err
	})
	if err != nil && s.ctx.Err() != nil && !errors.Is(err, s.ctx.Err()) {
		return fmt.Errorf("drain: %w", err)
	}
	return err
}
