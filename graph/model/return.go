package model

import "github.com/storefront-go/storefront/ent/db"

// Return is a return with its order.
type Return struct {
	*db.OrderReturn
	Order *Order
	// Exchange is the order that the shopper got in exchange, nil for none.
	Exchange *Order
}
