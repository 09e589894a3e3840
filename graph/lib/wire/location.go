package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	docs "github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
)

// AppendLocation appends a location.
func AppendLocation(b []byte, l *db.Location) []byte {
	o := Open(b)
	o.ID("id", xid.Location, l.ID)
	o.Str("name", l.Name)
	o.Raw("address", l.Address)
	o.Bool("is_default", l.ID == l.StoreID)
	o.Int("position", int64(l.Position))
	o.Bool("sells_online", l.SellsOnline)
	o.Bool("picks_up", l.PicksUp)
	o.TimeOpt("closed_at", l.ClosedAt)
	o.Int("version", l.Version)
	o.Time("created_at", l.ID.Time())
	o.Time("updated_at", l.UpdatedAt)
	return o.Close()
}

// appendAllocations appends the locations that the stock of a line was taken from.
func (o *Object) appendAllocations(list []*docs.Allocation) {
	o.Name("allocations")
	o.B = append(o.B, '[')
	for i, a := range list {
		if i > 0 {
			o.B = append(o.B, ',')
		}
		part := Open(o.B)
		part.Plain("location_id", a.LocationID)
		part.Int("quantity", a.Quantity)
		part.Int("fulfilled_quantity", a.FulfilledQuantity)
		o.B = part.Close()
	}
	o.B = append(o.B, ']')
}

// Allocations returns the locations that the stock of an order was taken from, by the public ids of its
// lines; nil for none.
func Allocations(o *db.Order) (map[string][]*docs.Allocation, error) {
	all, err := o.Allocations.List()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	by := map[string][]*docs.Allocation{}
	for _, a := range all {
		by[a.LineID] = append(by[a.LineID], &a)
	}
	return by, nil
}
