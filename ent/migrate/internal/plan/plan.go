// Package plan writes migrations: it compares the schema with what the
// migration files make, and writes the difference. It stands apart from the
// embedded files, so that it builds when there are none yet.
package plan

import (
	"context"
	"fmt"

	"ariga.io/atlas/sql/migrate"
	entdialect "entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql/schema"

	dbmigrate "github.com/storefront-go/storefront/ent/db/migrate"
)

// ErrNoPlan says that the files make the schema already.
var ErrNoPlan = migrate.ErrNoPlan

// Diff writes the next migration into dir. The driver is of an empty database
// of the production's collation, in which the files are replayed and which is
// empty again afterwards. The error is [ErrNoPlan] when nothing is to be done.
//
// Versions are seconds: one Diff per second and folder.
func Diff(ctx context.Context, drv entdialect.Driver, dir migrate.Dir, name string) error {
	m, err := schema.NewMigrate(drv,
		schema.WithDir(dir),
		schema.WithMigrationMode(schema.ModeReplay),
		schema.WithFormatter(migrate.DefaultFormatter), // ent's own writes a file for the way back too
		schema.WithDropColumn(true),
		schema.WithDropIndex(true),
		schema.WithForeignKeys(false),
		schema.WithErrNoPlan(true),
		Hook(),
	)
	if err != nil {
		return fmt.Errorf("plan migration: %w", err)
	}
	return m.NamedDiff(ctx, name, dbmigrate.Tables...)
}
