package graph_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
)

// TestNoChangeWithoutItsEvent calls every mutation that emits an event while inserts into the
// outbox, which is written last, fail: the call must leave nothing behind. Afterwards the same
// calls succeed and emit their events.
func TestNoChangeWithoutItsEvent(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w, log := newCaller(t, s), new(storetest.Log)
		var emitting []effect
		var args, tokens []string
		token := w.token
		for _, e := range effects {
			if e.events != "" {
				emitting = append(emitting, e)
				w.token = token
				args, tokens = append(args, e.args(w)), append(tokens, w.token)
			}
		}
		log.Mark(t, s)
		repair := breakOutbox(t, s)
		for i, e := range emitting {
			before := footprint(t, s)
			given := args[i]
			if given != "" {
				given = "(" + given + ")"
			}
			a := w.api.Query(tokens[i], "mutation { "+e.field+given+" { userErrors { code } } }", nil)
			if len(a.Errors) != 1 {
				t.Errorf("%s, %s: %s", e.field, e.name, a.Body)
			}
			if got := log.Since(t, s); got != "" {
				t.Errorf("%s, %s emitted %q and failed", e.field, e.name, got)
			}
			if after := footprint(t, s); after != before {
				t.Errorf("%s, %s left something behind: %v, then %v", e.field, e.name, before, after)
			}
		}
		repair()
		for i, e := range emitting {
			w.token = tokens[i]
			if code := w.call(e.field, args[i]); code != "" {
				t.Errorf("%s, %s: refused as %q", e.field, e.name, code)
			}
			if got := log.Since(t, s); got != e.events {
				t.Errorf("%s, %s emitted %q, want %q", e.field, e.name, got, e.events)
			}
		}
	})
}

// breakOutbox makes the database refuse rows of the outbox until repair is called.
func breakOutbox(t *testing.T, s *ent.Store) (repair func()) {
	t.Helper()
	refuse := "CREATE TRIGGER refuse BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'refused'); END"
	if s.Dialect() == dialect.MySQL {
		refuse = "CREATE TRIGGER refuse BEFORE INSERT ON outbox FOR EACH ROW SIGNAL SQLSTATE '45000' SET " +
			"MESSAGE_TEXT = 'refused'"
	}
	define(t, s, refuse)
	repair = func() { define(t, s, "DROP TRIGGER IF EXISTS refuse") }
	t.Cleanup(repair) // the next test may use the same database
	return repair
}

// define changes the schema of the test database.
func define(t *testing.T, s *ent.Store, statement string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	err := s.Admin(ctx, func(c *sql.Conn) error {
		_, err := c.ExecContext(ctx, statement)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// footprint returns the row counts of the tables and the sums of their versions.
func footprint(t *testing.T, s *ent.Store) string {
	t.Helper()
	var text strings.Builder
	for _, table := range []string{"orders", "products", "customers", "grants", "webhook_endpoints"} {
		text.WriteString(count(t, s, "SELECT COUNT(*) FROM "+table) + "/" +
			count(t, s, "SELECT SUM(version + event_sequence) FROM "+table) + " ")
	}
	for _, table := range []string{
		"order_lines", "payments", "fulfillments", "notes", "events", "outbox", "audit_log", "notifications",
	} {
		text.WriteString(count(t, s, "SELECT COUNT(*) FROM "+table) + " ")
	}
	return text.String()
}

func count(t *testing.T, s *ent.Store, query string) string {
	t.Helper()
	var n sql.NullInt64
	if err := s.Raw().QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return fmt.Sprint(n.Int64)
}
