package shopify_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/cmd/internal/shopify"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// reasons returns the notes of a report by record.
func reasons(r *shopify.Report) map[string][]string {
	by := map[string][]string{}
	for _, f := range r.Notes {
		by[f.Record] = append(by[f.Record], f.Reason)
	}
	return by
}

// TestImportProductParts: a product is imported as far as possible, and the rest is noted.
func TestImportProductParts(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		dir := t.TempDir()
		plain := cells{"Handle": "ebook", "Title": "An\te-book\x0b ", "Status": "unlisted", "Variant Price": "9.00",
			"Variant Requires Shipping": "false", "Variant Grams": "453.59237", "Variant Barcode": "4006381333931",
			"SEO Title": "Read me", "Cost per item": "1.00", "Image Alt Text": "a book",
			"Body (HTML)": `<h2>About</h2><p>See <a href="https://books.example/1">here</a>.</p><img src="x">`}
		head := slices.Concat(productHead, []string{"Variant Requires Shipping", "Variant Barcode", "SEO Title",
			"Cost per item", "Image Alt Text"})
		write(t, filepath.Join(dir, "products.csv"), head, []cells{plain,
			plain.with("Handle", "heavy", "Variant Grams", "15000.0", "Variant Requires Shipping", "true",
				"Variant Barcode", "4006381333932"),
			plain.with("Handle", "last")}, // an unreadable row may belong to it
			"caf\xe9"+strings.Repeat(",", len(head)-1), "th\xe9"+strings.Repeat(",", len(head)-1))
		report := importAll(t, ctx, r, dir, true)
		if len(report.Left) != 2 || report.Kinds[0].Left != 3 {
			t.Errorf("a broken encoding is said %d times of %d lines", len(report.Left), report.Kinds[0].Left)
		}
		want := []string{"the images in its description are not imported", "it is unlisted and is imported as a draft",
			"not imported: Seo Title, Image Alt Text"}
		if diff := cmp.Diff(want, reasons(report)["ebook"]); diff != "" {
			t.Error(diff)
		}
		list := graphtest.Must[[]*db.Product](t)(r.Client(ctx).Product.Query().Order(db.Asc("handle")).All(ctx))
		if len(list) != 2 || list[0].Title != "An e-book" || list[0].RequiresShipping || *list[0].WeightGrams != 454 ||
			*list[0].Description != "About\n\nSee here (https://books.example/1)." || *list[1].WeightGrams != 15_000 ||
			!list[1].RequiresShipping || *list[0].Barcode != "4006381333931" || *list[0].CostMinor != 100 ||
			list[1].Barcode != nil || len(reasons(report)["heavy"]) != 4 {
			t.Errorf("%q, %q, %+v", list[0].Title, *list[0].Description, list)
		}
	})
}

// TestImportOrderParts: orders keep their numbers and totals, and no number of the store's own is
// among them.
func TestImportOrderParts(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		dir := t.TempDir()
		head := slices.Concat(orderHead, []string{"Duties", "Discount Code", "Paid at"})
		write(t, filepath.Join(dir, "orders.csv"), head, slices.Concat(
			whole("#1007", "Total", "39.89", "Financial Status", "paid", "Discount Code", "SUMMER",
				"Paid at", "2024-01-31 18:00:00 +0100"), // a tip of 5.00
			whole("#1005", "Total", "34.88"), whole("EN-1003", "Total", "36.89", "Duties", "2.00"),
			whole("DE20240131001", "Lineitem quantity", "0", "Total", "9.89", "Discount Amount", "0", "Taxes", "1.99",
				"Financial Status", "pending", "Fulfillment Status", "")))
		s := graphtest.Must[*db.Store](t)(r.Store.DB(ctx).Store.Query().Only(ctx))
		report, err := shopify.Run(ctx, shopify.Config{Core: r, Store: s, Dir: dir, Apply: true, Continue: true})
		if err != nil || len(report.Left) != 0 {
			t.Fatal(report, err)
		}
		list := graphtest.Must[[]*db.Order](t)(r.Client(ctx).Order.Query().Order(db.Asc(order.FieldNumber)).All(ctx))
		var got []string
		for _, o := range list {
			got = append(got, fmt.Sprintf("%d %s %d %d", o.Number, *o.ExternalNumber, o.TotalMinor, o.PaidMinor))
		}
		want := []string{"1008 #1007 3989 3989", "1009 #1005 3488 3488", "1010 EN-1003 3689 3689",
			"1011 DE20240131001 989 0"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		notes := graphtest.Must[[]*db.Note](t)(r.Client(ctx).Note.Query().All(ctx))
		if len(notes) != 2 || !slices.ContainsFunc(notes, func(n *db.Note) bool {
			return n.Body == "Discount Code: SUMMER\nPaid At: 2024-01-31 18:00:00 +0100"
		}) {
			t.Errorf("notes: %v", notes)
		}
		if len(reasons(report)) != 4 || !strings.Contains(reasons(report)["#1005"][0], "the rest is -0.01") {
			t.Errorf("noted: %v", reasons(report))
		}
	})
}
