package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent/limit"
)

// A store's own limit overrides the limit of all stores, and applies to what is created afterwards.
func TestStoreLimit(t *testing.T) {
	c := newCLI(t)
	c.env = append(c.env, "STOREFRONT_LIMIT=api_keys=1,apps=2")
	var made shop
	c.decode(&made, "store", "create", "Kite", "--currency", "EUR", "--owner-email", "ana@kite.example")
	shown := func(args ...string) map[limit.Name]bound {
		var list []bound
		c.decode(&list, append([]string{"store", "limit"}, args...)...)
		by := map[limit.Name]bound{}
		for _, b := range list {
			by[b.Name] = b
		}
		return by
	}
	if b := shown(); b[limit.APIKeys].Value != 1 || b[limit.APIKeys].Own || b[limit.Apps].Value != 2 ||
		b[limit.People].Value != 500 {
		t.Errorf("%+v", b)
	}
	mint := []string{"key", "create", "--name", "x", "--scope", "orders.read"}
	for _, step := range []struct {
		set  string
		want limit.Values
		ok   []bool // whether each of these keys can be created
	}{
		{"", nil, []bool{true, false}},
		{"api_keys=2 people=7", limit.Values{limit.APIKeys: 2, limit.People: 7}, []bool{true, false}},
		{"api_keys=1", limit.Values{limit.APIKeys: 1, limit.People: 7}, []bool{false}},
		{"people=", limit.Values{limit.APIKeys: 1}, nil},
		{"api_keys=3", limit.Values{limit.APIKeys: 3}, []bool{true, false}},
		{"api_keys=", nil, []bool{false}},
	} {
		if step.set != "" {
			got := limit.Values{}
			for name, b := range shown(strings.Fields(step.set)...) {
				if b.Own {
					got[name] = b.Value
				}
			}
			if len(got) != len(step.want) || got.Of(limit.APIKeys) != step.want.Of(limit.APIKeys) ||
				got.Of(limit.People) != step.want.Of(limit.People) {
				t.Errorf("%s: %v, want %v", step.set, got, step.want)
			}
		}
		for i, ok := range step.ok {
			o := c.run(mint...)
			if (o.code == exitOK) != ok || !ok && !strings.Contains(o.err, "api_keys") {
				t.Errorf("%s, key %d: %+v", step.set, i, o)
			}
		}
	}
}

// The flags of the rates have the defaults of the table.
func TestRatesAreTheTables(t *testing.T) {
	var serve struct{ app.Config }
	parser, err := kong.New(&serve)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	got := limit.Values{limit.RatePerSecond: int64(serve.RateLimit), limit.RateBurst: int64(serve.RateBurst()),
		limit.StoreRatePerSecond: int64(serve.StoreRateLimit), limit.VisitorRatePerSecond: int64(serve.VisitorLimit)}
	for _, r := range limit.Rows() {
		if r.Flag != "" && got[r.Name] != r.Default {
			t.Errorf("%s: %d by %s, %d in the table", r.Name, got[r.Name], r.Flag, r.Default)
		}
	}
}
