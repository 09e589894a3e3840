package main

import (
	"strconv"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/model"
)

type storeCmd struct {
	Create storeCreateCmd `cmd:"" help:"Create a store and invite its owner."`
	List   storeListCmd   `cmd:"" help:"List the stores, oldest first."`
	Legacy storeLegacyCmd `cmd:"" help:"Set whether a store may still use the retired v0 of the API."`
	Limit  storeLimitCmd  `cmd:"" help:"Show or change the limits of a store."`
}

type shop struct {
	ID         string   `json:"id"`
	Handle     string   `json:"handle"`
	Name       string   `json:"name"`
	StoreHost  string   `json:"store_host"`
	Currency   string   `json:"currency"`
	Timezone   string   `json:"timezone"`
	Status     string   `json:"status"`
	Legacy     bool     `json:"legacy"`
	Demo       bool     `json:"demo"`
	CreatedAt  string   `json:"created_at"`
	Invitation *invited `json:"invitation,omitempty"`
}

func shopOf(s *db.Store, host string) shop {
	return shop{ID: xid.Store.Format(s.ID), Handle: s.Handle, Name: s.Name, StoreHost: host, Currency: s.Currency,
		Timezone: s.Timezone, Status: string(s.Status), Legacy: s.Legacy, Demo: s.Demo, CreatedAt: s.ID.Time().String()}
}

type storeCreateCmd struct {
	place
	Name       string `arg:"" help:"The store's name."`
	Currency   string `required:"" placeholder:"CODE" help:"ISO 4217 code; cannot change after the first order."`
	OwnerEmail string `required:"" placeholder:"ADDRESS" help:"The owner, invited with a link that is shown once."`
	Handle     string `placeholder:"HANDLE" help:"1 to 63 characters of a-z, 0-9 and - (default: derived from the name)."`
	Timezone   string `default:"UTC" placeholder:"ZONE" help:"IANA time zone of reports (default ${default})."`
}

func (c *storeCreateCmd) Run(s *session) error {
	in := model.StoreCreateInput{Name: c.Name, Currency: c.Currency, Timezone: c.Timezone}
	if c.Handle != "" {
		in.Handle = &c.Handle
	}
	return c.open(s, func(_ *app.Base, core *graph.Resolver) error {
		made, link, err := core.NewStoreFor(s.ctx, in, c.OwnerEmail)
		if err != nil {
			return err
		}
		out := shopOf(made.Store, made.StoreHost)
		out.Invitation = &invited{Email: c.OwnerEmail, Role: viewer.Owner, Link: &link}
		return c.print(s, out, table{{"id", out.ID}, {"handle", out.Handle}, {"store host", out.StoreHost},
			{"owner", c.OwnerEmail}, {"invitation", link + "  (shown once, for seven days)"}})
	})
}

type storeListCmd struct{ place }

func (c *storeListCmd) Run(s *session) error {
	return c.open(s, func(base *app.Base, core *graph.Resolver) error {
		all, err := base.Stores(s.ctx)
		if err != nil {
			return err
		}
		shops, rows := []shop{}, table{{"ID", "HANDLE", "NAME", "CURRENCY", "STATUS", "V0"}}
		for _, row := range all {
			v := shopOf(row, core.HostOf(row.Handle))
			shops = append(shops, v)
			rows = append(rows, []string{v.ID, v.Handle, v.Name, v.Currency, v.Status, strconv.FormatBool(v.Legacy)})
		}
		return c.print(s, shops, rows)
	})
}

type storeLegacyCmd struct {
	target
	State string `arg:"" enum:"on,off" help:"on or off."`
}

func (c *storeLegacyCmd) Run(s *session) error {
	return c.enter(s, func(w work) error {
		p, err := w.Mutation().StoreSetLegacy(w.ctx, w.store.Version, c.State == "on")
		if err != nil {
			return err
		}
		out := shopOf(p.Store.Store, p.Store.StoreHost)
		return c.print(s, out, table{{"handle", out.Handle}, {"v0", c.State}})
	})
}
