package variants_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

func TestTotal(t *testing.T) {
	variant := func(price int64, compared, stock *int64) *db.Variant {
		return &db.Variant{PriceMinor: price, CompareAtPriceMinor: compared, InventoryQuantity: stock}
	}
	one, two := new(int64(1)), new(int64(2))
	for name, tc := range map[string]struct {
		variants []*db.Variant
		want     variants.Sum
	}{
		"one": {[]*db.Variant{variant(5, one, two)}, variants.Sum{Price: 5, Compared: one, Inventory: two}},
		"the lowest price": {[]*db.Variant{variant(9, nil, one), variant(5, two, one)},
			variants.Sum{Price: 5, Compared: two, Highest: new(int64(9)), Inventory: two}},
		"the first of one price": {[]*db.Variant{variant(5, nil, one), variant(5, two, one)},
			variants.Sum{Price: 5, Inventory: two}},
		"an untracked one": {[]*db.Variant{variant(5, nil, one), variant(5, nil, nil)}, variants.Sum{Price: 5}},
	} {
		if d := cmp.Diff(tc.want, variants.Total(tc.variants)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestOwn(t *testing.T) {
	p := &db.Product{ID: xid.New(), Title: "Mug", PriceMinor: 3, Sku: new("M"), WeightGrams: new(int64(4))}
	own := variants.Of(p)
	if len(own) != 1 || own[0].ID != p.ID || own[0].Title != "Mug" || own[0].Position != 1 ||
		string(own[0].Options) != "[]" || *own[0].Sku != "M" || *own[0].WeightGrams != 4 {
		t.Errorf("its own variant: %v", own)
	}
	p.Options = document.NewOptions([]document.Option{{Name: "Size", Values: []string{"S"}}})
	if got := variants.Of(p); len(got) != 0 {
		t.Errorf("variants that were not read: %v", got)
	}
}

// TestGroups: products are together while they have few variants, and a product is never divided.
func TestGroups(t *testing.T) {
	many := make([]string, 100)
	for i := range many {
		many[i] = strconv.Itoa(i)
	}
	small := document.NewOptions([]document.Option{{Name: "Size", Values: many}})
	large := document.NewOptions([]document.Option{{Name: "Size", Values: many}, {Name: "Color", Values: many}})
	var list []*db.Product
	for range 30 {
		list = append(list, &db.Product{}, &db.Product{Options: small})
	}
	for range 9 {
		list = append(list, &db.Product{Options: large})
	}
	var got []int
	for some, err := range variants.Groups(list) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, len(some))
	}
	if d := cmp.Diff([]int{63, 5, 1}, got); d != "" {
		t.Error(d)
	}
	for some, err := range variants.Groups([]*db.Product{{Options: document.Options("{")}}) {
		if err == nil {
			t.Errorf("broken options: %v", some)
		}
	}
}

// Two ways to split the same letters have different digests.
func TestCombination(t *testing.T) {
	a, b := document.NewTags([]string{"a", "bc"}), document.NewTags([]string{"ab", "c"})
	if variants.Combination(a) == variants.Combination(b) {
		t.Error("different combinations have one digest")
	}
	if got := variants.Title([]string{"M", "Black"}); got != "M / Black" {
		t.Errorf("the title is %q", got)
	}
}
