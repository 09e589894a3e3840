package model

import "github.com/storefront-go/storefront/ent/db"

// Return is a return with its order and its files, sorted by position.
type Return struct {
	*db.OrderReturn
	Order *Order
	// Exchange is the order that the shopper got in exchange, nil for none.
	Exchange *Order
	Files    []*db.ReturnFile
}

// Label returns the uploaded label, or nil.
func (r *Return) Label() *db.ReturnFile {
	if len(r.Files) > 0 && r.Files[0].Position == 0 {
		return r.Files[0]
	}
	return nil
}

// Photos returns the photos of the shopper.
func (r *Return) Photos() []*db.ReturnFile {
	if r.Label() != nil {
		return r.Files[1:]
	}
	return r.Files
}
