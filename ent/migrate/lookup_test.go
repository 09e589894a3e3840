package migrate_test

import (
	"context"
	"crypto/md5"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/ent/storetest"
)

// When a MySQL database is moved to Vitess, the lookup tables are filled from the existing rows. A
// wrong entry is corrected, and filling again changes nothing.
func TestFillLookups(t *testing.T) {
	if !storetest.HaveMySQL(t) {
		return
	}
	t.Run("mysql", func(t *testing.T) {
		s := open(t, storetest.EmptyMySQL(t))
		if _, err := migrate.Apply(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		fillAll(t, s, inspect(t, s), 1)
		if err := migrate.MakeLookups(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		const many = 1001 // more than one batch, of one person and of different ones
		admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
			_, err := conn.ExecContext(ctx, "INSERT INTO lookup_sessions SELECT hash, 'elsewhere' FROM sessions LIMIT 1")
			for i := range many {
				for _, user := range []string{"one", fmt.Sprint(i)} {
					_, more := conn.ExecContext(ctx, "INSERT INTO memberships (user_id, store_id) VALUES (?, ?)",
						fmt.Sprintf("%16s", user), fmt.Sprintf("%16d", i))
					err = errors.Join(err, more)
				}
			}
			return err
		})
		if n, err := migrate.FillLookups(t.Context(), s); err != nil || n < 2*many {
			t.Fatalf("%d rows changed: %v", n, err)
		}
		if n, err := migrate.FillLookups(t.Context(), s); err != nil || n != 0 {
			t.Errorf("again: %d rows changed: %v", n, err)
		}
		list, err := migrate.Lookups()
		if err != nil || len(list) == 0 {
			t.Fatalf("%d lookup tables: %v", len(list), err)
		}
		for _, l := range list {
			admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
				want, err := pairs(ctx, conn, fmt.Sprintf("SELECT %s, %s FROM %s", l.Find, l.By, l.Owner), md5.Sum)
				if err != nil || len(want) == 0 {
					t.Errorf("%d rows in %s: %v", len(want), l.Owner, err)
				}
				got, err := pairs(ctx, conn, fmt.Sprintf("SELECT %s, keyspace_id FROM %s", l.Find, l.Name),
					func(b []byte) [16]byte { return [16]byte(b) })
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", l.Name, d)
				}
				return err
			})
		}
	})
}

// pairs reads two columns as a set, applying of to the second one.
func pairs(ctx context.Context, conn *sql.Conn, query string, of func([]byte) [16]byte) (map[string]bool, error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	set := map[string]bool{}
	for rows.Next() {
		var a, b []byte
		if err := rows.Scan(&a, &b); err != nil {
			return nil, err
		}
		set[fmt.Sprintf("%x %x", a, of(b))] = true
	}
	return set, rows.Err()
}

// SQLite cannot be below Vitess.
func TestLookupsNeedMySQL(t *testing.T) {
	s := open(t, t.TempDir()+"/empty.db")
	if _, err := migrate.FillLookups(t.Context(), s); !errors.Is(err, migrate.ErrNotBelowVitess) {
		t.Error(err)
	}
}
