package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
)

// ClientID returns the client id of an app: the URL of its metadata document if it was not
// registered by hand.
func ClientID(app *db.App) string {
	if app.MetadataURL != nil {
		return *app.MetadataURL
	}
	return app.ClientID
}

// AppendGrant appends a grant: the object of app.grant_revoked (contract, section 8). app is the
// grant's app. The scopes are those granted, sorted; what the app may use of them now is not shown.
func AppendGrant(b []byte, g *db.Grant, app *db.App) []byte {
	o := Open(b)
	o.ID("id", xid.Grant, g.ID)
	o.Name("app")
	a := Open(o.B)
	a.ID("id", xid.App, app.ID)
	a.Str("name", app.Name)
	a.Plain("client_id", ClientID(app))
	o.B = a.Close()
	o.Strings("scopes", scope.Parse(g.Scopes).Names())
	o.Name("consented_by")
	p := Open(o.B)
	p.ID("id", xid.User, g.UserID)
	p.Str("name", g.UserName)
	o.B = p.Close()
	o.Time("consented_at", g.ID.Time())
	o.Time("expires_at", g.ExpiresAt)
	o.TimeOpt("revoked_at", g.RevokedAt)
	if g.RevokedReason == nil {
		o.Null("revoked_reason")
	} else {
		o.Plain("revoked_reason", string(*g.RevokedReason))
	}
	return o.Close()
}
