package model

import (
	"sync"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Location is a place where a store keeps stock.
type Location struct{ *db.Location }

// IsDefault reports whether it is the location that every store has.
func (l *Location) IsDefault() bool { return l.ID == l.StoreID }

// CreatedAt returns when the location was created.
func (l *Location) CreatedAt() micros.Time { return l.ID.Time() }

// LocationStock is the stock of a variant at a location.
type LocationStock struct {
	LocationID string
	Quantity   int64
}

// Placed is an order whose allocations are decoded once for all of its lines.
type Placed struct {
	Order *db.Order
	once  sync.Once
	by    map[string][]*document.Allocation
	err   error
}

// Allocations returns the locations that the stock of the line was taken from.
func (l *LineItem) Allocations() ([]*document.Allocation, error) {
	p := l.Of
	if p == nil || p.Order == nil {
		return []*document.Allocation{}, nil
	}
	p.once.Do(func() { p.by, p.err = wire.Allocations(p.Order) })
	return append([]*document.Allocation{}, p.by[xid.OrderLine.Format(l.ID)]...), p.err
}
