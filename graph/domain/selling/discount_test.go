package selling_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/discountuse"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/graph/model"
)

// percent returns a percentage discount.
func percent(code string, points int64) model.DiscountInput {
	return model.DiscountInput{Code: code, Kind: state.DiscountPercent, BasisPoints: &points, Active: true}
}

func newDiscount(t *testing.T, ctx context.Context, r *graph.Resolver, in model.DiscountInput) *db.Discount {
	t.Helper()
	return graphtest.Must[*model.DiscountPayload](t)(r.Mutation().DiscountCreate(ctx, in)).Discount
}

func TestDiscounts(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		d := newDiscount(t, ctx, r, percent(" summer-25", 2500))
		if d.Code != "SUMMER-25" || d.Version != 1 || !d.Active {
			t.Errorf("created %+v", d)
		}
		if _, err := m.DiscountCreate(ctx, percent("Summer-25", 1)); graphtest.FieldOf(err) != "#/code taken" {
			t.Errorf("the same code: %v", err)
		}
		other := newDiscount(t, ctx, r, percent("WINTER", 1000))
		_, err := m.DiscountUpdate(ctx, other.PublicID(), 1, percent("summer-25", 1))
		if graphtest.FieldOf(err) != "#/code taken" {
			t.Errorf("changed to the same code: %v", err)
		}
		in := model.DiscountInput{Code: "FIVE", Kind: state.DiscountAmount, AmountMinor: new(int64(500)),
			LeastMinor: new(int64(2000)), UsesMax: new(int64(10)), CustomerUsesMax: new(int64(1)),
			StartsAt: new(micros.Time(1e15)), EndsAt: new(micros.Time(2e15)), Active: true}
		changed := graphtest.Must[*model.DiscountPayload](t)(m.DiscountUpdate(ctx, d.PublicID(), 1, in)).Discount
		again := graphtest.Must[*db.Discount](t)(r.Query().Discount(ctx, d.PublicID()))
		if d := cmp.Diff(changed.String(), again.String()); d != "" || again.Version != 2 || again.BasisPoints != nil {
			t.Error(d)
		}
		want := &price.Discount{Kind: state.DiscountAmount, AmountMinor: 500, LeastMinor: 2000}
		if d := cmp.Diff(want, graphtest.Must[*price.Discount](t)(selling.CartDiscount(again))); d != "" {
			t.Error(d)
		}
		if _, err := m.DiscountUpdate(ctx, d.PublicID(), 1, in); graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("stale: %v", err)
		}
		page := graphtest.Must[*model.DiscountConnection](t)(r.Query().Discounts(ctx, new(1), nil))
		next := graphtest.Must[*model.DiscountConnection](t)(r.Query().Discounts(ctx, new(1), &page.Next))
		if page.Nodes[0].Code != "WINTER" || next.Nodes[0].Code != "FIVE" || next.Next != "" {
			t.Errorf("listed %v, %v", page.Nodes, next.Nodes)
		}
		keepsDeletedCollection(t, ctx, r)
		graphtest.Must[*model.DiscountDeletePayload](t)(m.DiscountDelete(ctx, other.PublicID(), 1))
		if _, err := r.Query().Discount(ctx, other.PublicID()); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("deleted: %v", err)
		}
	})
}

// keepsDeletedCollection checks that a discount on a deleted collection can be changed and still
// applies to nothing else, and that other discounts cannot get that collection.
func keepsDeletedCollection(t *testing.T, ctx context.Context, r *graph.Resolver) {
	t.Helper()
	m := r.Mutation()
	c := graphtest.Must[*model.CollectionPayload](t)(m.CollectionCreate(ctx, model.CollectionInput{Title: "Gone",
		Sort: state.SortManual})).Collection
	in := percent("GONE", 1000)
	in.CollectionIds = []string{c.PublicID()}
	d := newDiscount(t, ctx, r, in)
	graphtest.Must[*model.CollectionDeletePayload](t)(m.CollectionDelete(ctx, c.PublicID(), 1))
	in.Active = false
	d = graphtest.Must[*model.DiscountPayload](t)(m.DiscountUpdate(ctx, d.PublicID(), 1, in)).Discount
	if ids := graphtest.Must[[]string](t)(d.Collections.List()); d.Active || !slices.Equal(ids, in.CollectionIds) {
		t.Errorf("active %t, for %v", d.Active, ids)
	}
	in.Code = "GONE-2"
	if _, err := m.DiscountCreate(ctx, in); graphtest.FieldOf(err) != "#/collection_ids/0 unknown_value" {
		t.Errorf("a new one for it: %v", err)
	}
	graphtest.Must[*model.DiscountDeletePayload](t)(m.DiscountDelete(ctx, d.PublicID(), 2))
}

func TestDiscountRefuses(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		for want, edit := range map[string]func(*model.DiscountInput){
			"#/code too_short":        func(in *model.DiscountInput) { in.Code = "AB" },
			"#/code too_long":         func(in *model.DiscountInput) { in.Code = strings.Repeat("A", 65) },
			"#/code invalid_format":   func(in *model.DiscountInput) { in.Code = "SÜMMER" },
			"#/basis_points required": func(in *model.DiscountInput) { in.BasisPoints = nil },
			"#/amount_minor required": func(in *model.DiscountInput) {
				in.Kind, in.BasisPoints = state.DiscountAmount, nil
			},
			"#/uses_max out_of_range":          func(in *model.DiscountInput) { in.UsesMax = new(int64(0)) },
			"#/least_minor out_of_range":       func(in *model.DiscountInput) { in.LeastMinor = new(int64(-1)) },
			"#/amount_minor out_of_range":      func(in *model.DiscountInput) { in.AmountMinor = new(int64(1)) },
			"#/basis_points out_of_range":      func(in *model.DiscountInput) { in.Kind = state.DiscountFreeShipping },
			"#/customer_uses_max out_of_range": func(in *model.DiscountInput) { in.CustomerUsesMax = new(int64(0)) },
			"#/ends_at out_of_range": func(in *model.DiscountInput) {
				in.StartsAt, in.EndsAt = new(micros.Time(2)), new(micros.Time(2))
			},
		} {
			in := percent("SUMMER", 1000)
			edit(&in)
			if _, err := r.Mutation().DiscountCreate(ctx, in); graphtest.FieldOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
}

// take counts a use of a discount by a customer, in its own transaction.
func take(ctx context.Context, r *graph.Resolver, d *db.Discount, customer xid.ID) string {
	return graphtest.FaultOf(r.Store.InTx(ctx, func(ctx context.Context) error {
		return r.TakeDiscount(ctx, d.ID, customer)
	}))
}

func giveBack(ctx context.Context, r *graph.Resolver, d *db.Discount, customer xid.ID) error {
	return r.Store.InTx(ctx, func(ctx context.Context) error { return r.ReturnDiscount(ctx, d.ID, customer) })
}

// Of fifty concurrent orders, exactly ten get the last ten uses.
func TestDiscountRace(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := percent("LAST", 1000)
		in.UsesMax = new(int64(10))
		d := newDiscount(t, ctx, r, in)
		answers := make([]string, 50)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() { answers[i] = take(ctx, r, d, xid.New()) })
		}
		wg.Wait()
		count := map[string]int{}
		for _, a := range answers {
			count[a]++
		}
		if d := cmp.Diff(map[string]int{"": 10, "discount_unavailable": 40}, count); d != "" {
			t.Error(d)
		}
		now := graphtest.Must[*db.Discount](t)(r.Query().Discount(ctx, d.PublicID()))
		rows := graphtest.Must[int](t)(r.Client(ctx).DiscountUse.Query().Where(discountuse.DiscountID(d.ID)).Count(ctx))
		if now.Uses != 10 || rows != 10 || now.Version != 1 {
			t.Errorf("%d uses of %d customers", now.Uses, rows)
		}
	})
}

// Concurrent orders of one customer do not exceed the customer's limit.
func TestCustomerDiscountRace(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := percent("TWICE", 1000)
		in.CustomerUsesMax = new(int64(2))
		d, customer := newDiscount(t, ctx, r, in), xid.New()
		answers := make([]string, 12)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() { answers[i] = take(ctx, r, d, customer) })
		}
		wg.Wait()
		if n := strings.Count(strings.Join(answers, " "), "discount_unavailable"); n != 10 {
			t.Errorf("%d were refused: %q", n, answers)
		}
		if got := take(ctx, r, d, xid.New()); got != "" {
			t.Errorf("another customer: %s", got)
		}
		now := graphtest.Must[*db.Discount](t)(r.Query().Discount(ctx, d.PublicID()))
		if now.Uses != 3 {
			t.Errorf("%d uses: a refused order counts", now.Uses)
		}
		if _, err := r.Mutation().DiscountDelete(ctx, d.PublicID(), 1); graphtest.FaultOf(err) != "discount_used" {
			t.Errorf("deleted: %v", err)
		}
		for range 2 {
			if err := giveBack(ctx, r, d, customer); err != nil {
				t.Error(err)
			}
		}
		if err := giveBack(ctx, r, d, customer); err == nil {
			t.Error("a use that was never counted was returned")
		}
		if got := take(ctx, r, d, customer); got != "" {
			t.Errorf("after giving back: %s", got)
		}
		if now = graphtest.Must[*db.Discount](t)(r.Query().Discount(ctx, d.PublicID())); now.Uses != 2 {
			t.Errorf("%d uses", now.Uses)
		}
	})
}

// A code gives its discount in any case while that is usable, and only that.
func TestDiscountByCode(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		hour, now := time.Hour, micros.Now()
		for code, tc := range map[string]struct {
			edit func(*model.DiscountInput)
			want bool
		}{
			"PLAIN": {func(*model.DiscountInput) {}, true},
			"OFF":   {func(in *model.DiscountInput) { in.Active = false }, false},
			"BEGUN": {func(in *model.DiscountInput) {
				in.StartsAt, in.EndsAt = new(now.Add(-hour)), new(now.Add(hour))
			}, true},
			"EARLY":   {func(in *model.DiscountInput) { in.StartsAt = new(now.Add(hour)) }, false},
			"LATE":    {func(in *model.DiscountInput) { in.EndsAt = new(now.Add(-hour)) }, false},
			"USED_UP": {func(in *model.DiscountInput) { in.UsesMax = new(int64(1)) }, false},
		} {
			in := percent(code, 1000)
			edit := tc.edit
			edit(&in)
			d := newDiscount(t, ctx, r, in)
			if code == "USED_UP" && take(ctx, r, d, xid.New()) != "" {
				t.Error("the first use was refused")
			}
			found := graphtest.Must[*db.Discount](t)(r.DiscountByCode(ctx, " "+strings.ToLower(code), selling.Buyer{}))
			if (found != nil) != tc.want || found != nil && found.ID != d.ID {
				t.Errorf("%s: %v", code, found)
			}
			if got := take(ctx, r, d, xid.New()); (got == "") != tc.want {
				t.Errorf("%s: taken: %q", code, got)
			}
		}
		for _, code := range []string{"", "NOTHING", strings.Repeat("X", 100), "PLAIN%", "PLA_N"} {
			if found := graphtest.Must[*db.Discount](t)(r.DiscountByCode(ctx, code, selling.Buyer{})); found != nil {
				t.Errorf("%q opens %v", code, found)
			}
		}
	})
}

// A store whose rates and discounts have amounts in its currency keeps it.
func TestCurrencyStays(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		change := func(to string) error {
			s := graphtest.Must[*model.Store](t)(p.Query().Store(p.Ctx))
			_, err := p.Mutation().StoreUpdate(p.Ctx, model.StoreUpdateInput{ExpectedVersion: s.Version, Currency: &to})
			return err
		}
		zone := newZone(t, p.Ctx, p.Resolver, "DE")
		if err := change("JPY"); graphtest.FaultOf(err) != "currency_mismatch" {
			t.Errorf("with a zone: %v", err)
		}
		graphtest.Must[*model.ShippingZoneDeletePayload](t)(p.Mutation().ShippingZoneDelete(p.Ctx, zone.PublicID(), 1))
		d := newDiscount(t, p.Ctx, p.Resolver, percent("SUMMER", 1))
		if err := change("JPY"); graphtest.FaultOf(err) != "currency_mismatch" {
			t.Errorf("with a discount: %v", err)
		}
		graphtest.Must[*model.DiscountDeletePayload](t)(p.Mutation().DiscountDelete(p.Ctx, d.PublicID(), 1))
		if err := change("JPY"); err != nil {
			t.Errorf("with neither: %v", err)
		}
	})
}
