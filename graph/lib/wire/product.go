package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/variants"
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
	o.Name("images")
	o.B = AppendImages(o.B, p)
	o.Bool("requires_shipping", p.RequiresShipping)
	o.Plain("tax_category", p.TaxCategory)
	o.Plain("description_format", string(p.DescriptionFormat))
	o.StrOpt("barcode", p.Barcode)
	o.Raw("maker", p.Maker)
	o.List("videos", p.Videos)
	o.customFields(p.CustomFields)
	return o.Close()
}

// AppendVariants appends the array of a product's variants. Variants of a product with options have
// to be loaded before, see [variants.Load].
func AppendVariants(b []byte, p *db.Product) []byte {
	b = append(b, '[')
	if p.Options == nil {
		own := variants.Own(p)
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
	o.IDOpt("image", xid.ProductImage, v.ImageID)
	o.StrOpt("tax_category", v.TaxCategory)
	o.StrOpt("barcode", v.Barcode)
	o.Name("prices")
	o.B = appendPrices(o.B, variants.Steps(v))
	o.customFields(v.CustomFields)
	return o.Close()
}

// appendPrices appends what shoppers pay for a variant, and from when.
func appendPrices(b []byte, steps []variants.Price) []byte {
	b = append(b, '[')
	for i, s := range steps {
		if i > 0 {
			b = append(b, ',')
		}
		o := Open(b)
		var from *micros.Time
		if s.From > 0 {
			from = new(micros.Time(s.From))
		}
		o.TimeOpt("from", from)
		o.Int("price_minor", s.PriceMinor)
		o.IntOpt("compare_at_price_minor", s.CompareAtMinor)
		o.IntOpt("lowest_price_minor", s.LowestMinor)
		b = o.Close()
	}
	return append(b, ']')
}

// AppendImages appends the array of a product's uploaded images, which have to be loaded before,
// with their addresses.
func AppendImages(b []byte, p *db.Product) []byte {
	b = append(b, '[')
	for i, img := range p.Images {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendImage(b, img)
	}
	return append(b, ']')
}

func appendImage(b []byte, img *db.ProductImage) []byte {
	o := Open(b)
	o.ID("id", xid.ProductImage, img.ID)
	o.Str("url", img.URL)
	if img.Alt == "" {
		o.Null("alt")
	} else {
		o.Str("alt", img.Alt)
	}
	o.Int("width", int64(img.Width))
	o.Int("height", int64(img.Height))
	o.Int("position", int64(img.Position))
	return o.Close()
}
