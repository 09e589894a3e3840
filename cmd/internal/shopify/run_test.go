package shopify_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/cmd/internal/shopify"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

func importAll(t *testing.T, ctx context.Context, r *graph.Resolver, dir string, apply bool) *shopify.Report {
	t.Helper()
	s, err := r.Store.DB(ctx).Store.Query().Only(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ctx = viewer.Operator(ctx, s.ID) // as the command does
	report, err := shopify.Run(ctx, shopify.Config{Core: r, Store: s, Dir: dir, Apply: apply, Continue: true})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// rows counts the rows of the store.
func rows(t *testing.T, ctx context.Context, r *graph.Resolver) [3]int64 {
	t.Helper()
	c := r.Store.DB(ctx)
	must := graphtest.Must[int](t)
	return [3]int64{int64(must(c.Product.Query().Count(ctx))), int64(must(c.Customer.Query().Count(ctx))),
		int64(must(c.Order.Query().Count(ctx)))}
}

// An export of a thousand rows with typical faults: a dry run finds what an import finds and keeps
// nothing, and a second import creates nothing.
func TestImport(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		n := int64(8)
		if r.Store.Dialect() == dialect.SQLite {
			n = 160 // 1,200 rows
		}
		dir := exports(t, int(n))
		dry := importAll(t, ctx, r, dir, false)
		if got := rows(t, ctx, r); got != [3]int64{} {
			t.Fatalf("a dry run kept %v", got)
		}
		kept := importAll(t, ctx, r, dir, true)
		if diff := cmp.Diff(dry.Left, kept.Left); diff != "" {
			t.Errorf("the dry run left out others: %s", diff)
		}
		// A handle and an address repeat: the later row changes the product and the customer.
		counts := []shopify.Count{{Kind: "products", Read: n + 17, Created: n + 4, Updated: 1, Left: 12},
			{Kind: "customers", Read: n + 6, Created: n + 3, Updated: 1, Left: 2},
			{Kind: "orders", Read: 2*n + 14, Created: 2*n + 4, Left: 10}}
		if diff := cmp.Diff(counts, kept.Kinds); diff != "" {
			t.Errorf("import: %s\n%v", diff, kept.Left)
		}
		want := [3]int64{n + 4, n + 3, 2*n + 4}
		if got := rows(t, ctx, r); got != want {
			t.Errorf("it created %v, want %v", got, want)
		}
		again := importAll(t, ctx, r, dir, true)
		for i, k := range again.Kinds {
			if k.Created != 0 || k.Left != counts[i].Left || k.Updated > 4 {
				t.Errorf("again: %+v", k)
			}
		}
		if got := rows(t, ctx, r); got != want {
			t.Errorf("the second created something: %v", got)
		}
		checkReasons(t, kept)
		checkProduct(t, ctx, r)
		checkOrders(t, ctx, r, int(2*n+4))
	})
}

// checkReasons checks each fault's reason and line.
func checkReasons(t *testing.T, r *shopify.Report) {
	t.Helper()
	check := func(list []shopify.Finding, record, want string) {
		t.Helper()
		if !slices.ContainsFunc(list, func(f shopify.Finding) bool {
			return f.Record == record && f.Line > 1 && f.File != "" && strings.Contains(f.Reason, want)
		}) {
			t.Errorf("nothing says of %q that %s", record, want)
		}
	}
	for record, want := range map[string]string{
		"comma": `"12,50" is not an amount in EUR`, "thousand": `"1,250.00" is not an amount`,
		"fraction": `"1.255" is not an amount`, "no-title": "title: ", "gift": "Gift cards",
		"hidden": `"hidden" is not`,
		"free":   "price_minor: ", "twins": "2 variants, but no option", "2": "email: ",
		"#F0": "the order is in USD", "#F2": `"promised" is unknown`, "#F3": `"lost" is unknown`,
		"#F4": "placed_at: ", "#F5": "not a time such as", "#F7": "title: ", "#F8": `"a lot" is not an amount`,
		"#F10": "how much is outstanding", "#F12": "in the future", "#F13": "email: ",
	} {
		check(r.Left, record, want)
	}
	for _, want := range []string{"not UTF-8", `missing " in`} {
		check(r.Left, "", want)
	}
	for record, want := range map[string]string{
		"long": "The title is shortened to 255", "many-tags": "10 tags above 50", "Größe": "The handle",
		"#F1": "a total of 99.00", "#F6": "has the quantity 0", "#F11": "The note is shortened",
		"7000": "The subscription is not imported",
	} {
		check(r.Notes, record, want)
	}
}

func checkProduct(t *testing.T, ctx context.Context, r *graph.Resolver) {
	t.Helper()
	c := r.Store.DB(ctx)
	p, err := c.Product.Query().Where(product.Handle("mug-1")).Only(ctx)
	if err == nil {
		err = variants.Load(ctx, c, p)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p.Status != state.ProductActive || p.Title != `Mug "1"` || *p.Description != "First, then\n\n- one\n- two" ||
		p.PriceMinor != 1250 || len(p.Variants) != 2 {
		t.Errorf("%+v, %q", p, *p.Description)
	}
	small, medium := p.Variants[0], p.Variants[1]
	if *small.InventoryQuantity != 7 || *small.WeightGrams != 250 || *small.CompareAtPriceMinor != 1500 ||
		*medium.InventoryQuantity != 0 || medium.PriceMinor != 1300 {
		t.Errorf("variants: %+v, %+v", small, medium)
	}
}

// checkOrders checks the numbers, states and sums of orders with each kind of history.
func checkOrders(t *testing.T, ctx context.Context, r *graph.Resolver, n int) {
	t.Helper()
	list, err := r.Store.DB(ctx).Order.Query().Order(db.Asc(order.FieldNumber)).All(ctx)
	if err != nil || len(list) != n {
		t.Fatalf("%d orders, %v", len(list), err)
	}
	for i, want := range []string{"completed paid fulfilled 3489 3489 0", "open pending unfulfilled 3489 0 0",
		"completed partially_refunded fulfilled 3489 3489 500", "cancelled refunded unfulfilled 3489 3489 3489",
		"cancelled voided unfulfilled 3489 0 0", "open paid partially_fulfilled 3489 3489 0",
		"open partially_paid unfulfilled 3489 3000 0", "completed paid fulfilled 3010 3010 0"} {
		o := list[i]
		got := fmt.Sprintf("%s %s %s %d %d %d", o.Status, o.FinancialStatus, o.FulfillmentStatus, o.TotalMinor,
			o.PaidMinor, o.RefundedMinor)
		if got != want {
			t.Errorf("order %d: %s, want %s", i, got, want)
		}
	}
	o := list[0]
	highest := int64(1000 + n - 4)
	if o.Number <= highest || o.DiscountMinor != 280 || o.TaxMinor != 479 || o.ShippingMinor != 490 ||
		o.CustomerID == nil || o.PlacedAt.String() != "2024-01-31T16:05:09.000000Z" || o.Source != "shopify" ||
		*o.ExternalNumber != "#1001" {
		t.Errorf("%+v", o)
	}
}

// A problem of a file, rather than a row, is an error that names the file.
func TestFilesRefused(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s := graphtest.Must[*db.Store](t)(r.Store.DB(ctx).Store.Query().Only(ctx))
		ctx = viewer.Operator(ctx, s.ID)
		for name, tc := range map[string]struct{ file, text, want string }{
			"nothing":        {"notes.txt", "", "contains no exports"},
			"empty":          {"orders.csv", "", "orders.csv: The file is empty"},
			"another script": {"customers.csv", "\xff\xfeN\x00", "customers.csv: The file is UTF-16"},
			"a device":       {"products.csv", "/dev/zero", "products.csv: it is not a regular file"},
		} {
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, tc.file)
				err := os.WriteFile(path, []byte(tc.text), 0o600)
				if strings.HasPrefix(tc.text, "/dev") { // it has no end
					err = os.Remove(path)
					if err == nil {
						err = os.Symlink(tc.text, path)
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				_, err = shopify.Run(ctx, shopify.Config{Core: r, Store: s, Dir: dir, Apply: true, Continue: true})
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%v, want %q", err, tc.want)
				}
			})
		}
	})
}
