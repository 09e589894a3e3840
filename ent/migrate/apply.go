package migrate

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
)

// Apply migrates the database to the newest version and returns the number of applied migrations.
// Several processes may call it concurrently: one applies, the others wait and find nothing to do.
//
// It fails if files do not match their sums, if an applied file was edited later, and if the
// database has tables but no history.
func Apply(ctx context.Context, s *ent.Store) (n int, err error) {
	f, err := folder(s.Dialect())
	if err != nil {
		return 0, fmt.Errorf("read migrations: %w", err)
	}
	return apply(ctx, s, f)
}

func apply(ctx context.Context, s *ent.Store, f fs.FS) (n int, err error) {
	dir, err := load(f)
	if err != nil {
		return 0, err
	}
	err = s.Admin(ctx, func(conn *sql.Conn) error {
		locked := onMySQL
		if s.Dialect() == dialect.SQLite {
			locked = onSQLite
		}
		return locked(ctx, conn, func() (err error) {
			n, err = execute(ctx, s.Dialect(), conn, dir)
			return err
		})
	})
	return n, err
}

// execute runs the pending files. The caller holds the lock.
func execute(ctx context.Context, engine string, conn *sql.Conn, dir migrate.Dir) (int, error) {
	if _, err := conn.ExecContext(ctx, createRevisions[engine]); err != nil {
		return 0, fmt.Errorf("create the table of revisions: %w", err)
	}
	history := revisions{conn}
	before, err := history.ReadRevisions(ctx)
	if err != nil {
		return 0, fmt.Errorf("read revisions: %w", err)
	}
	st, err := compare(dir, before)
	if err != nil || len(st.Pending) == 0 {
		return 0, err
	}
	who, err := operatorOf(dir)
	if err != nil {
		return 0, fmt.Errorf("read migrations: %w", err)
	}
	drv := driver{conn: conn, table: anyTable[engine]}
	x, err := migrate.NewExecutor(drv, dir, history, migrate.WithOperatorVersion(who))
	if err != nil {
		return 0, fmt.Errorf("apply migrations: %w", err)
	}
	if err := x.ExecuteN(ctx, 0); err != nil && !errors.Is(err, migrate.ErrNoPendingFiles) {
		return 0, fmt.Errorf("apply migrations: %w", err)
	}
	if len(before) == 0 { // no older program has ever read this database
		if err := finalize(ctx, engine, conn); err != nil {
			return 0, err
		}
	}
	return len(st.Pending), nil
}

// onSQLite runs f in one transaction that holds the write lock from the start: either all files
// take effect, or none.
func onSQLite(ctx context.Context, conn *sql.Conn, f func() error) (err error) {
	// A new index of a large table is sorted in a file, unlike what a transaction of a request sorts.
	if _, err := conn.ExecContext(ctx, "PRAGMA temp_store = file"); err != nil {
		return fmt.Errorf("sort in a file: %w", err)
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA temp_store = memory") //nolint:errcheck // or slower
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("lock the database: %w", err)
	}
	defer func() {
		if err == nil {
			_, err = conn.ExecContext(context.WithoutCancel(ctx), "COMMIT")
		}
		if err != nil {
			conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") //nolint:errcheck // the first error is returned
		}
	}()
	return f()
}

// onMySQL runs f while the connection holds the server's lock for migrations of this database. Only
// here is GET_LOCK allowed: on Vitess and TiDB a single job runs migrations.
func onMySQL(ctx context.Context, conn *sql.Conn, f func() error) error {
	var name string
	if err := conn.QueryRowContext(ctx, "SELECT DATABASE()").Scan(&name); err != nil {
		return fmt.Errorf("lock the database: %w", err)
	}
	lock := fmt.Sprintf("storefront_migrate_%x", sha256.Sum256([]byte(name)))[:50]
	for got := int64(0); got != 1; {
		// With short waits, so that ctx is checked between them.
		var answer sql.NullInt64
		if err := conn.QueryRowContext(ctx, "SELECT GET_LOCK(?, 5)", lock).Scan(&answer); err != nil {
			return fmt.Errorf("lock the database: %w", err)
		}
		got = answer.Int64
	}
	//nolint:errcheck // the connection is closed next, which releases it too
	defer conn.ExecContext(context.WithoutCancel(ctx), "DO RELEASE_LOCK(?)", lock)
	return f()
}
