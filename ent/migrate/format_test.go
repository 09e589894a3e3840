package migrate_test

import (
	"context"
	"database/sql"
	"slices"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
)

// TestFormats checks that a new database uses every format, that one of an older program does so
// only after Finalize, and that both end up equal.
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
			t.Error("a new database is written in the old formats")
		}
		// A database of an earlier release has no such table.
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
			t.Error("a database of an earlier release is written in the new formats")
		}
		for range 2 {
			if err := migrate.Finalize(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			unwritten()
		}
		if !writes(t, open(t, address)) {
			t.Error("a finalized database is written in the old formats")
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
