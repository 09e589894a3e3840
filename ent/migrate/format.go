package migrate

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
)

var createFormats = map[string]string{
	dialect.MySQL: `CREATE TABLE IF NOT EXISTS ` + ent.FormatTable + ` (
		name varbinary(64) NOT NULL PRIMARY KEY, since bigint NOT NULL
	) CHARSET utf8mb4 COLLATE utf8mb4_bin`,
	dialect.SQLite: `CREATE TABLE IF NOT EXISTS ` + ent.FormatTable + ` (
		name text NOT NULL PRIMARY KEY, since integer NOT NULL
	)`,
}

// Finalize allows programs to write every format that this one knows. Earlier releases cannot read
// such data, so none may be running, and returning to them is no longer possible. Repeating it
// changes nothing. Running programs follow within seconds.
func Finalize(ctx context.Context, s *ent.Store) error {
	return s.Admin(ctx, func(conn *sql.Conn) error { return finalize(ctx, s.Dialect(), conn) })
}

const insertFormat = "INSERT INTO " + ent.FormatTable + " (name, since) VALUES (?, ?)"

func finalize(ctx context.Context, engine string, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, createFormats[engine]); err != nil {
		return fmt.Errorf("create the table of formats: %w", err)
	}
	for _, f := range ent.Formats() {
		_, err := conn.ExecContext(ctx, insertFormat, string(f), int64(micros.Now()))
		if err != nil && !ent.IsDuplicate(err) {
			return fmt.Errorf("finalize %s: %w", f, err)
		}
	}
	return nil
}

// Unwritten returns the formats that this program knows but does not write yet, since older
// programs may read the database; see [Finalize].
func Unwritten(ctx context.Context, s *ent.Store) ([]ent.Format, error) {
	written, err := formats(ctx, s)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ent.Formats(), func(f ent.Format) bool { return written[f] }), nil
}

// formats returns the formats that programs may write.
func formats(ctx context.Context, s *ent.Store) (map[ent.Format]bool, error) {
	there, err := exists(ctx, s, ent.FormatTable)
	if err != nil || !there {
		return nil, err
	}
	written := map[ent.Format]bool{}
	err = ent.Read(ctx, s.DB(ctx), func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		written[ent.Format(name)] = true
		return err
	}, "SELECT name FROM "+ent.FormatTable)
	return written, err
}
