package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/goods"
)

// AppendProduct appends a product.
func AppendProduct(b []byte, p *db.Product) []byte {
	o := Open(b)
	o.ID("id", xid.Product, p.ID)
	o.Str("title", p.Title)
	o.Plain("handle", p.Handle)
	o.StrOpt("description", p.Description)
	o.Plain("status", string(p.Status))
	o.Int("price_minor", p.PriceMinor)
	o.IntOpt("compare_at_price_minor", p.CompareAtPriceMinor)
	o.Plain("currency", p.Currency)
	o.StrOpt("sku", p.Sku)
	o.StrOpt("vendor", p.Vendor)
	o.StrOpt("product_type", p.ProductType)
	o.Raw("tags", p.Tags)
	o.IntOpt("inventory_quantity", p.InventoryQuantity)
	o.StrOpt("image_url", p.ImageURL)
	o.TimeOpt("published_at", p.PublishedAt)
	o.Int("version", p.Version)
	o.Time("created_at", p.ID.Time())
	o.Time("updated_at", p.UpdatedAt)
	o.List("options", p.Options)
	o.Name("variants")
	o.B = AppendVariants(o.B, p)
	return o.Close()
}

// AppendVariants appends the array of a product's variants. Those of a product with
// options have to be read before, see [goods.Load].
func AppendVariants(b []byte, p *db.Product) []byte {
	b = append(b, '[')
	if p.Options == nil {
		own := goods.Own(p)
		return append(appendVariant(b, &own), ']')
	}
	for i, v := range p.Variants {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendVariant(b, v)
	}
	return append(b, ']')
}

func appendVariant(b []byte, v *db.Variant) []byte {
	o := Open(b)
	o.ID("id", xid.Variant, v.ID)
	o.Str("title", v.Title)
	o.StrOpt("sku", v.Sku)
	o.Int("price_minor", v.PriceMinor)
	o.IntOpt("compare_at_price_minor", v.CompareAtPriceMinor)
	o.IntOpt("inventory_quantity", v.InventoryQuantity)
	o.IntOpt("weight_grams", v.WeightGrams)
	o.Raw("options", v.Options)
	o.Int("position", int64(v.Position))
	return o.Close()
}
