package main

import (
	"errors"
	"fmt"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

type doctorDeliveriesCmd struct {
	app.Storage
	output
}

type overdue struct {
	Healthy bool   `json:"healthy"`
	Rows    []late `json:"rows"`
}

type late struct {
	Rule  webhook.Rule `json:"rule"`
	Store string       `json:"store_id"`
	Row   string       `json:"id"`
	Since *string      `json:"since"`
	Found string       `json:"found"`
}

func (c *doctorDeliveriesCmd) Run(s *session) error {
	return withWebhooks(s, c.Storage, func(e *webhook.Engine) error {
		list, err := e.Inspect(s.ctx)
		if err != nil {
			return err
		}
		if err := c.show(s, list); err != nil {
			return err
		}
		if len(list) > 0 {
			return errSilent
		}
		return nil
	})
}

func (c *doctorDeliveriesCmd) show(s *session, list []webhook.Violation) error {
	o, rows := overdue{Healthy: len(list) == 0, Rows: []late{}}, table{{"RULE", "STORE", "ROW", "SINCE", "FOUND"}}
	for _, b := range list {
		var since *micros.Time
		if b.Since > 0 {
			since = &b.Since
		}
		l := late{Rule: b.Rule, Store: xid.Store.Format(b.Store), Row: b.Row, Since: written(since), Found: b.Found}
		o.Rows = append(o.Rows, l)
		rows = append(rows, []string{string(l.Rule), l.Store, l.Row, shown(l.Since), l.Found})
	}
	if o.Healthy {
		rows = table{{fmt.Sprintf("No row waits longer than %s.", webhook.Overdue)}}
	}
	return c.print(s, o, rows)
}

// withCurrent runs f with a database whose schema is the program's.
func withCurrent(s *session, st app.Storage, f func(*ent.Store) error) error {
	if err := s.storage(&st); err != nil {
		return err
	}
	return withStore(s, st, func(store *ent.Store) error {
		switch schema, err := migrate.Check(s.ctx, store); {
		case err != nil:
			return err
		case len(schema.Pending) > 0:
			return errors.New("migrations are pending: run `storefront migrate apply` first")
		}
		return f(store)
	})
}

// withWebhooks runs f with a webhook engine that is not started.
func withWebhooks(s *session, st app.Storage, f func(*webhook.Engine) error) error {
	return withCurrent(s, st, func(store *ent.Store) error {
		e, err := webhook.New(webhook.Config{Store: store})
		if err != nil {
			return err
		}
		return f(e)
	})
}
