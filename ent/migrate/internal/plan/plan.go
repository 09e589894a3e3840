// Package plan writes migrations: it compares the schema with the result of the migration files and
// writes the difference. It is separate from the embedded files, so that it builds without any.
package plan

import (
	"context"
	"fmt"

	"ariga.io/atlas/sql/migrate"
	entdialect "entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql/schema"

	dbmigrate "github.com/storefront-go/storefront/ent/db/migrate"
)

// ErrNoPlan says that the files already result in the schema.
var ErrNoPlan = migrate.ErrNoPlan

// Diff writes the next migration into dir. drv is a driver of an empty database with the production
// collation, in which the files are replayed and which is empty again afterwards. If there is
// nothing to do, the error is [ErrNoPlan].
//
// Versions are seconds: at most one Diff per second and folder.
func Diff(ctx context.Context, drv entdialect.Driver, dir migrate.Dir, name string) error {
	m, err := schema.NewMigrate(drv,
		schema.WithDir(dir),
		schema.WithMigrationMode(schema.ModeReplay),
		schema.WithFormatter(migrate.DefaultFormatter), // ent's formatter writes a down migration too
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
