package wire

import (
	"cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// AppendInventory appends the stock of a product. Variants of a product with options have to be loaded
// before.
func AppendInventory(b []byte, p *db.Product) []byte {
	o := Open(b)
	o.ID("product_id", xid.Product, p.ID)
	o.Str("title", p.Title)
	o.Name("variants")
	o.B = append(o.B, '[')
	for i, v := range variants.Of(p) {
		if i > 0 {
			o.B = append(o.B, ',')
		}
		l := Open(o.B)
		l.ID("variant_id", xid.Variant, v.ID)
		l.Str("title", v.Title)
		l.StrOpt("sku", v.Sku)
		l.IntOpt("quantity", v.InventoryQuantity)
		l.places(v)
		o.B = l.Close()
	}
	o.B = append(o.B, ']')
	o.Time("updated_at", p.UpdatedAt)
	return o.Close()
}

// places appends the stock of a variant by location.
func (o *Object) places(v *db.Variant) {
	o.Name("locations")
	o.B = append(o.B, '[')
	for i, p := range variants.Places(v) {
		if i > 0 {
			o.B = append(o.B, ',')
		}
		l := Open(o.B)
		l.ID("location_id", xid.Location, p.Location)
		l.Int("quantity", p.Quantity)
		o.B = l.Close()
	}
	o.B = append(o.B, ']')
}

// AppendInventoryLevel appends the stock of a variant, as events have it. Its levels have to be loaded
// before.
func AppendInventoryLevel(b []byte, p *db.Product, v *db.Variant) []byte {
	o := Open(b)
	o.ID("product_id", xid.Product, p.ID)
	o.ID("variant_id", xid.Variant, v.ID)
	o.Str("title", v.Title)
	o.StrOpt("sku", v.Sku)
	o.IntOpt("quantity", v.InventoryQuantity)
	o.places(v)
	return o.Close()
}

// AppendInventoryChange appends a change of the stock of a variant.
func AppendInventoryChange(b []byte, c *db.InventoryChange) []byte {
	o := Open(b)
	o.ID("product_id", xid.Product, c.ProductID)
	o.ID("variant_id", xid.Variant, c.VariantID)
	o.ID("location_id", xid.Location, *cmp.Or(c.LocationID, &c.StoreID))
	o.IntOpt("before", c.Before)
	o.IntOpt("after", c.After)
	o.StrOpt("reason", c.Reason)
	o.StrOpt("reference", c.Reference)
	o.Time("created_at", c.ID.Time())
	return o.Close()
}
