package storetest

import (
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/xid"
)

// Event is an event as stored in the database.
type Event struct {
	ID       xid.ID
	Store    xid.ID
	Type     event.Type
	Kind     string // of the resource
	Resource xid.ID
	Sequence int64
	Body     eventbody.Body
}

// Log reads the event log of a database incrementally, over all of its stores. Nothing may relay
// meanwhile, since it also compares the log with the outbox.
type Log struct {
	seen map[xid.ID]bool
	last map[xid.ID]Event // by resource
}

// Mark treats the existing events as known, without checking them.
func (l *Log) Mark(t testing.TB, s *ent.Store) {
	t.Helper()
	l.fresh(t, s)
}

// Next returns the events since the last call, sorted by id. It fails the test unless each event
// has the next number of its resource, is later than the previous one, has a body that matches its
// row, and has one row in the outbox, and unless the counter of the resource matches.
func (l *Log) Next(t testing.TB, s *ent.Store) []Event {
	t.Helper()
	before := maps.Clone(l.last)
	if before == nil {
		before = map[xid.ID]Event{}
	}
	fresh := l.fresh(t, s)
	pending := outboxOf(t, s)
	for _, e := range fresh {
		last := before[e.Resource]
		if e.Sequence != last.Sequence+1 || e.ID.Time() <= last.ID.Time() || e.ID.Compare(last.ID) <= 0 {
			t.Errorf("%s has the sequence %d at %s, after %d at %s", e.Type, e.Sequence, e.ID.Time(), last.Sequence,
				last.ID.Time())
		}
		before[e.Resource] = e
		if b, ok := pending[e.ID]; !ok || b != bucket.Of(e.Store) {
			t.Errorf("%s is in bucket %d of the outbox (%t), want %d", e.Type, b, ok, bucket.Of(e.Store))
		}
		e.check(t)
	}
	for id := range pending {
		if !l.seen[id] {
			t.Errorf("%s is in the outbox, but not in the log", xid.Event.Format(id))
		}
	}
	for _, events := range byResource(fresh) {
		checkCounter(t, s, events[len(events)-1])
	}
	return fresh
}

// Since is [Log.Next] as text: the types of each resource's events in order. The texts of the
// resources are sorted and separated by "; ".
func (l *Log) Since(t testing.TB, s *ent.Store) string {
	t.Helper()
	groups := []string{}
	for _, events := range byResource(l.Next(t, s)) {
		types := []string{}
		for _, e := range events {
			types = append(types, string(e.Type))
		}
		groups = append(groups, strings.Join(types, " "))
	}
	slices.Sort(groups)
	return strings.Join(groups, "; ")
}

func (l *Log) fresh(t testing.TB, s *ent.Store) (list []Event) {
	t.Helper()
	if l.seen == nil {
		l.seen, l.last = map[xid.ID]bool{}, map[xid.ID]Event{}
	}
	err := ent.Read(t.Context(), s.Raw(), func(rows *sql.Rows) error {
		var e Event
		err := rows.Scan(&e.ID, &e.Store, &e.Type, &e.Kind, &e.Resource, &e.Sequence, &e.Body)
		if err == nil && !l.seen[e.ID] {
			l.seen[e.ID], l.last[e.Resource] = true, e
			list = append(list, e)
		}
		return err
	}, "SELECT id, store_id, type, resource_type, resource_id, sequence, body FROM events ORDER BY id")
	if err != nil {
		t.Fatalf("read events: %v", err)
	}
	return list
}

func outboxOf(t testing.TB, s *ent.Store) map[xid.ID]int8 {
	t.Helper()
	pending := map[xid.ID]int8{}
	err := ent.Read(t.Context(), s.Raw(), func(rows *sql.Rows) error {
		var id xid.ID
		var b int8
		err := rows.Scan(&id, &b)
		if _, twice := pending[id]; twice {
			t.Errorf("%s is in the outbox twice", xid.Event.Format(id))
		}
		pending[id] = b
		return err
	}, "SELECT id, bucket FROM outbox")
	if err != nil {
		t.Fatalf("read outbox: %v", err)
	}
	return pending
}

func byResource(list []Event) map[xid.ID][]Event {
	parts := map[xid.ID][]Event{}
	for _, e := range list {
		parts[e.Resource] = append(parts[e.Resource], e)
	}
	return parts
}

func (e Event) check(t testing.TB) {
	t.Helper()
	var body struct {
		EventID    string     `json:"event_id"`
		Type       event.Type `json:"type"`
		OccurredAt string     `json:"occurred_at"`
		StoreID    string     `json:"store_id"`
		Resource   struct {
			Type, ID string
			Version  int64
		}
		Sequence int64
		Data     struct {
			Object struct {
				ID      string
				OrderID string `json:"order_id"`
				Product string `json:"product_id"`
				Version any    // in a theme, the author's name of the version
			}
		}
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Errorf("the body of %s: %v", e.Type, err)
		return
	}
	kind, ok := event.Find(e.Type)
	id, about := kind.Resource.Format(e.Resource), body.Data.Object.ID
	if e.Type == event.OrderNoteAdded || event.OfReturn(e.Type) {
		about = body.Data.Object.OrderID
	}
	if e.Type == event.InventoryChanged {
		about = body.Data.Object.Product
	}
	if !ok || e.Kind != kind.Resource.Resource() || body.Resource.Type != e.Kind || body.Resource.ID != id ||
		about != id {
		t.Errorf("%s is about %s %s: %s", e.Type, e.Kind, id, e.Body)
	}
	if body.EventID != xid.Event.Format(e.ID) || body.Type != e.Type || body.StoreID != xid.Store.Format(e.Store) ||
		body.Sequence != e.Sequence || body.OccurredAt != e.ID.Time().String() {
		t.Errorf("the body of %s does not match its row: %s", e.Type, e.Body)
	}
	v, counted := body.Data.Object.Version.(float64)
	counted = counted && !event.OfReturn(e.Type) // a return has a version of its own
	if body.Resource.Version < 1 || counted && int64(v) != body.Resource.Version {
		t.Errorf("%s carries version %d: %s", e.Type, body.Resource.Version, e.Body)
	}
}

// counters are the tables of the resources with an event counter.
var counters = map[string]string{
	xid.Order.Resource():           "orders",
	xid.Product.Resource():         "products",
	xid.Customer.Resource():        "customers",
	xid.Grant.Resource():           "grants",
	xid.WebhookEndpoint.Resource(): "webhook_endpoints",
	xid.Theme.Resource():           "themes",
}

// checkCounter compares the last event of a resource with the resource's counter, if the resource
// still exists.
func checkCounter(t testing.TB, s *ent.Store, last Event) {
	t.Helper()
	table, ok := counters[last.Kind]
	if !ok {
		t.Errorf("the table of a %s is unknown", last.Kind)
		return
	}
	var count int64
	err := s.Raw().QueryRowContext(t.Context(), "SELECT event_sequence FROM "+table+" WHERE store_id = ? AND id = ?",
		last.Store, last.Resource).Scan(&count)
	switch {
	case errors.Is(err, sql.ErrNoRows) && last.Type == event.ProductDeleted:
	case err != nil:
		t.Errorf("the resource of %s: %v", last.Type, err)
	case count != last.Sequence:
		t.Errorf("the %s counts %d events, the log %d", last.Kind, count, last.Sequence)
	}
}
