package outbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
)

// appendTo writes the events of one change and returns the log, oldest first.
func appendTo(
	t *testing.T, ctx context.Context, s *ent.Store, r outbox.Resource, entries ...outbox.Entry,
) ([]*db.Event, error) {
	t.Helper()
	err := s.InTx(ctx, func(ctx context.Context) error { return outbox.Append(ctx, s.DB(ctx), r, entries...) })
	rows, qerr := s.DB(ctx).Event.Query().Order(db.Asc("sequence")).All(ctx)
	if qerr != nil {
		t.Fatal(qerr)
	}
	return rows, err
}

func TestAppend(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, store := storetest.Merchant(t, s)
		r := outbox.Resource{Store: store.ID, ID: xid.New(), Version: 3, Sequence: 5, At: micros.Now()}
		rows, err := appendTo(t, ctx, s, r,
			outbox.Entry{Type: event.ProductPublished, Object: []byte(`{"id":"x"}`)},
			outbox.Entry{Type: event.ProductUpdated, Changed: []string{"status"}, Object: []byte(`{"id":"x"}`)})
		if err != nil || len(rows) != 2 {
			t.Fatalf("got %d rows, %v", len(rows), err)
		}
		for i, want := range []struct {
			kind     event.Type
			sequence int64
			changed  string
		}{{event.ProductPublished, 4, "null"}, {event.ProductUpdated, 5, `["status"]`}} {
			var body struct {
				EventID  string          `json:"event_id"`
				Type     event.Type      `json:"type"`
				Sequence int64           `json:"sequence"`
				Changed  json.RawMessage `json:"changed_fields"`
				Resource struct {
					Type, ID string
					Version  int64
				} `json:"resource"`
				Data    struct{ Object map[string]string } `json:"data"`
				Omitted bool                               `json:"payload_omitted"`
			}
			if err := json.Unmarshal(rows[i].Body, &body); err != nil {
				t.Fatal(err)
			}
			if body.EventID != rows[i].PublicID() || body.Type != want.kind || body.Sequence != want.sequence ||
				rows[i].Sequence != want.sequence || string(body.Changed) != want.changed ||
				body.Resource.Type != "product" || body.Resource.Version != 3 ||
				body.Resource.ID != xid.Product.Format(r.ID) || body.Data.Object["id"] != "x" || body.Omitted {
				t.Errorf("event %d: got %s", i, rows[i].Body)
			}
		}
	})
}

func TestAppendRefusesUnknownAndRepeated(t *testing.T) {
	s := storetest.Open(t)
	ctx, store := storetest.Merchant(t, s)
	r := outbox.Resource{Store: store.ID, ID: xid.New(), Version: 1, Sequence: 1, At: micros.Now()}
	if _, err := appendTo(t, ctx, s, r, outbox.Entry{Type: "product.eaten"}); err == nil {
		t.Error("an event outside the catalogue was written")
	}
	if _, err := appendTo(t, ctx, s, r, outbox.Entry{Type: event.ProductCreated}); err != nil {
		t.Error(err)
	}
	if _, err := appendTo(t, ctx, s, r, outbox.Entry{Type: event.ProductUpdated}); !ent.IsDuplicate(err) {
		t.Errorf("a sequence was used twice: %v", err)
	}
}

func TestLargeBodyIsOmitted(t *testing.T) {
	s := storetest.Open(t)
	ctx, store := storetest.Merchant(t, s)
	object := append(append([]byte(`"`), bytes.Repeat([]byte("x"), outbox.MaxBody)...), '"')
	rows, err := appendTo(t, ctx, s,
		outbox.Resource{Store: store.ID, ID: xid.New(), Version: 1, Sequence: 1, At: micros.Now()},
		outbox.Entry{Type: event.ProductCreated, Object: object})
	if err != nil {
		t.Fatal(err)
	}
	if b := rows[0].Body; len(b) > 1024 || !bytes.Contains(b, []byte(`"data":null,"payload_omitted":true`)) {
		t.Errorf("got %d bytes: %.200s", len(b), b)
	}
}

// TestBodiesOfPreviousReleases writes events while previous releases may read them, and reads them
// beside new ones.
func TestBodiesOfPreviousReleases(t *testing.T) {
	for name, tc := range map[string]struct {
		known []ent.Format
		first string // bytes of the body as it is stored
	}{
		"plain":        {nil, `{"event_id":`},
		"packed":       {[]ent.Format{ent.PackedEvents}, "\x01"},
		"packed short": {ent.Formats(), "\x02"},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *ent.Store) {
				storetest.LimitFormats(t, s, tc.known...)
				ctx, store := storetest.Merchant(t, s)
				r := outbox.Resource{Store: store.ID, ID: xid.New(), Version: 1, Sequence: 1, At: micros.Now()}
				made := outbox.Entry{Type: event.ProductCreated, Object: []byte(`{"id":"x"}`)}
				if _, err := appendTo(t, ctx, s, r, made); err != nil {
					t.Fatal(err)
				}
				var stored []byte
				if err := s.Raw().QueryRowContext(t.Context(), "SELECT body FROM events").Scan(&stored); err != nil {
					t.Fatal(err)
				}
				if !bytes.HasPrefix(stored, []byte(tc.first)) {
					t.Errorf("a previous release would read %q", stored)
				}
			})
		})
	}
}
