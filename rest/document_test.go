package rest_test

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/rest"
)

// parsed returns the parts of the document that tests read.
func parsed(t *testing.T) (doc struct {
	Info       struct{ Description string }
	Components struct {
		Schemas map[string]struct{ Enum []string }
	}
}) {
	t.Helper()
	if err := yaml.Unmarshal(rest.Document, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// The document's events are those of the catalog: the ones that can be subscribed to, and the
// descriptions, each with one trigger and its scope.
func TestDocumentHasTheEvents(t *testing.T) {
	var names, sent []string
	for _, e := range event.All() {
		names = append(names, string(e.Type))
	}
	if diff := cmp.Diff(names, parsed(t).Components.Schemas["WebhookEvent"].Enum); diff != "" {
		t.Errorf("events (-catalogue +document):\n%s", diff)
	}
	for _, published := range validator(t).Events() {
		sent = append(sent, published.Type)
		e, _ := event.Find(event.Type(published.Type))
		if want := e.Trigger + " Needs `" + e.Scope + "`"; !strings.HasPrefix(published.Description, want) {
			t.Errorf("%s is described as %q, want %q", published.Type, published.Description, want)
		}
	}
	if diff := cmp.Diff(names, sent); diff != "" {
		t.Errorf("webhooks (-catalogue +document):\n%s", diff)
	}
}

// objects returns the representations in events, by the resource of the event.
func (m *shop) objects() map[string][]byte {
	m.t.Helper()
	c := m.store.DB(m.ctx)
	order, err := c.Order.Get(m.ctx, fixed(1))
	if err != nil {
		m.t.Fatal(err)
	}
	line := &db.OrderLine{ID: fixed(10), OrderID: order.ID, Title: "Blue mug", Quantity: 1}
	product, err := c.Product.Get(m.ctx, fixed(1))
	if err != nil {
		m.t.Fatal(err)
	}
	customer, err := c.Customer.Get(m.ctx, fixed(1))
	if err != nil {
		m.t.Fatal(err)
	}
	endpoint, err := c.WebhookEndpoint.Get(m.ctx, fixed(1))
	if err != nil {
		m.t.Fatal(err)
	}
	queue, err := c.WebhookQueue.Get(m.ctx, fixed(1))
	if err != nil {
		m.t.Fatal(err)
	}
	theme, err := c.Theme.Get(m.ctx, fixed(1))
	if err != nil {
		m.t.Fatal(err)
	}
	job, err := c.Export.Get(m.ctx, fixed(2))
	if err != nil {
		m.t.Fatal(err)
	}
	return map[string][]byte{
		"order":            wire.AppendOrder(nil, order, 1, func(int) *db.OrderLine { return line }),
		"product":          wire.AppendProduct(nil, product),
		"customer":         wire.AppendCustomer(nil, customer, "EUR"),
		"webhook_endpoint": wire.AppendWebhookEndpoint(nil, endpoint, queue, nil),
		"theme":            wire.AppendTheme(nil, theme, state.ThemeActive, nil),
		"export":           wire.AppendExport(nil, job, nil),
		"grant": wire.AppendGrant(nil, &db.Grant{ID: fixed(1), UserID: fixed(1), UserName: "Ada",
			Scopes: "orders.read", ExpiresAt: epoch, RevokedAt: &epoch, RevokedReason: new(state.GrantCodeReused)},
			&db.App{ID: fixed(1), Name: "Sync it", ClientID: "sync"}),
		"note": wire.AppendNote(nil, &db.Note{ID: fixed(1), OrderID: fixed(1),
			Body: "x", Visibility: state.NoteInternal, AuthorType: "api_key",
			AuthorName: "Sync"}, xid.APIKey.Format(fixed(1))),
		"stock": wire.AppendInventoryLevel(nil, &db.Product{ID: fixed(1)},
			&db.Variant{StoreID: fixed(1), ID: fixed(10), Title: "Blue", Sku: new("MUG-1"),
				InventoryQuantity: new(int64(3)),
				Levels:            []*db.StockLevel{{ID: fixed(11), Quantity: 1, SellsOnline: true}}}),
		"return": wire.AppendReturn(nil, &db.OrderReturn{ID: fixed(1), OrderID: fixed(1), Version: 1,
			State: state.ReturnRequested, Lines: document.NewReturnLines([]document.ReturnLine{
				{LineID: xid.OrderLine.Format(fixed(10)), Quantity: 1, Reason: state.ReasonMind}})}),
	}
}

// TestDocumentHasTheBodiesOfEvents: the body of each event matches its schema, and another
// resource's object does not.
func TestDocumentHasTheBodiesOfEvents(t *testing.T) {
	_, m := sqlite(t)
	m.furnish()
	objects := m.objects()
	v := validator(t)
	var samples []byte
	for _, e := range event.All() {
		what := e.Resource.Resource()
		if e.Type == event.OrderNoteAdded {
			what = "note"
		}
		if event.OfReturn(e.Type) {
			what = "return"
		}
		if e.Type == event.InventoryChanged {
			what = "stock"
		}
		body := func(object []byte) []byte {
			return wire.AppendEvent(nil, wire.Event{ID: fixed(1), Type: e.Type,
				Occurred: epoch, Store: m.id, Kind: e.Resource, Resource: fixed(1), Version: 2, Sequence: 1,
				Changed: []string{"status"}, Object: object})
		}
		for kind, object := range objects {
			if kind == what {
				samples = append(append(samples, body(object)...), '\n')
			}
			if err := v.EventErr(string(e.Type), body(object)); (err == nil) != (kind == what) {
				t.Errorf("%s with a %s: %v", e.Type, kind, err)
			}
		}
		if err := v.EventErr(string(e.Type), body(nil)); err != nil {
			t.Errorf("%s without its data: %v", e.Type, err)
		}
	}
	checkSamples(t, samples)
}

// checkSamples checks the bodies that the conformance kit of receivers sends, or writes them.
func checkSamples(t *testing.T, fresh []byte) {
	t.Helper()
	const file = "hook/conformance/events.jsonl"
	if *update && !t.Failed() {
		if err := os.WriteFile(file, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
	if len(lines) != len(event.All()) {
		t.Fatalf("%s has %d bodies for %d types: run the test with -update", file, len(lines), len(event.All()))
	}
	for i, e := range event.All() {
		if err := validator(t).EventErr(string(e.Type), lines[i]); err != nil {
			t.Errorf("%s: %v: run the test with -update", file, err)
		}
	}
}

// checkEvents checks every event of the shop against the document.
func (m *shop) checkEvents(t *testing.T) {
	t.Helper()
	rows, err := m.store.DB(m.ctx).Event.Query().All(m.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range rows {
		if len(e.Body) > outbox.MaxBody {
			t.Errorf("%s has %d bytes", e.Type, len(e.Body))
		}
		if err := validator(t).EventErr(string(e.Type), e.Body); err != nil {
			t.Errorf("%s: %v\n%s", e.Type, err, e.Body)
		}
	}
}

// TestDocumentHasTheColumns: the guide lists the columns of each kind's CSV file.
func TestDocumentHasTheColumns(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```\n(\\w+_id,.*?)\n```").FindAllStringSubmatch(parsed(t).Info.Description, -1)
	var got [][]string
	for _, b := range blocks {
		got = append(got, strings.FieldsFunc(b[1], func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }))
	}
	want := [][]string{
		export.Columns(state.ExportOrders), export.Columns(state.ExportProducts), export.Columns(state.ExportCustomers),
		export.Columns(state.ExportWebhookAttempts),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-written +document):\n%s", diff)
	}
	if got := parsed(t).Components.Schemas["ExportKind"].Enum; !slices.Equal(got,
		[]string{"orders", "products", "customers", "webhook_attempts"}) {
		t.Errorf("kinds %v", got)
	}
}
