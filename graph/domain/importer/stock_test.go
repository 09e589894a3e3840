package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// stockInput returns an input for an import of stock.
func stockInput(file string) model.ImportStartInput {
	in := input(file)
	in.Kind = state.ImportInventory
	return in
}

// stocked creates a product without options and one with two variants, and returns a reader of their
// stock: the mug, the small and the large shirt.
func stocked(t *testing.T, p *graphtest.Shop) (sku string, read func() string) {
	mug := graphtest.Mug()
	mug.Sku, mug.InventoryQuantity = new("MUG"), new(int64(5))
	own := graphtest.NewProduct(t, p.Ctx, p.Resolver, mug)
	shirt := graphtest.Shirt()
	shirt.Variants[0].Sku, shirt.Variants[0].InventoryQuantity = new("S"), new(int64(7))
	shirt.Variants[1].Sku, shirt.Variants[1].InventoryQuantity = new("L"), nil
	of := graphtest.NewProduct(t, p.Ctx, p.Resolver, shirt)
	id := xid.Variant.Format(of.Variants[0].ID)
	return id, func() string {
		text := ""
		for _, row := range []*db.Product{own, of} {
			whole := graphtest.Must[*db.Product](t)(p.ProductRow(p.Ctx, row.ID))
			list := []*int64{whole.InventoryQuantity}
			if whole.Options != nil {
				list = []*int64{whole.Variants[0].InventoryQuantity, whole.Variants[1].InventoryQuantity}
			}
			for _, n := range list {
				if text += " "; n == nil {
					text += "-"
					continue
				}
				text += fmt.Sprint(*n)
			}
		}
		return text[1:]
	}
}

const stockHead = "sku,variant_id,quantity,delta,expected,reference\n"

// TestStock: rows are applied once, in their order, and those that fail change nothing.
func TestStock(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		id, read := stocked(t, p)
		file := stockHead + "MUG,,9,,5,\nMUG,,,-20,,D0\n," + id + ",,3,,D1\n," + id + ",,3,,D1\nS,,,-1,,\nL,,,1,,D2\n" +
			"none,,1,,,\nS,,10,,,\nMUG,,8,,5,\n," + xid.Variant.Format(xid.New()) + ",1,,,\n"
		dry := stockInput(file)
		dry.DryRun = true
		want := [5]int64{0, 2, 2, 6}
		if i := run(t, p, dry); counts(i) != want || read() != "5 7 -" {
			t.Fatalf("%v, %q, the stock is %s", counts(i), findings(t, p, i), read())
		}
		i := run(t, p, stockInput(file))
		if counts(i) != want || read() != "9 10 -" || i.Link == nil {
			t.Fatalf("%v, %q, the stock is %s", counts(i), findings(t, p, i), read())
		}
		if got := strings.Join(findings(t, p, i), "\n"); !strings.Contains(got, "3 MUG false: There are only 9") ||
			!strings.Contains(got, "6 S false: reference: ") || !strings.Contains(got, "7 L false: delta: ") {
			t.Error(got)
		}
		if again := run(t, p, stockInput(file)); read() != "9 10 -" || again.UpdatedCount != 0 {
			t.Errorf("again: %v, the stock is %s", counts(again), read())
		}
		if log := p.Audited(t); !strings.Contains(log, "inventory.adjust") {
			t.Error(log)
		}
		changes := graphtest.Must[int](t)(p.Client(p.Ctx).InventoryChange.Query().Count(p.Ctx))
		if changes != 2 {
			t.Errorf("%d entries in the history", changes)
		}
	})
}

// TestStockLines: JSON Lines have the members of an adjustment.
func TestStockLines(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		_, read := stocked(t, p)
		file := `{"sku":"MUG","quantity":2,"reason":"Count"}` + "\n" + `{"sku":"MUG","quantity":2,"price":1}` + "\n[]\n" +
			`{"sku":"MUG","quantity":-2}` + "\n" + `{"sku":"L","quantity":4}` + "\n"
		if i := run(t, p, stockInput(file)); counts(i) != [5]int64{0, 2, 0, 3} || read() != "2 7 4" {
			t.Errorf("%v, %q, the stock is %s", counts(i), findings(t, p, i), read())
		}
	})
}

// TestStockOfOthers: an import needs its own scope, and reaches no other store and no file of another
// kind.
func TestStockOfOthers(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		_, read := stocked(t, p)
		other := p.Other(t)
		theirs := run(t, other, stockInput("sku,quantity\nMUG,1\n"))
		if counts(theirs) != [5]int64{0, 0, 0, 1} || read() != "5 7 -" {
			t.Errorf("%v, the stock is %s", counts(theirs), read())
		}
		key := graphtest.AsKey(p.Ctx, scope.ImportsWrite, scope.ProductsWrite)
		_, err := p.Mutation().ImportStart(key, stockInput("sku,quantity\nMUG,1\n"))
		if graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("with products.write: %v", err)
		}
		products := run(t, p, input(head))
		_, err = p.Mutation().ImportStart(p.Ctx, model.ImportStartInput{Kind: state.ImportInventory,
			Source: new(products.PublicID())})
		if graphtest.FieldOf(err) != "#/source unknown_value" {
			t.Errorf("a file of products: %v", err)
		}
	})
}

// TestStockKilled: an import of differences that is killed at each chunk applies each of them once.
func TestStockKilled(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		_, read := stocked(t, p)
		const rows = 350
		var file strings.Builder
		file.WriteString("sku,delta,reference\n")
		for n := range rows {
			fmt.Fprintf(&file, "MUG,1,D%d\n", n)
		}
		i := killed(t, p, stockInput(file.String()))
		if counts(i) != [5]int64{0, rows} || read() != fmt.Sprintf("%d 7 -", 5+rows) {
			t.Errorf("%v, the stock is %s", counts(i), read())
		}
	})
}
