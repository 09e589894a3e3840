package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/discount"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// discountInput returns an input for an import of discounts.
func discountInput(file string) model.ImportStartInput {
	in := input(file)
	in.Kind = state.ImportDiscounts
	return in
}

func discountOf(t testing.TB, p *graphtest.Shop, code string) *db.Discount {
	t.Helper()
	query := p.Client(p.Ctx).Discount.Query().Where(discount.Code(code))
	return graphtest.Must[*db.Discount](t)(core.Only(query.Load(p.Ctx)))
}

// TestDiscounts: a discount is found by its code, keeps what the file does not have, and is changed only
// if it differs.
func TestDiscounts(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		unknown := xid.Collection.Format(xid.New())
		file := "code,kind,percent,amount,uses_max,collection_ids\nten,percent,10,,5,\nfive,amount,,5.00,,\n" +
			"ship,free_shipping,,,,\nx,percent,10,,,\nhalf,,50,,,\nnone,amount,,,,\nlist,percent,10,,," + unknown + "\n" +
			"TEN,percent,10,,5,\n"
		want := [5]int64{3, 0, 1, 4}
		dry := discountInput(file)
		dry.DryRun = true
		if i := run(t, p, dry); counts(i) != [5]int64{4, 0, 0, 4} { // it keeps no row before one that fails
			t.Errorf("dry: %v, %q", counts(i), findings(t, p, i))
		}
		i := run(t, p, discountInput(file))
		ten := discountOf(t, p, "TEN")
		if counts(i) != want || *ten.BasisPoints != 1000 || *ten.UsesMax != 5 || !ten.Active {
			t.Errorf("%v, %v, %q", counts(i), ten, findings(t, p, i))
		}
		if again := run(t, p, discountInput(file)); counts(again) != [5]int64{0, 0, 4, 4} {
			t.Errorf("again: %v", counts(again))
		}
		i = run(t, p, discountInput("code,active\nten,no\n"))
		ten = discountOf(t, p, "TEN")
		if counts(i) != [5]int64{0, 1} || ten.Active || *ten.UsesMax != 5 || ten.Version != 2 {
			t.Errorf("%v, %v", counts(i), ten)
		}
		other := p.Other(t)
		lines := string(wire.AppendDiscount(nil, ten)) + "\n{\"code\":\"A\"}\n{\"kind\":\"percent\"}\n"
		if i := run(t, other, discountInput(lines)); counts(i) != [5]int64{1, 0, 0, 2} {
			t.Errorf("into another store: %v, %q", counts(i), findings(t, other, i))
		}
		key := graphtest.AsKey(p.Ctx, scope.ImportsWrite, scope.ProductsWrite, scope.DiscountsRead)
		_, err := p.Mutation().ImportStart(key, discountInput(file))
		if graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("without discounts.write: %v", err)
		}
		if log := p.Audited(t); !strings.Contains(log, "discount.create") {
			t.Error(log)
		}
	})
}

// TestDiscountsKilled: an import that is killed at each chunk creates every discount once.
func TestDiscountsKilled(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		const rows = 250
		var file strings.Builder
		file.WriteString("code,kind,percent\n")
		for n := range rows {
			fmt.Fprintf(&file, "CODE-%d,percent,10\n", n)
		}
		i := killed(t, p, discountInput(file.String()))
		n := graphtest.Must[int](t)(p.Client(p.Ctx).Discount.Query().Count(p.Ctx))
		if counts(i) != [5]int64{rows} || n != rows {
			t.Errorf("%v, %d discounts", counts(i), n)
		}
	})
}
