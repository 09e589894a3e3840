package catalog

import (
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// variantPlan holds the new variants of a product, validated except for their ids, which depend on
// its present ones.
type variantPlan struct {
	options  document.Options // nil without options
	variants []*model.ProductVariantInput
}

// rows returns the variants of the product; existing ones keep their ids.
func (p *variantPlan) rows(c *core.Check, of *db.Product) []*db.Variant {
	present := byID(variants.Of(of))
	rows := make([]*db.Variant, len(p.variants))
	for i, in := range p.variants {
		next := &db.Variant{
			StoreID: of.StoreID, ID: xid.New(), ProductID: of.ID, Position: i + 1,
			Options: document.NewTags(in.Options), Title: variants.Title(in.Options),
			PriceMinor: in.PriceMinor, CompareAtPriceMinor: in.CompareAtPriceMinor, Sku: in.Sku,
			InventoryQuantity: in.InventoryQuantity, WeightGrams: in.WeightGrams,
			TaxCategory: in.TaxCategory,
		}
		core.Opt(in.ID, func(text string) {
			named, err := xid.Variant.Parse(text)
			v := present[named]
			if err != nil || v == nil {
				c.Add("variants/"+strconv.Itoa(i)+"/id", fault.UnknownValue, "The product does not have this variant.")
				return
			}
			next.ID, next.ImageID, next.Barcode, next.CostMinor = v.ID, v.ImageID, v.Barcode, v.CostMinor
			next.SalePriceMinor, next.Prices, next.CustomFields = v.SalePriceMinor, v.Prices, v.CustomFields
		})
		set(&next.Barcode, in.Barcode)
		set(&next.CostMinor, in.CostMinor)
		rows[i] = next
	}
	if p.options == nil { // the product is its own variant
		rows[0].ID, rows[0].Title, rows[0].ImageID = of.ID, of.Title, nil
	}
	return rows
}

func checkVariants(c *core.Check, options []*document.Option, variants []*model.ProductVariantInput) *variantPlan {
	checkOptions(c, options)
	switch n := len(variants); {
	case n == 0:
		c.Add("variants", fault.TooShort, "A product must have at least one variant.")
	case n > limit.Variants:
		c.Add("variants", fault.TooLong, "A product can have at most "+strconv.Itoa(limit.Variants)+" variants.")
	case n > 1 && len(options) == 0:
		c.Add("variants", fault.TooLong, "A product without options must have exactly one variant.")
	default:
		checkVariantList(c, options, variants)
	}
	return &variantPlan{options: optionsOf(options), variants: variants}
}

func checkOptions(c *core.Check, options []*document.Option) {
	if len(options) > limit.Options {
		c.Add("options", fault.TooLong, "A product can have at most "+strconv.Itoa(limit.Options)+" options.")
		return
	}
	names := map[string]bool{}
	for i, o := range options {
		at := "options/" + strconv.Itoa(i) + "/"
		once(c, names, at+"name", o.Name, "option")
		switch n := len(o.Values); {
		case n == 0:
			c.Add(at+"values", fault.TooShort, "An option must have at least one value.")
		case n > limit.Variants:
			c.Add(at+"values", fault.TooLong, "An option can have at most "+strconv.Itoa(limit.Variants)+" values.")
		}
		values := map[string]bool{}
		for j, v := range o.Values[:min(len(o.Values), limit.Variants)] {
			once(c, values, at+"values/"+strconv.Itoa(j), v, "value")
		}
	}
}

func once(c *core.Check, seen map[string]bool, name, text, what string) {
	c.Line(name, text, limit.Label)
	if seen[text] {
		c.Add(name, fault.Taken, "Another "+what+" has the same name.")
	}
	seen[text] = true
}

func checkVariantList(c *core.Check, options []*document.Option, variants []*model.ProductVariantInput) {
	ids, combinations, stock := map[string]bool{}, map[string]bool{}, int64(0)
	values := make([]map[string]bool, len(options))
	for i, o := range options {
		values[i] = map[string]bool{}
		for _, text := range o.Values {
			values[i][text] = true
		}
	}
	for i, v := range variants {
		at := "variants/" + strconv.Itoa(i) + "/"
		core.Opt(v.ID, func(id string) {
			if ids[id] {
				c.Add(at+"id", fault.Taken, "Another variant has the same id.")
			}
			ids[id] = true
		})
		checkTexts(c, at, values, v.Options)
		combination := strings.Join(v.Options, "\x00") // no text contains a NUL
		if combinations[combination] {
			c.Add(at+"options", fault.Taken, "Another variant has the same options.")
		}
		combinations[combination] = true
		checkVariant(c, at, &v.PriceMinor, v.CompareAtPriceMinor, v.Sku, v.InventoryQuantity, v.WeightGrams)
		checkUnit(c, at, v.Barcode.Value(), v.CostMinor.Value())
		core.Opt(v.InventoryQuantity, func(n int64) { stock += min(n, limit.Inventory) })
	}
	checkStock(c, stock)
}

func checkTexts(c *core.Check, at string, values []map[string]bool, texts []string) {
	switch {
	case len(texts) < len(values):
		c.Add(at+"options", fault.TooShort, "A variant must have a value for each option.")
		return
	case len(texts) > len(values):
		c.Add(at+"options", fault.TooLong, "A variant must have exactly one value for each option.")
		return
	}
	for i, text := range texts {
		if !values[i][text] {
			c.Add(at+"options/"+strconv.Itoa(i), fault.UnknownValue, "The option does not have this value.")
		}
	}
}

func checkVariant(c *core.Check, at string, price, compared *int64, sku *string, inventory, weight *int64) {
	core.Opt(price, func(v int64) { c.Amount(at+"price_minor", v) })
	core.Opt(compared, func(v int64) { c.Amount(at+"compare_at_price_minor", v) })
	core.Opt(sku, func(s string) { c.Line(at+"sku", s, limit.Line) })
	core.Opt(inventory, func(v int64) { c.Within(at+"inventory_quantity", v, 0, limit.Inventory) })
	core.Opt(weight, func(v int64) { c.Within(at+"weight_grams", v, 0, limit.Weight) })
}

func checkVariantUpdate(c *core.Check, in *model.ProductVariantUpdateInput) {
	core.NotNull(c, "price_minor", in.PriceMinor, func(int64) {})
	checkVariant(c, "", in.PriceMinor.Value(), in.CompareAtPriceMinor.Value(), in.Sku.Value(),
		in.InventoryQuantity.Value(), in.WeightGrams.Value())
	checkUnit(c, "", in.Barcode.Value(), in.CostMinor.Value())
}

// checkStock checks the total stock of all variants, which is the product's.
func checkStock(c *core.Check, stock int64) {
	if stock > limit.Inventory {
		c.Add("variants", fault.OutOfRange,
			"The variants have more than "+strconv.FormatInt(limit.Inventory, 10)+" pieces together.")
	}
}

func stockFits(rows []*db.Variant) error {
	c, stock := &core.Check{}, int64(0)
	for _, v := range rows {
		core.Opt(v.InventoryQuantity, func(n int64) { stock += n })
	}
	checkStock(c, stock)
	return c.Err()
}

// checkNewVariants checks the options and variants of a new product. Its prices, SKU, stock and weight
// come from the variants, if they are given.
func checkNewVariants(c *core.Check, in *model.ProductCreateInput) *variantPlan {
	if len(in.Options) == 0 && len(in.Variants) == 0 {
		return nil
	}
	for i, v := range in.Variants {
		if v.ID != nil {
			c.Add("variants/"+strconv.Itoa(i)+"/id", fault.UnknownValue, "The product does not have this variant.")
		}
	}
	setOnVariants(c, "compare_at_price_minor", in.CompareAtPriceMinor != nil)
	setOnVariants(c, "sku", in.Sku != nil)
	setOnVariants(c, "inventory_quantity", in.InventoryQuantity != nil)
	setOnVariants(c, "weight_grams", in.WeightGrams != nil)
	setOnVariants(c, "barcode", in.Barcode != nil)
	setOnVariants(c, costMember, in.CostMinor != nil)
	return checkVariants(c, in.Options, in.Variants)
}

// setOnVariants refuses a member of a product whose variants are given.
func setOnVariants(c *core.Check, name string, given bool) {
	if given {
		c.Add(name, fault.UnknownMember, "Set this on the variants of the product.")
	}
}

// ownMembers refuses to change members that a product with options gets from its variants.
func ownMembers(p *db.Product, in *model.ProductUpdateInput) error {
	if p.Options != nil && (in.PriceMinor.IsSet() || in.CompareAtPriceMinor.IsSet() || in.Sku.IsSet() ||
		in.InventoryQuantity.IsSet() || in.WeightGrams.IsSet() || in.Barcode.IsSet() || in.CostMinor.IsSet()) {
		return fault.State(fault.HasVariants,
			"The product has options. Change the prices, SKU, barcode, stock and weight of its variants instead.")
	}
	return nil
}
