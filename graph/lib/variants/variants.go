// Package variants reads and summarizes the variants of products. A product without options has
// exactly one: its own row, with its own id. Variants of a product with options are separate rows,
// loaded along with it.
package variants

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
)

// none are the option texts of a variant that is the product itself.
var none = document.NewTags(nil)

// Own returns the only variant of a product without options. Its title is the product's.
func Own(p *db.Product) db.Variant {
	return db.Variant{
		StoreID: p.StoreID, ID: p.ID, ProductID: p.ID, Position: 1, Options: none, Title: p.Title,
		PriceMinor: p.PriceMinor, CompareAtPriceMinor: p.CompareAtPriceMinor, Sku: p.Sku,
		InventoryQuantity: p.InventoryQuantity, WeightGrams: p.WeightGrams, Barcode: p.Barcode, CostMinor: p.CostMinor,
		SalePriceMinor: p.SalePriceMinor, Prices: p.Prices, CustomFields: p.VariantCustomFields,
		Levels: p.Levels,
	}
}

// TaxCategory returns the tax category of a variant: its own, or else the product's.
func TaxCategory(p *db.Product, v *db.Variant) string { return *cmp.Or(v.TaxCategory, &p.TaxCategory) }

// Of returns the variants of a product by position. Variants of a product with options have to be
// loaded before, see [Load].
func Of(p *db.Product) []*db.Variant {
	if p.Options != nil {
		return p.Variants
	}
	own := Own(p)
	return []*db.Variant{&own}
}

// Load loads the variants of the products that have options, in one statement, or none if no
// product has options.
func Load(ctx context.Context, c *db.Client, products ...*db.Product) error {
	return load(ctx, c, products)
}

// LoadOnly is [Load] of the variants with the ids.
func LoadOnly(ctx context.Context, c *db.Client, ids []xid.ID, products ...*db.Product) error {
	return load(ctx, c, products, variant.IDIn(ids...))
}

func load(ctx context.Context, c *db.Client, products []*db.Product, where ...predicate.Variant) error {
	of := map[xid.ID]*db.Product{}
	var ids []xid.ID
	for _, p := range products {
		if p.Options != nil && of[p.ID] == nil {
			of[p.ID], p.Variants = p, nil
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	q := c.Variant.Query().Where(append(where, variant.ProductIDIn(ids...))...)
	q.Modify(ent.ForceIndex(ent.Primary))
	rows, err := q.Load(ctx)
	if err != nil {
		return fmt.Errorf("read variants: %w", err)
	}
	for _, v := range rows {
		p := of[v.ProductID]
		p.Variants = append(p.Variants, v)
	}
	for _, p := range of {
		slices.SortFunc(p.Variants, func(a, b *db.Variant) int { return cmp.Compare(a.Position, b.Position) })
	}
	return nil
}

// atOnce bounds the variants of a group of products.
const atOnce = 10_000

// Groups divides products into groups that together have few enough variants to be in memory at the
// same time. Code that walks many products loads the variants of one group after another.
func Groups(products []*db.Product) iter.Seq2[[]*db.Product, error] {
	return func(yield func([]*db.Product, error) bool) {
		begin, sum := 0, 0
		for i, p := range products {
			n, err := possible(p)
			if err != nil {
				yield(nil, fmt.Errorf("options of %s: %w", p.PublicID(), err))
				return
			}
			if i > begin && sum+n > atOnce {
				if !yield(products[begin:i], nil) {
					return
				}
				begin, sum = i, 0
			}
			sum += n
		}
		if begin < len(products) {
			yield(products[begin:], nil)
		}
	}
}

// possible returns how many variants a product can have: the combinations of its options, or the
// limit.
func possible(p *db.Product) (int, error) {
	options, err := p.Options.List()
	n := 1
	for _, o := range options {
		n = min(n*len(o.Values), limit.Variants)
	}
	return n, err
}

// Title returns the title of a variant with the option texts.
func Title(texts []string) string { return strings.Join(texts, " / ") }

// Combination returns the digest of a variant's options, which is unique within its product.
func Combination(options document.Tags) digest.Sum { return digest.Of(options) }

// Sum is what the row of a product with options stores about its variants, for lists, cards and
// filters.
type Sum struct {
	// Price is the lowest price, Compared the compare-at price of the first variant that has it.
	Price    int64
	Compared *int64
	// Highest is the highest price, nil if all are the same.
	Highest *int64
	// Inventory is the total stock, nil if any variant is not tracked: then the product is always
	// available.
	Inventory *int64
}

// Total summarizes variants, at least one.
func Total(variants []*db.Variant) Sum {
	s := Sum{Price: variants[0].PriceMinor, Compared: variants[0].CompareAtPriceMinor}
	highest, stock, tracked := s.Price, int64(0), true
	for _, v := range variants {
		if v.PriceMinor < s.Price {
			s.Price, s.Compared = v.PriceMinor, v.CompareAtPriceMinor
		}
		highest = max(highest, v.PriceMinor)
		if v.InventoryQuantity == nil {
			tracked = false
			continue
		}
		stock += *v.InventoryQuantity
	}
	if highest > s.Price {
		s.Highest = &highest
	}
	if tracked {
		s.Inventory = &stock
	}
	return s
}
