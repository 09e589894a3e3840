package main

import (
	"strconv"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/engine/rollup"
)

type reportsCmd struct {
	Rebuild reportsRebuildCmd `cmd:"" help:"Rebuild the totals behind the sales reports."`
}

type reportsRebuildCmd struct {
	app.Storage
	output
}

// Help implements kong.HelpProvider.
func (reportsRebuildCmd) Help() string {
	return `Sales reports read totals per quarter of an hour, which servers maintain from order events. This command ` +
		`rebuilds all of them, for example after orders were changed in the database by hand. Servers may keep ` +
		`running: reports of a store read its orders until its totals are rebuilt. If the command is stopped, ` +
		`servers finish the work.

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
