package main

import (
	"strconv"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/engine/rollup"
)

type reportsCmd struct {
	Rebuild reportsRebuildCmd `cmd:"" help:"Make the sums behind the sales reports again."`
}

type reportsRebuildCmd struct {
	app.Storage
	output
}

// Help implements kong.HelpProvider.
func (reportsRebuildCmd) Help() string {
	return `Sales reports read sums over quarters of an hour, which servers keep by the events of orders. They are made by ` +
		`themselves; this makes all of them again, such as after orders were changed in the database by hand. Servers may ` +
		`run meanwhile: the reports of a store read its orders until its sums are made. It may be stopped, and servers go ` +
		`on with it.

Examples:

    storefront reports rebuild
    storefront reports rebuild --database-file /run/secrets/database --json
`
}

// rebuilt is the command's output.
type rebuilt struct {
	Intervals int `json:"intervals"`
}

// Run rebuilds the totals.
func (c *reportsRebuildCmd) Run(s *session) error {
	if err := s.storage(&c.Storage); err != nil {
		return err
	}
	return withCurrent(s, c.Storage, func(store *ent.Store) error {
		n, err := rollup.NewKeeper(store).Rebuild(s.ctx)
		if err != nil {
			return err
		}
		return c.print(s, rebuilt{n}, table{{"Quarters of an hour with orders:", strconv.Itoa(n)}})
	})
}
