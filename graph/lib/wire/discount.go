package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
)

// AppendDiscount appends a discount.
func AppendDiscount(b []byte, d *db.Discount) []byte {
	o := Open(b)
	o.ID("id", xid.Discount, d.ID)
	o.Str("code", d.Code)
	o.Plain("kind", string(d.Kind))
	o.IntOpt("basis_points", d.BasisPoints)
	o.IntOpt("amount_minor", d.AmountMinor)
	o.TimeOpt("starts_at", d.StartsAt)
	o.TimeOpt("ends_at", d.EndsAt)
	o.IntOpt("least_minor", d.LeastMinor)
	o.IntOpt("uses_max", d.UsesMax)
	o.IntOpt("customer_uses_max", d.CustomerUsesMax)
	o.Int("uses", d.Uses)
	o.List("collection_ids", d.Collections)
	o.Bool("active", d.Active)
	o.Int("version", d.Version)
	o.Time("created_at", d.ID.Time())
	o.Time("updated_at", d.UpdatedAt)
	return o.Close()
}
