package model

import (
	"cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// InventoryChange is a change of the stock of a variant.
type InventoryChange struct{ *db.InventoryChange }

// Actor returns the person, app or key that made the change.
func (c *InventoryChange) Actor() *Author {
	return &Author{Type: c.ActorType, ID: wire.ActorID(c.ActorType, c.ActorID), Name: c.ActorName}
}

// PublicPlace returns the public id of the location where the stock changed.
func (c *InventoryChange) PublicPlace() string {
	return xid.Location.Format(*cmp.Or(c.LocationID, &c.StoreID))
}

// CreatedAt returns when the stock changed.
func (c *InventoryChange) CreatedAt() micros.Time { return c.ID.Time() }
