package model

import (
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// ActorID writes the id of whoever acted in its public form; the operator has
// none.
func ActorID(kind viewer.Kind, id xid.ID) string {
	switch kind {
	case viewer.APIKey:
		return xid.APIKey.Format(id)
	case viewer.OAuthApp:
		return xid.App.Format(id)
	case viewer.Staff:
		return xid.User.Format(id)
	}
	return "system"
}
