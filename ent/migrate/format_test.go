package migrate_test

import (
	"context"
	"database/sql"
	"slices"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
)

// TestFormats: a new database is written in every format, one that an older program
// made is not until somebody says so, and both are the same in the end.
func TestFormats(t *testing.T) {
	eachEmpty(t, func(t *testing.T, address string) {
		s := open(t, address)
		unwritten := func(want ...ent.Format) {
			t.Helper()
			if got, err := migrate.Unwritten(t.Context(), s); err != nil || !slices.Equal(got, want) {
				t.Errorf("got %v, %v unwritten, want %v", got, err, want)
			}
		}
		unwritten(ent.Formats()...)
		if _, err := migrate.Apply(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		unwritten()
		if !writes(t, open(t, address)) {
			t.Error("a new database is written as older programs need it")
		}
		// A database of before has no such table.
		err := s.Admin(t.Context(), func(conn *sql.Conn) error {
			_, err := conn.ExecContext(t.Context(), "DROP TABLE "+ent.FormatTable)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := migrate.Apply(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		unwritten(ent.Formats()...)
		if writes(t, open(t, address)) {
			t.Error("a database of before is written as older programs cannot read it")
		}
		for range 2 {
			if err := migrate.Finalize(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			unwritten()
		}
		if !writes(t, open(t, address)) {
			t.Error("a finalized database is written as older programs need it")
		}
	})
}

// writes reports whether a transaction writes packed events.
func writes(t *testing.T, s *ent.Store) (packed bool) {
	t.Helper()
	err := s.InTx(t.Context(), func(ctx context.Context) error {
		packed = ent.Writes(ctx, ent.PackedEvents)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packed
}
