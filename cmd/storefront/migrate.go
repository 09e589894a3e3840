package main

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
)

type migrateCmd struct {
	Apply  migrateApplyCmd  `cmd:"" help:"Apply pending migrations."`
	Status migrateStatusCmd `cmd:"" help:"Show the schema version without applying anything."`

	Finalize migrateFinalizeCmd `cmd:"" help:"After an upgrade: allow formats that the previous release cannot read."`
	Lookups  migrateLookupsCmd  `cmd:"" help:"Before moving to Vitess: fill the lookup tables."`
}

type migrateApplyCmd struct {
	app.Storage
	output
}

func (c *migrateApplyCmd) Run(s *session) error {
	return withStore(s, c.Storage, func(store *ent.Store) error {
		if _, err := migrate.Apply(s.ctx, store); err != nil {
			return err
		}
		return printStatus(s, c.output, store)
	})
}

type migrateFinalizeCmd struct {
	app.Storage
	output
}

func (c *migrateFinalizeCmd) Run(s *session) error {
	return withStore(s, c.Storage, func(store *ent.Store) error {
		st, err := migrate.Check(s.ctx, store)
		if err != nil {
			return err
		}
		if len(st.Pending) > 0 {
			return errors.New("migrations are pending: run `storefront migrate apply` first")
		}
		if err := migrate.Finalize(s.ctx, store); err != nil {
			return err
		}
		return printStatus(s, c.output, store)
	})
}

type migrateStatusCmd struct {
	app.Storage
	output
}

func (c *migrateStatusCmd) Run(s *session) error {
	return withStore(s, c.Storage, func(store *ent.Store) error { return printStatus(s, c.output, store) })
}

type migrateLookupsCmd struct {
	app.Storage
	output
}

func (c *migrateLookupsCmd) Run(s *session) error {
	return withStore(s, c.Storage, func(store *ent.Store) error {
		n, err := migrate.FillLookups(s.ctx, store) // the rows that MySQL reports as changed
		if err != nil {
			return err
		}
		return c.print(s, map[string]int64{"changed": n}, table{{"Changed:", strconv.FormatInt(n, 10)}})
	})
}

// withStore opens the database as it is.
func withStore(s *session, st app.Storage, f func(*ent.Store) error) error {
	if err := st.Check(); err != nil {
		return &usageError{err}
	}
	store, err := app.OpenStore(s.ctx, app.Opening{Storage: st})
	if err != nil {
		return err
	}
	return errors.Join(f(store), store.Close())
}

// status is the output of both commands.
type status struct {
	Database string   `json:"database"`
	Current  string   `json:"current"`
	Pending  []string `json:"pending"`
	// Newer are versions of a newer program that this one supports, Unknown the others.
	Newer   []string `json:"newer"`
	Unknown []string `json:"unknown"`
	Failed  string   `json:"failed"`
	// Unfinalized are the formats that await migrate finalize.
	Unfinalized []string `json:"unfinalized"`
}

func printStatus(s *session, o output, store *ent.Store) error {
	st, err := migrate.Check(s.ctx, store)
	if err != nil {
		return err
	}
	unwritten, err := migrate.Unwritten(s.ctx, store)
	if err != nil {
		return err
	}
	formats := []string{}
	for _, f := range unwritten {
		formats = append(formats, string(f))
	}
	return o.print(s,
		status{store.Redacted(), st.Current, append([]string{}, st.Pending...),
			append([]string{}, st.Newer...), append([]string{}, st.Unknown...), st.Failed, formats},
		table{{"Database:", store.Redacted()}, {"Current:", cmp.Or(st.Current, "none")},
			{"Pending:", listed(st.Pending)}, {"Newer:", listed(st.Newer)}, {"Unknown:", listed(st.Unknown)},
			{"Failed:", cmp.Or(st.Failed, "none")},
			{"Not finalized:", listed(formats)}})
}

func listed(versions []string) string { return cmp.Or(strings.Join(versions, ", "), "none") }
