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

func (c *reportsRebuildCmd) Run(s *session) error {
	return withCurrent(s, c.Storage, func(store *ent.Store) error {
		n, err := rollup.NewKeeper(store).Rebuild(s.ctx)
		if err != nil {
			return err
		}
		return c.print(s, map[string]int{"intervals": n}, table{{"Quarters of an hour with orders:", strconv.Itoa(n)}})
	})
}
