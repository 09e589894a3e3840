package migrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"
)

// driver implements the parts of a driver that atlas's executor needs: it runs statements, and
// reports whether a database is empty. Atlas's own drivers can also inspect and plan, which only
// diff.go uses, and for that they add HCL: 5 MB of the program.
type driver struct {
	migrate.Driver // nil: the executor does not inspect, plan or lock

	conn  *sql.Conn
	table string // a query for a table other than the history's
}

// anyTable finds any table except the table of revisions.
var anyTable = map[string]string{
	dialect.SQLite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'" +
		" AND name <> ? LIMIT 1",
	dialect.MySQL: "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = DATABASE()" +
		" AND TABLE_NAME <> ? LIMIT 1",
}

func (d driver) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return d.conn.ExecContext(ctx, query, args...)
}

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
