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
