package migrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"
)

// driver is what atlas's executor uses of a driver: it runs statements, and tells whether a
// database is empty. Atlas's own drivers inspect and plan as well, for which they bring HCL: 5 MB
// of the program that only diff.go has a use for.
type driver struct {
	migrate.Driver // none: inspecting, planning and locking are not asked of it

	conn  *sql.Conn
	table string // the query for a table that is not the history's
}

// aTable finds a table that is not the one of revisions.
var aTable = map[string]string{
	dialect.SQLite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'" +
		" AND name <> ? LIMIT 1",
	dialect.MySQL: "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = DATABASE()" +
		" AND TABLE_NAME <> ? LIMIT 1",
}

// ExecContext implements schema.ExecQuerier.
func (d driver) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return d.conn.ExecContext(ctx, query, args...)
}

// CheckClean implements migrate.CleanChecker.
func (d driver) CheckClean(ctx context.Context, history *migrate.TableIdent) error {
	var name string
	switch err := d.conn.QueryRowContext(ctx, d.table, history.Name).Scan(&name); {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("look for tables: %w", err)
	}
	return &migrate.NotCleanError{Reason: fmt.Sprintf("found table %q", name)}
}
