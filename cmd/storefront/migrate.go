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
	Apply  migrateApplyCmd  `cmd:"" help:"Bring the database to the newest schema."`
	Status migrateStatusCmd `cmd:"" help:"Show where the database stands, and apply nothing."`

	Finalize migrateFinalizeCmd `cmd:"" help:"After an upgrade: write what older programs cannot read."`
	Lookups  migrateLookupsCmd  `cmd:"" help:"On the way to Vitess: fill the tables by which it finds shards."`
}

type migrateApplyCmd struct {
	app.Storage
	output
}

// Help implements kong.HelpProvider.
func (migrateApplyCmd) Help() string {
	return `Any number of processes may call it at once: one applies, the others wait. Files that differ from their ` +
		`sums are refused.

Examples:

    storefront migrate apply --database-file /run/secrets/database
    STOREFRONT_DATABASE=mysql://... storefront migrate apply --json
`
}

// Run applies.
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

// Help implements kong.HelpProvider.
func (migrateFinalizeCmd) Help() string {
	return `While programs of two versions run side by side, the newer one writes nothing that the older one cannot read. ` +
		`This ends it, once the older one is not needed any more: there is no way back to it. Running programs follow ` +
		`within seconds. A new database needs it not.

Examples:

    storefront migrate finalize --database-file /run/secrets/database
    storefront migrate finalize --data ./storefront-data --json
`
}

// Run finalizes.
func (c *migrateFinalizeCmd) Run(s *session) error {
	return withStore(s, c.Storage, func(store *ent.Store) error {
		st, err := migrate.Check(s.ctx, store)
		if err != nil {
			return err
		}
		if len(st.Pending) > 0 {
			return errors.New("migrations are pending: run storefront migrate apply first")
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

// Help implements kong.HelpProvider.
func (migrateStatusCmd) Help() string {
	return `Examples:

    storefront migrate status --database-file /run/secrets/database
    storefront migrate status --data ./storefront-data --json
`
}

// Run shows the status.
func (c *migrateStatusCmd) Run(s *session) error {
	return withStore(s, c.Storage, func(store *ent.Store) error { return printStatus(s, c.output, store) })
}

type migrateLookupsCmd struct {
	app.Storage
	output
}

// Help implements kong.HelpProvider.
func (migrateLookupsCmd) Help() string {
	return `It makes the tables where they are missing, on the MySQL below Vitess, and fills them from the rows that are ` +
		`there. Writers may go on through a vtgate whose vschema has these tables as write_only already. Run again it ` +
		`changes nothing.

Examples:

    storefront migrate lookups --database-file /run/secrets/mysql
`
}

// filled is the command's output.
type filled struct {
	// Changed is the number of rows that MySQL reports as changed.
	Changed int64 `json:"changed"`
}

// Run fills the tables.
func (c *migrateLookupsCmd) Run(s *session) error {
	return withStore(s, c.Storage, func(store *ent.Store) error {
		n, err := migrate.FillLookups(s.ctx, store)
		if err != nil {
			return err
		}
		return c.print(s, filled{n}, table{{"Changed:", strconv.FormatInt(n, 10)}})
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
