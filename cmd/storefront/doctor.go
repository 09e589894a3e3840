package main

import "github.com/storefront-go/storefront/cmd/internal/app"

type doctorCmd struct {
	Installation doctorInstallationCmd `cmd:"" default:"withargs" help:"Check the installation (the default)."`
	Deliveries   doctorDeliveriesCmd   `cmd:"" help:"List webhook rows that wait longer than they should."`
}

type doctorInstallationCmd struct {
	app.Storage
	app.Listen
	app.Naming
	output
}

func (c *doctorInstallationCmd) Run(s *session) error {
	if err := s.secretKey(&c.Storage); err != nil {
		return err
	}
	r := app.Diagnose(s.ctx, app.Config{Storage: c.Storage, Listen: c.Listen, Naming: c.Naming})
	var err error
	if c.JSON {
		err = c.print(s, r, nil)
	} else {
		err = r.Print(s.out)
	}
	if err == nil && !r.Healthy {
		return errSilent
	}
	return err
}
