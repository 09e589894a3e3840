package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
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
	return o.Close()
}
