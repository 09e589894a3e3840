package model

import (
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
)

// Invitation asks somebody to join the store.
type Invitation struct{ *db.Invitation }

// Status is how the invitation stands: one that may no longer be answered has expired,
// whether anybody has noticed or not.
func (i *Invitation) Status() InvitationStatus {
	switch {
	case i.Outcome != nil:
		return InvitationStatus(strings.ToUpper(string(*i.Outcome)))
	case i.ExpiresAt <= micros.Now():
		return InvitationStatusExpired
	}
	return InvitationStatusPending
}
