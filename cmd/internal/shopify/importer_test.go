package shopify_test

import (
	"context"
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
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
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
	report, err := shopify.Run(ctx, shopify.Config{Core: r, Store: s, Dir: dir, Apply: apply})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// rows counts the rows of the store.
func rows(t *testing.T, ctx context.Context, r *graph.Resolver) [4]int {
	t.Helper()
	c := r.Store.DB(ctx)
	must := graphtest.Must[int](t)
	return [4]int{must(c.Product.Query().Count(ctx)), must(c.Customer.Query().Count(ctx)),
		must(c.Order.Query().Count(ctx)), must(c.Imported.Query().Count(ctx))}
}

// An export of a thousand rows with typical faults: a dry run finds what an import finds and keeps
// nothing, and a second import creates nothing.
func TestImport(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		n := 8
		if r.Store.Dialect() == dialect.SQLite {
			n = 160 // 1,200 rows
		}
		dir := exports(t, n)
		dry := importAll(t, ctx, r, dir, false)
		if got := rows(t, ctx, r); got != [4]int{} {
			t.Fatalf("a dry run kept %v", got)
		}
		counts := []shopify.Count{{Kind: "products", Read: n + 17, Made: n + 3, Left: 14},
			{Kind: "customers", Read: n + 6, Made: n + 2, Left: 4},
			{Kind: "orders", Read: 2*n + 14, Made: 2*n + 3, Left: 11}}
		if diff := cmp.Diff(counts, dry.Kinds); diff != "" {
			t.Errorf("dry run: %s\n%v", diff, dry.Left)
		}
		kept := importAll(t, ctx, r, dir, true)
		if diff := cmp.Diff(dry.Left, kept.Left); diff != "" {
			t.Errorf("the dry run left out others: %s", diff)
		}
		if diff := cmp.Diff(counts, kept.Kinds); diff != "" {
			t.Errorf("import: %s", diff)
		}
		want := [4]int{n + 3, n + 2, 2*n + 3, 4*n + 8}
		if got := rows(t, ctx, r); got != want {
			t.Errorf("it created %v, want %v", got, want)
		}
		again := importAll(t, ctx, r, dir, true)
		for i, k := range again.Kinds {
			if k.Made != 0 || k.Known != counts[i].Made || k.Left != counts[i].Left {
				t.Errorf("again: %+v", k)
			}
		}
		if got := rows(t, ctx, r); got != want {
			t.Errorf("the second import created something: %v", got)
		}
		checkReasons(t, kept)
		checkProduct(t, ctx, r)
		checkOrders(t, ctx, r, n)
	})
}

// checkReasons checks each fault's reason and line.
func checkReasons(t *testing.T, r *shopify.Report) {
	t.Helper()
	for record, want := range map[string]string{
		"comma": `"12,50" is not an amount in EUR`, "thousand": `"1,250.00" is not an amount`,
		"fraction": `"1.255" is not an amount`,
		"no-title": "title: The text is blank.", "gift": "gift cards",
		"hidden": `"hidden" is not`,
		"mug-0":  "repeats line 2", "free": "Variant Price is missing", "twins": "2 variants, but no option",
		"last":               "which may belong to it",
		"ana.0@mail.example": "its Email repeats line 2", "not an address": "email:",
		"#F0": `its currency is "USD"`, "#F2": `unknown value "promised"`,
		"#F3": `unknown value "lost"`, "#F4": "Created At is missing", "#F5": "not a time such as",
		"#F7": "Lineitem Name is missing", "#F8": `"a lot" is not an amount`, "#F9": "its Id repeats line",
		"#F10": "Outstanding Balance", "#F12": "in the future", "#F13": "email:",
	} {
		found := slices.ContainsFunc(r.Left, func(f shopify.Finding) bool {
			return f.Record == record && f.Line > 1 && f.File != "" && strings.Contains(f.Reason, want)
		})
		if !found {
			t.Errorf("%s is not left out since %q", record, want)
		}
	}
	for record, want := range map[string]string{
		"long": "the title is shortened to 255", "many-tags": "10 tags above 50", "#F1": "the rest is 64.11",
		"#F6": "has quantity 0", "#F11": "its note is shortened",
	} {
		if !slices.ContainsFunc(r.Notes, func(f shopify.Finding) bool {
			return f.Record == record && strings.Contains(f.Reason, want)
		}) {
			t.Errorf("of %s it is not noted that %s", record, want)
		}
	}
	for _, want := range []string{"the line has 2 cells", "not UTF-8", `missing " in`, "it has no Handle"} {
		if !slices.ContainsFunc(r.Left, func(f shopify.Finding) bool { return strings.Contains(f.Reason, want) }) {
			t.Errorf("nothing is left out since %q:\n%v", want, r.Left)
		}
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
		*p.ImageURL != "https://cdn.example/1.jpg?v=1" || p.PriceMinor != 1250 || len(p.Variants) != 2 {
		t.Errorf("%+v, %q", p, *p.Description)
	}
	small, medium := p.Variants[0], p.Variants[1]
	if *small.InventoryQuantity != 7 || *small.WeightGrams != 250 || *small.CompareAtPriceMinor != 1500 ||
		*medium.InventoryQuantity != 0 || medium.PriceMinor != 1300 {
		t.Errorf("variants: %+v, %+v", small, medium)
	}
}

// checkOrders checks the states and sums of orders with each kind of history.
func checkOrders(t *testing.T, ctx context.Context, r *graph.Resolver, n int) {
	t.Helper()
	list, err := r.Store.DB(ctx).Order.Query().Order(db.Asc(order.FieldNumber)).All(ctx)
	if err != nil || len(list) != 2*n+3 {
		t.Fatalf("%d orders, %v", len(list), err)
	}
	type sums struct {
		Status      state.OrderStatus
		Money       state.FinancialStatus
		Goods       state.FulfillmentStatus
		Total, Paid int64
		Refunded    int64
	}
	for i, want := range []sums{
		{state.OrderCompleted, state.FinancialPaid, state.FulfillmentFulfilled, 3489, 3489, 0},
		{state.OrderOpen, state.FinancialPending, state.FulfillmentUnfulfilled, 3489, 0, 0},
		{state.OrderCompleted, state.FinancialPartiallyRefunded, state.FulfillmentFulfilled, 3489, 3489, 500},
		{state.OrderCancelled, state.FinancialRefunded, state.FulfillmentUnfulfilled, 3489, 3489, 3489},
		{state.OrderCancelled, state.FinancialVoided, state.FulfillmentUnfulfilled, 3489, 0, 0},
		{state.OrderOpen, state.FinancialPaid, state.FulfillmentPartiallyFulfilled, 3489, 3489, 0},
		{state.OrderOpen, state.FinancialPartiallyPaid, state.FulfillmentUnfulfilled, 3489, 3000, 0},
		{state.OrderCompleted, state.FinancialPaid, state.FulfillmentFulfilled, 3010, 3010, 0},
	} {
		o := list[i]
		got := sums{o.Status, o.FinancialStatus, o.FulfillmentStatus, o.TotalMinor, o.PaidMinor, o.RefundedMinor}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order %d: %s", i, diff)
		}
	}
	o := list[0]
	if o.DiscountMinor != 280 || o.TaxMinor != 479 || o.ShippingMinor != 490 || o.CustomerID == nil ||
		o.PlacedAt.String() != "2024-01-31T16:05:09.000000Z" || o.Source != "shopify" || *o.ExternalNumber != "#1001" ||
		string(o.Tags) != "[]" {
		t.Errorf("%+v", o)
	}
	if got := graphtest.LastEvent(t, ctx, r, o.ID); !strings.Contains(got, `"type":"order.completed"`) {
		t.Errorf("the last event is %s", got)
	}
}

// TestImportLimits: three options and as many variants as a product can have are imported; of one
// more, so many are, with a note.
func TestImportLimits(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		dir := t.TempDir()
		var list []cells
		for handle, n := range map[string]int{"most": limit.Variants, "more": limit.Variants + 1} {
			for i, v := range graphtest.Grid(n).Variants {
				row := cells{"Handle": handle, "Option1 Value": v.Options[0], "Option2 Value": v.Options[1],
					"Option3 Value": v.Options[2], "Variant Price": "10.00"}
				if i == 0 {
					row = row.with("Title", handle, "Status", "draft", "Option1 Name", "One", "Option2 Name", "Two",
						"Option3 Name", "Three")
				}
				list = append(list, row)
			}
		}
		head := slices.Concat(productHead, []string{"Option2 Name", "Option2 Value", "Option3 Name", "Option3 Value"})
		write(t, filepath.Join(dir, "products_export.csv"), head, list)
		report := importAll(t, ctx, r, dir, true)
		if len(report.Left) != 0 || len(report.Notes) != 1 || report.Notes[0].Record != "more" ||
			report.Notes[0].Reason != "1 variants above 2000 are not imported" {
			t.Errorf("left out: %v, noted: %v", report.Left, report.Notes)
		}
		n := graphtest.Must[int](t)(r.Client(ctx).Variant.Query().Count(ctx))
		if n != 2*limit.Variants {
			t.Errorf("%d variants came over", n)
		}
	})
}

// A problem of a file, rather than a record, is an error that names the file.
func TestFilesRefused(t *testing.T) {
	for name, tc := range map[string]struct{ file, text, want string }{
		"nothing":        {"notes.txt", "", "contains no exports"},
		"empty":          {"orders.csv", "", "orders.csv is empty"},
		"other columns":  {"orders.csv", "Name,Total\n", "lacks the columns currency"},
		"another script": {"customers.csv", "\xff\xfeN\x00", "UTF-16"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, tc.file), []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := shopify.Run(t.Context(), shopify.Config{Store: &db.Store{Currency: "EUR"}, Dir: dir})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

// A device has no end, and a pipe would block the import.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "orders.csv")); err != nil {
		t.Fatal(err)
	}
	_, err := shopify.Run(t.Context(), shopify.Config{Store: &db.Store{Currency: "EUR"}, Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Error(err)
	}
}

// TestOldLines: lines may end with single carriage returns, and telephone numbers are read with and
// without a spreadsheet's apostrophe.
func TestOldLines(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		dir := t.TempDir()
		text := "First Name,Last Name,Email,Phone\rAda,'t Hooft,ada@example.com,+49 30 1\r" +
			"Bob,B,bob@example.com,'+49 30 1\r"
		if err := os.WriteFile(filepath.Join(dir, "customers_export.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		report := importAll(t, ctx, r, dir, true)
		list := graphtest.Must[[]*db.Customer](t)(r.Client(ctx).Customer.Query().All(ctx))
		if len(list) != 2 || len(report.Left) > 0 {
			t.Fatalf("%d customers, left out %v", len(list), report.Left)
		}
		for _, c := range list {
			if c.Phone == nil || *c.Phone != "+49 30 1" {
				t.Errorf("%v: %v", c.LastName, c.Phone)
			}
		}
	})
}
