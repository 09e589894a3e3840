package model

import (
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
)

// Invitation is an invitation to join a store.
type Invitation struct{ *db.Invitation }

// Status returns the status of the invitation. An unanswered one is expired from its expiry time
// on, even if its row does not record it.
func (i *Invitation) Status() InvitationStatus {
	switch {
	case i.Outcome != nil:
		return InvitationStatus(strings.ToUpper(string(*i.Outcome)))
	case i.ExpiresAt <= micros.Now():
		return InvitationStatusExpired
	}
	return InvitationStatusPending
}
