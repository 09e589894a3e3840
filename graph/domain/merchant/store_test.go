package merchant_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/domain/merchant"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func TestNewStore(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		if p.Model.Handle != "corner-shop" || p.Model.StoreHost != "corner-shop.localhost" ||
			p.Model.Currency != "EUR" || p.Model.Status != state.StoreOpen || p.Model.Demo ||
			p.Owner.PasswordHash != nil {
			t.Errorf("created %v", p.Model)
		}
		staff := graphtest.Must[*model.StaffConnection](t)(p.Query().Staff(p.Ctx, nil, nil)).Nodes
		if len(staff) != 1 || staff[0].ID != p.Owner.ID || staff[0].Role != viewer.Owner ||
			staff[0].Email != p.Owner.Email {
			t.Errorf("staff %v", staff)
		}
		// Another store of the same name, whose owner already exists.
		in := model.StoreCreateInput{Name: "Corner shop", Currency: "JPY", Timezone: "UTC"}
		second, owner, err := p.NewStore(t.Context(), in,
			access.Person{ID: p.Owner.ID, Name: "Else", PasswordHash: "x", Demo: true})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(second.Handle, "corner-shop-") || !second.Demo {
			t.Errorf("second store %v", second)
		}
		if owner.ID != p.Owner.ID || owner.Name != "Olive" || owner.PasswordHash != nil || owner.Demo {
			t.Errorf("second owner %v", owner)
		}
		// An address alone does not make an existing person the owner.
		_, _, err = p.NewStore(t.Context(), in, access.Person{Email: strings.ToUpper(p.Owner.Email), Name: "Olive"})
		if graphtest.FieldOf(err) != "#/owner/email taken" {
			t.Errorf("a known address: %v", err)
		}
		log := graphtest.Must[*model.AuditEntryConnection](t)(
			p.Query().AuditLog(viewer.Operator(t.Context(), second.ID), nil, nil, nil)).Nodes
		if len(log) != 1 || log[0].Action != "store.create" || log[0].PublicResourceID() != second.PublicID() ||
			log[0].Actor().Type != viewer.System {
			t.Errorf("audit log %v", log)
		}
	})
}

func TestStoreCreate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		owner := p.As(p.Owner.ID, viewer.Owner)
		made, err := p.Mutation().StoreCreate(owner,
			model.StoreCreateInput{Name: "Été & Cie", Handle: new("ete"), Currency: "CHF", Timezone: "Europe/Zurich"})
		if err != nil {
			t.Fatal(err)
		}
		if made.Store.Handle != "ete" || made.Store.Version != 1 || made.Store.ID == p.Model.ID {
			t.Errorf("created %v", made.Store)
		}
		// A store named like the service gets another host.
		for _, in := range []model.StoreCreateInput{{Name: "API"}, {Name: "Www"}} {
			in.Currency, in.Timezone = "EUR", "UTC"
			named := graphtest.Must[*model.StorePayload](t)(p.Mutation().StoreCreate(owner, in))
			handle := named.Store.Handle
			if merchant.Reserved(handle) || !strings.HasPrefix(handle, strings.ToLower(in.Name)+"-") {
				t.Errorf("%s is at %s", in.Name, handle)
			}
		}
		there := merchant.InStore(owner, made.Store.ID)
		log := graphtest.Must[*model.AuditEntryConnection](t)(p.Query().AuditLog(there, nil, nil, nil)).Nodes
		if len(log) != 1 || log[0].Actor().ID != xid.User.Format(p.Owner.ID) {
			t.Errorf("audit log %v", log)
		}
		for name, ctx := range map[string]context.Context{
			"admin": p.As(p.Owner.ID, viewer.Admin), "key": graphtest.AsKey(p.Ctx, "products.read"), "operator": p.Ctx,
			"nobody": t.Context(),
		} {
			_, err := p.Mutation().StoreCreate(ctx, model.StoreCreateInput{Name: "X", Currency: "EUR", Timezone: "UTC"})
			if got := graphtest.FaultOf(err); got != "forbidden" && name != "nobody" ||
				name == "nobody" && got != "authentication_required" {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, tc := range []struct {
			in   model.StoreCreateInput
			want string
		}{
			{model.StoreCreateInput{Name: "X", Handle: new("ete"), Currency: "EUR", Timezone: "UTC"}, "#/handle taken"},
			{model.StoreCreateInput{Name: "X", Handle: new("Été"), Currency: "EUR", Timezone: "UTC"},
				"#/handle invalid_format"},
			{model.StoreCreateInput{Name: "X", Handle: new("-a"), Currency: "EUR", Timezone: "UTC"},
				"#/handle invalid_format"},
			{model.StoreCreateInput{Name: "X", Handle: new(""), Currency: "EUR", Timezone: "UTC"},
				"#/handle too_short"},
			{model.StoreCreateInput{Name: "X", Handle: new(strings.Repeat("a", 64)), Currency: "EUR", Timezone: "UTC"},
				"#/handle too_long"},
			{model.StoreCreateInput{Name: "X", Handle: new("api"), Currency: "EUR", Timezone: "UTC"}, "#/handle taken"},
			{model.StoreCreateInput{Name: "X", Handle: new("paypal"), Currency: "EUR", Timezone: "UTC"},
				"#/handle taken"},
			{model.StoreCreateInput{Name: "X", Handle: new("my-paypal"), Currency: "EUR", Timezone: "UTC"},
				"#/handle taken"},
			{model.StoreCreateInput{Name: "X", Handle: new("xn--pypal-4ve"), Currency: "EUR", Timezone: "UTC"},
				"#/handle invalid_format"},
			{model.StoreCreateInput{Name: " ", Currency: "EUR", Timezone: "UTC"}, "#/name too_short"},
			{model.StoreCreateInput{Name: "Shop \u202egpj", Currency: "EUR", Timezone: "UTC"}, "#/name invalid_format"},
			{model.StoreCreateInput{Name: "Cor\u200bner", Currency: "EUR", Timezone: "UTC"}, "#/name invalid_format"},
			{model.StoreCreateInput{Name: "\u3164", Currency: "EUR", Timezone: "UTC"}, "#/name too_short"},
			{model.StoreCreateInput{Name: "X", Currency: "EURO", Timezone: "UTC"}, "#/currency unknown_value"},
			{model.StoreCreateInput{Name: "X", Currency: "EUR"}, "#/timezone too_short"},
			{model.StoreCreateInput{Name: "X", Currency: "EUR", Timezone: "Local"}, "#/timezone unknown_value"},
			{model.StoreCreateInput{Name: "X", Currency: "EUR", Timezone: "Mars/Olympus"}, "#/timezone unknown_value"},
			{model.StoreCreateInput{Name: "X", Currency: "EUR", Timezone: "../etc/passwd"}, "#/timezone unknown_value"},
		} {
			if _, err := p.Mutation().StoreCreate(owner, tc.in); graphtest.FieldOf(err) != tc.want {
				t.Errorf("%+v: %v, want %s", tc.in, err, tc.want)
			}
		}
		if n := graphtest.Must[int](t)(p.Client(p.Ctx).User.Query().Where(user.ID(p.Owner.ID)).Count(p.Ctx)); n != 1 {
			t.Errorf("%d people", n)
		}
		// A person may own a limited number of open stores.
		p.Core.Limits[limit.Stores] = 5
		graphtest.Must[*model.StorePayload](t)(p.Mutation().StoreCreate(owner,
			model.StoreCreateInput{Name: "X", Currency: "EUR", Timezone: "UTC"}))
		_, err = p.Mutation().StoreCreate(owner, model.StoreCreateInput{Name: "X", Currency: "EUR", Timezone: "UTC"})
		if graphtest.FaultOf(err) != "limit_reached" {
			t.Errorf("one store more: %v", err)
		}
	})
}

// Stores of one name that are created concurrently all get a handle.
func TestStoreHandlesRace(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				in := model.StoreCreateInput{Name: strings.Repeat("Corner", 20), Currency: "EUR", Timezone: "UTC"}
				s, _, err := p.NewStore(t.Context(), in, access.Person{ID: p.Owner.ID})
				if err != nil || len(s.Handle) > merchant.MaxStoreHandle {
					t.Errorf("%v, %v", s, err)
				}
			})
		}
		wg.Wait()
	})
}

func TestStoreUpdate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		ctx, m := p.As(p.Owner.ID, viewer.Admin), p.Mutation()
		draft := graphtest.Must[*model.ProductPayload](t)(m.ProductCreate(ctx,
			model.ProductCreateInput{Title: "Mug", Currency: "EUR"})).Product
		graphtest.Must[*model.ProductPayload](t)(m.ProductPublish(ctx, draft.PublicID(), 1))
		update := func(want string, in model.StoreUpdateInput) *model.Store {
			t.Helper()
			got, err := m.StoreUpdate(ctx, in)
			if graphtest.FaultOf(err) != want && graphtest.FieldOf(err) != want {
				t.Errorf("%+v: %v, want %q", in, err, want)
			}
			if err != nil {
				return graphtest.Must[*model.Store](t)(p.Query().Store(ctx))
			}
			return got.Store
		}
		s := update("", model.StoreUpdateInput{ExpectedVersion: 1, Name: new("Café"), Timezone: new("Asia/Tokyo")})
		if s.Name != "Café" || s.Timezone != "Asia/Tokyo" || s.Version != 2 || s.Currency != "EUR" {
			t.Errorf("changed to %v", s)
		}
		update("version_mismatch", model.StoreUpdateInput{ExpectedVersion: 1, Name: new("X")})
		if s = update("",
			model.StoreUpdateInput{ExpectedVersion: 2, Name: new("Café"), Currency: new("eur")}); s.Version != 2 {
			t.Errorf("an unchanged store has version %d", s.Version)
		}
		update("#/name too_short", model.StoreUpdateInput{ExpectedVersion: 2, Name: new("")})
		update("#/timezone unknown_value", model.StoreUpdateInput{ExpectedVersion: 2, Timezone: new("Local")})
		if s = update("currency_mismatch",
			model.StoreUpdateInput{ExpectedVersion: 2, Name: new("X"), Currency: new("USD")}); s.Version != 2 ||
			s.Name != "Café" || s.Currency != "EUR" {
			t.Errorf("a refused change left %v", s)
		}
		graphtest.Must[*model.ProductPayload](t)(m.ProductUnpublish(ctx, draft.PublicID(), 2))
		if s = update("", model.StoreUpdateInput{ExpectedVersion: 2, Currency: new("usd")}); s.Currency != "USD" ||
			s.Version != 3 {
			t.Errorf("changed to %v", s)
		}
		read := graphtest.Must[*model.Store](t)(p.Query().Store(ctx))
		if read.Store.String() != s.Store.String() {
			t.Errorf("stored %v, returned %v", read, s)
		}
		graphtest.Plant(t, ctx, p.Resolver, 1, func(int, *db.OrderCreate) xid.ID { return xid.New() })
		update("currency_fixed", model.StoreUpdateInput{ExpectedVersion: 3, Currency: new("EUR")})
	})
}

func TestStoreClose(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		owner, m := p.As(p.Owner.ID, viewer.Owner), p.Mutation()
		key := graphtest.Must[*model.APIKeyPayload](t)(m.APIKeyCreate(owner,
			model.APIKeyCreateInput{Name: "Sync", Scopes: []string{"orders.read"}}))
		token := graphtest.Must[*model.StaffTokenPayload](t)(m.StaffTokenCreate(owner, "Laptop", nil, false))
		if !p.Authenticates(t, key.Secret) || !p.Authenticates(t, token.Token) {
			t.Fatal("dead from the start")
		}
		if _, err := m.StoreClose(p.As(p.Owner.ID, viewer.Admin), 1); graphtest.FaultOf(err) != "forbidden" {
			t.Errorf("admin: %v", err)
		}
		if _, err := m.StoreClose(owner, 2); graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("stale: %v", err)
		}
		if !p.Authenticates(t, key.Secret) {
			t.Error("a refused closing ended the key")
		}
		closed, err := m.StoreClose(owner, 1)
		if err != nil || closed.Store.Status != state.StoreClosed {
			t.Fatalf("%v, %v", closed, err)
		}
		if p.Authenticates(t, key.Secret) || p.Authenticates(t, token.Token) {
			t.Error("a credential of a closed store lives")
		}
		if _, err := m.StoreClose(owner, 2); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("again: %v", err)
		}
		if _, err := m.StoreReopen(p.As(p.Owner.ID, viewer.Admin), 2); graphtest.FaultOf(err) != "forbidden" {
			t.Errorf("reopened by an admin: %v", err)
		}
		if _, err := m.StoreReopen(owner, 2); err != nil || !p.Authenticates(t, key.Secret) ||
			!p.Authenticates(t, token.Token) {
			t.Errorf("reopened: %v", err)
		}
		if _, err := m.StoreReopen(owner, 3); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("reopened again: %v", err)
		}
		const want = "store.create api_key.create staff_token.create store.close store.reopen"
		if got := p.Audited(t); got != want {
			t.Errorf("audit log %q, want %q", got, want)
		}
		var rows []*db.Store
		if rows, err = p.Client(p.Ctx).Store.Query().All(p.Ctx); err != nil || len(rows) != 1 {
			t.Errorf("the rows are kept: %v, %v", rows, err)
		}
	})
}

func TestLanguage(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s := graphtest.Must[*model.Store](t)(r.Query().Store(ctx))
		if s.Language != state.English {
			t.Errorf("at first %s", s.Language)
		}
		got := graphtest.Must[*model.StorePayload](t)(r.Mutation().StoreUpdate(ctx,
			model.StoreUpdateInput{ExpectedVersion: s.Version, Language: new(state.Japanese)})).Store
		if got.Language != state.Japanese || got.Version != s.Version+1 {
			t.Errorf("changed to %s, version %d", got.Language, got.Version)
		}
	})
}
