package model

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
)

// PriceChange is the end of the prices of a variant.
type PriceChange struct{ *db.PriceChange }

// Until returns until when they applied.
func (c *PriceChange) Until() micros.Time { return c.ID.Time() }
