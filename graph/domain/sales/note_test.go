package sales_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func TestOrderNoteAppend(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 1, 100))
		key := graphtest.AsKey(ctx, "orders.write")
		p := graphtest.Must[*model.OrderNotePayload](t)(r.Mutation().OrderNoteAppend(key, o.PublicID(),
			model.OrderNoteInput{Body: "Ring\n\ttwice ✓", Visibility: state.NoteCustomer}))
		if p.Note.OrderID != o.ID || p.Note.Visibility != state.NoteCustomer || p.Order.Version != 2 ||
			p.Order.NotesCount != 1 || len(p.Order.Lines) != 1 {
			t.Errorf("got %+v, order %+v", p.Note.Note, p.Order.Order)
		}
		if a := p.Note.Author(); a.Type != viewer.APIKey || a.Name != "Test key" ||
			a.ID != xid.APIKey.Format(viewer.From(key).Actor) {
			t.Errorf("author %+v", a)
		}
		rows := graphtest.Must[[]*db.Event](t)(r.Client(ctx).Event.Query().All(ctx))
		body := string(rows[len(rows)-1].Body)
		for _, want := range []string{`"type":"order.note_added"`,
			`"resource":{"type":"order","id":"` + o.PublicID() + `","version":2}`,
			`"sequence":2`, `"data":{"object":{"id":"` + p.Note.PublicID(), `"body":"Ring\n\ttwice ✓"`} {
			if !strings.Contains(body, want) {
				t.Errorf("the event lacks %s:\n%s", want, body)
			}
		}
		system := graphtest.Must[*model.OrderNotePayload](t)(
			r.Mutation().OrderNoteAppend(viewer.Operator(ctx, o.StoreID), o.PublicID(), noteInput("by hand")))
		if a := system.Note.Author(); a.Type != viewer.System || a.ID != "system" {
			t.Errorf("author %+v", a)
		}
	})
}

// A note of staff notifies the people whom it names: members who may read it, and not its author. A key
// notifies nobody.
func TestNoteMentions(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		hire := func(name string, role viewer.Role) *model.Staff {
			return graphtest.Must[*model.Staff](t)(p.Hire(p.Ctx, access.Person{
				Email: strings.ReplaceAll(strings.ToLower(name), " ", ".") + "-" + xid.New().String() + "@example.com",
				Name:  name}, role))
		}
		ann := hire("Ann", viewer.Support)
		hire("Ann Lee", viewer.Admin)
		hire("Dev", viewer.Developer)
		o := graphtest.NewOrder(t, p.Ctx, p.Resolver, graphtest.CustomLine("a", 1, 100))
		write := func(ctx context.Context, body string) (titles []string) {
			t.Helper()
			before := p.Client(p.Ctx).Notification.Query().CountX(p.Ctx)
			graphtest.Must[*model.OrderNotePayload](t)(p.Mutation().OrderNoteAppend(ctx, o.PublicID(), noteInput(body)))
			rows := p.Client(p.Ctx).Notification.Query().AllX(p.Ctx)
			slices.SortFunc(rows, func(a, b *db.Notification) int { return a.ID.Compare(b.ID) })
			for _, n := range rows[before:] {
				name, _, _ := strings.Cut(strings.TrimPrefix(n.Title, "Note for "), " on order")
				titles = append(titles, name)
			}
			return titles
		}
		owner := p.As(p.Owner.ID, viewer.Owner)
		for body, want := range map[string][]string{
			"@ann, please pack": {"Ann"}, "@Ann Lee and @ANN": {"Ann Lee", "Ann"}, "@Anna": nil, "@Olive": nil,
			"@Dev, look": nil, "mail@ann.example": {"Ann"}, "nobody": nil, "@": nil,
		} {
			if got := write(owner, body); !slices.Equal(got, want) {
				t.Errorf("%q: %q, want %q", body, got, want)
			}
		}
		if got := write(p.As(ann.ID, viewer.Support), "@Ann and @olive"); !slices.Equal(got, []string{"Olive"}) {
			t.Errorf("%q", got)
		}
		if got := write(graphtest.AsKey(p.Ctx, "orders.write"), "@Ann"); got != nil {
			t.Errorf("a key notifies %q", got)
		}
		if list := graphtest.Must[[]*model.NoteReader](t)(p.Query().NoteReaders(owner)); len(list) != 3 {
			t.Errorf("%d people may be mentioned, want 3", len(list))
		}
	})
}

func TestOrderNoteRefuses(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 1, 100))
		for body, want := range map[string]string{
			"": "#/body too_short", " \n": "#/body too_short", "a\x00": "#/body invalid_format",
			strings.Repeat("é", 5001): "#/body too_long", strings.Repeat("é", 5000): "",
		} {
			if _, err := r.Mutation().OrderNoteAppend(ctx, o.PublicID(),
				noteInput(body)); graphtest.FieldOf(err) != want {
				t.Errorf("body of %d bytes: %v, want %q", len(body), err, want)
			}
		}
		if _, err := r.Mutation().OrderNoteAppend(ctx, o.PublicID(),
			model.OrderNoteInput{Body: "x", Visibility: "all"}); graphtest.FieldOf(
			err) != "#/visibility unknown_value" {
			t.Errorf("visibility: %v", err)
		}
		other, _ := storetest.Merchant(t, r.Store)
		for name, id := range map[string]string{
			"unknown": xid.Order.Format(xid.New()), "malformed": "ord_", "foreign": o.PublicID(),
		} {
			ctx := ctx
			if name == "foreign" {
				ctx = graphtest.As(other, viewer.Owner)
			}
			_, err := r.Mutation().OrderNoteAppend(ctx, id, noteInput("x"))
			_, lerr := r.Query().OrderNotes(ctx, id, nil, nil)
			_, oerr := r.Query().Order(ctx, id)
			if graphtest.FaultOf(err) != "not_found" || graphtest.FaultOf(lerr) != "not_found" ||
				graphtest.FaultOf(oerr) != "not_found" {
				t.Errorf("%s: %v, %v, %v", name, err, lerr, oerr)
			}
		}
	})
}

// TestShopperNote: what the shopper wrote stays there however many notes staff add.
func TestShopperNote(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		fields := sales.OrderFields{Resolver: resolver(r.Core)}
		for name, tc := range map[string]struct {
			as   context.Context
			want string
		}{"shopper": {viewer.Shopper(ctx, viewer.From(ctx).Store), "note 0"}, "staff": {ctx, ""}} {
			o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 1, 500))
			for i := range 12 {
				as := ctx
				if i == 0 {
					as = tc.as
				}
				graphtest.Must[*model.OrderNotePayload](t)(r.Mutation().OrderNoteAppend(as, o.PublicID(),
					model.OrderNoteInput{Body: fmt.Sprint("note ", i), Visibility: state.NoteInternal}))
			}
			shown := graphtest.Must[*model.Order](t)(r.Query().Order(ctx, o.PublicID()))
			got := core.Deref(graphtest.Must[*string](t)(fields.ShopperNote(ctx, shown)))
			if got != tc.want {
				t.Errorf("by %s: %q", name, got)
			}
		}
	})
}

func TestOrderNotesPages(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		o := full(t, ctx, r, 7)
		empty := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 1, 1))
		if c := graphtest.Must[*model.OrderNoteConnection](t)(r.Query().OrderNotes(ctx, empty.PublicID(), nil,
			nil)); len(c.Nodes) != 0 || c.Next != "" {
			t.Errorf("an order without notes lists %d", len(c.Nodes))
		}
		first := graphtest.Must[*model.OrderNoteConnection](t)(r.Query().OrderNotes(ctx, o.PublicID(), new(4), nil))
		rest := graphtest.Must[*model.OrderNoteConnection](t)(r.Query().OrderNotes(ctx, o.PublicID(), new(4),
			&first.Next))
		if len(first.Nodes) != 4 || len(rest.Nodes) != 3 || rest.Next != "" || first.Nodes[0].Body != "note 6" ||
			rest.Nodes[2].Body != "note 0" {
			t.Errorf("%d and %d notes", len(first.Nodes), len(rest.Nodes))
		}
		if _, err := r.Query().OrderNotes(ctx, o.PublicID(), new(0),
			nil); graphtest.FaultOf(err) != "invalid_parameter" {
			t.Errorf("a page of none: %v", err)
		}
	})
}

// Reading the newest notes of a page of orders costs what is shown, not how many there are.
func TestSiblingsReadWhatTheyShow(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		if r.Store.Dialect() != dialect.MySQL {
			return // SQLite's plan is tested with the list's
		}
		for range 3 {
			o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 1, 1))
			err := r.Store.InTx(ctx, func(ctx context.Context) error {
				rows := make([]*db.NoteCreate, 1000)
				for i := range rows {
					rows[i] = resolver(r.Core).Mutation().NoteRow(ctx, xid.New(), o.ID, noteInput("x"))
				}
				return r.Client(ctx).Note.CreateBulk(rows...).Exec(ctx)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		page := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, nil, nil, nil, nil, nil)).Nodes
		for _, o := range page {
			o.NotesCount = 1000
		}
		n := graphtest.Reads(t, ctx, r, func(ctx context.Context) {
			if notes := graphtest.Must[[]*model.OrderNote](t)(sales.OrderFields{Resolver: resolver(r.Core)}.Notes(ctx,
				page[0], new(5))); len(notes) != 5 {
				t.Errorf("%d notes", len(notes))
			}
		})
		if n > 100 { // 15 rows, a few times over: the parts, their union, its sorting
			t.Errorf("15 notes of 3000 read %d rows", n)
		}
	})
}
