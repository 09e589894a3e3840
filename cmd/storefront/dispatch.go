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
