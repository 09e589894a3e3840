package main

import (
	"strconv"

	"github.com/storefront-go/storefront/ent/limit"
)

type storeLimitCmd struct {
	target
	Settings []string `arg:"" optional:"" placeholder:"NAME=NUMBER" help:"Limits of this store; NAME= restores the limit of all stores."`
}

type bound struct {
	Name   limit.Name `json:"name"`
	Value  int64      `json:"value"`
	Own    bool       `json:"own"`
	Counts string     `json:"counts"`
}

func (c *storeLimitCmd) Run(s *session) error {
	return c.enter(s, func(w work) error {
		row := w.store
		if len(c.Settings) > 0 {
			p, err := w.Mutation().StoreSetLimits(w.ctx, row.Version, c.Settings)
			if err != nil {
				return err
			}
			row = p.Store.Store
		}
		own, err := row.Limits.Values()
		if err != nil {
			return err
		}
		all, err := w.LimitsOf(row)
		if err != nil {
			return err
		}
		bounds, rows := []bound{}, table{{"LIMIT", "VALUE", "OWN", "COUNTS"}}
		for _, r := range limit.Rows() {
			if r.Whole {
				continue
			}
			_, has := own[r.Name]
			bounds = append(bounds, bound{r.Name, all.Of(r.Name), has, r.Counts})
			rows = append(rows, []string{string(r.Name), strconv.FormatInt(all.Of(r.Name), 10), strconv.FormatBool(has),
				r.Counts})
		}
		return c.print(s, bounds, rows)
	})
}
