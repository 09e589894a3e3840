package baseline_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/cmd/internal/baseline"
	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/model"
)

// small is a corpus whose goods are what matters.
var small = corpus.Size{Orders: 50, Stores: 1, Share: 100, Ties: 2, Products: 5, Goods: 30}

// till is a store of the bench that sells, with a cart of each side: their goods are the
// same.
type till struct {
	*bench
	shop     xid.ID
	ctx      context.Context // of a shopper
	core     *corpus.Carts
	baseline *corpus.Carts
}

func openTill(t *testing.T, b *bench) *till {
	t.Helper()
	id, err := xid.Store.Parse(b.corpus.Shops[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	ctx, m := viewer.Operator(t.Context(), id), b.core.Mutation()
	zone, err := m.ShippingZoneCreate(ctx, model.ShippingZoneInput{Name: "Germany", Countries: []string{"DE"},
		Rates: []*model.ShippingRateInput{{Name: "Post", Kind: state.ShippingDelivery,
			PriceMinor: corpus.ShippingMinor}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.TaxSettingsUpdate(ctx, 0, model.TaxSettingsInput{PricesIncludeTax: true,
		Rates: []*model.TaxRateInput{{Country: "DE", Name: "MwSt.", BasisPoints: 1900, Shipping: true}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.PaymentSettingsUpdate(ctx, 0, model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
		{Kind: state.PaymentTransfer, Name: "Transfer", Active: true}}}); err != nil {
		t.Fatal(err)
	}
	rates, err := zone.ShippingZone.Rates.List()
	if err != nil {
		t.Fatal(err)
	}
	x := &till{bench: b, shop: id, ctx: viewer.Shopper(t.Context(), id)}
	for _, side := range []**corpus.Carts{&x.core, &x.baseline} {
		if *side, err = corpus.Sell(t.Context(), b.store, id, rates[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// make makes the next cart of a side.
func (x *till) make(t *testing.T, side *corpus.Carts) corpus.Ready {
	t.Helper()
	list, err := side.Make(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// buy places a cart with the core, as the service does.
func (x *till) buy(t *testing.T, c corpus.Ready) {
	t.Helper()
	if _, err := x.bench.core.Carts().Place(x.ctx, c.Token, cart.Shown{TotalMinor: c.Total}); err != nil {
		t.Fatal(err)
	}
}

// post places a cart with the baseline.
func (x *till) post(t *testing.T, token string, total int64) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, baseline.PlacePath,
		strings.NewReader("total="+strconv.FormatInt(total, 10)))
	r.Host = "load-1.shops.test"
	r.AddCookie(&http.Cookie{Name: "cart", Value: token})
	w := httptest.NewRecorder()
	x.handler.ServeHTTP(w, r)
	return w
}

// varying are the parts of an event that differ from order to order.
var varying = regexp.MustCompile(`(ord|orl|li|evt)_[0-9a-z]+|[0-9-]+T[0-9:.]+Z|"number":[0-9]+`)

// event is the body of the newest event, without what varies.
func (x *till) event(t *testing.T) string {
	t.Helper()
	var body eventbody.Body
	err := x.store.Raw().QueryRowContext(t.Context(), "SELECT body FROM events WHERE store_id = ? ORDER BY id DESC "+
		"LIMIT 1", x.shop[:]).Scan(&body)
	if err != nil {
		t.Fatal(err)
	}
	return varying.ReplaceAllString(string(body), "x")
}

// rows counts what placing a cart leaves behind.
func (x *till) rows(t *testing.T) (list [8]int64) {
	t.Helper()
	for i, query := range []string{
		"SELECT COUNT(*) FROM orders", "SELECT COUNT(*) FROM audit_log",
		"SELECT COUNT(*) FROM events", "SELECT COUNT(*) FROM outbox",
		"SELECT COUNT(*) FROM payment_holds", "SELECT COUNT(*) FROM notifications",
		"SELECT COUNT(*) FROM carts WHERE order_id IS NOT NULL AND email IS NULL",
		"SELECT -SUM(inventory_quantity) FROM products WHERE inventory_quantity > 1000",
	} {
		if err := x.store.Raw().QueryRowContext(t.Context(), query).Scan(&list[i]); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// The baseline places a cart with the core's statements and leaves the same behind. So this
// holds how many statements the core runs, too.
func TestSamePlacing(t *testing.T) {
	eachOf(t, small, func(t *testing.T, b *bench) {
		x := openTill(t, b)
		x.buy(t, x.make(t, x.core)) // takes numbers for many
		x.post(t, x.make(t, x.baseline).Token, 0)
		first, second := x.make(t, x.core), x.make(t, x.baseline)
		before := x.rows(t)
		got := b.statements(func() { x.buy(t, first) })
		if diff := cmp.Diff(baseline.Statements(b.store.Dialect()).Place(), got); diff != "" {
			t.Errorf("the statements differ (-baseline +core):\n%s", diff)
		}
		between, want := x.rows(t), x.event(t)
		w := x.post(t, second.Token, second.Total)
		if w.Code != http.StatusSeeOther {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		token := strings.TrimPrefix(w.Header().Get("Location"), "/orders/")
		if _, ok := b.core.Links.Order(x.shop, token); !ok {
			t.Errorf("the address of the order is %q", w.Header().Get("Location"))
		}
		if diff := cmp.Diff(want, x.event(t)); diff != "" {
			t.Errorf("the events differ (-core +baseline):\n%s", diff)
		}
		after := x.rows(t)
		for i := range after {
			if a, b := between[i]-before[i], after[i]-between[i]; a != b || a == 0 {
				t.Errorf("row count %d: the core left %d, the baseline %d", i, a, b)
			}
		}
	})
}

// The baseline would win by what it does not check.
func TestPlaceRefuses(t *testing.T) {
	eachOf(t, small, func(t *testing.T, b *bench) {
		x := openTill(t, b)
		c := x.make(t, x.baseline)
		for name, w := range map[string]*httptest.ResponseRecorder{
			"another sum": x.post(t, c.Token, c.Total+1), "no cart": x.post(t, "", c.Total),
		} {
			if w.Code != http.StatusInternalServerError {
				t.Errorf("%s: %d", name, w.Code)
			}
		}
		if w := x.post(t, c.Token, c.Total); w.Code != http.StatusSeeOther {
			t.Errorf("what a refusal left: %d %s", w.Code, w.Body)
		}
		if w := x.post(t, c.Token, c.Total); w.Code != http.StatusInternalServerError {
			t.Errorf("a second time: %d", w.Code)
		}
	})
}
