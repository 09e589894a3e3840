package rest

import (
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// getMe is GET /me. The answer holds the server's time, so it has no ETag.
func (a *API) getMe(c *call) error {
	me, err := a.Core.Query().Me(c.ctx)
	if err != nil {
		return err
	}
	c.private = true
	o := wire.Open(c.out)
	o.Plain("type", strings.ToLower(string(me.Type)))
	o.Name("credential")
	o.B = appendCredential(o.B, me)
	o.Strings("scopes", me.Scopes())
	o.Strings("granted_scopes", me.GrantedScopes())
	o.Name("store")
	s := wire.Open(o.B)
	s.Plain("id", me.Store.PublicID())
	s.Str("name", me.Store.Name)
	s.Str("store_host", me.Store.StoreHost)
	s.Plain("currency", me.Store.Currency)
	s.Plain("timezone", me.Store.Timezone)
	s.Bool("test", me.Store.Test)
	o.B = s.Close()
	appendConsent(&o, me)
	o.Plain("api_version", "v1")
	o.Name("limits")
	o.B = appendLimits(o.B, me.Limits)
	o.Time("server_time", me.ServerTime)
	c.out = o.Close()
	return nil
}

// appendConsent writes the app and the consent behind a token, or null for a key.
func appendConsent(o *wire.Object, me *model.Identity) {
	if me.App == nil || me.Grant == nil {
		o.Null("app")
		o.Null("grant")
		return
	}
	o.Name("app")
	a := wire.Open(o.B)
	a.Plain("id", me.App.PublicID())
	a.Str("name", me.App.Name)
	a.Str("client_id", me.App.ClientID())
	o.B = a.Close()
	o.Name("grant")
	g := wire.Open(o.B)
	g.Plain("id", me.Grant.PublicID())
	g.Time("consented_at", me.Grant.CreatedAt())
	o.B = g.Close()
}

func appendCredential(b []byte, me *model.Identity) []byte {
	o := wire.Open(b)
	o.Plain("id", me.CredentialID)
	o.StrOpt("name", me.Name)
	o.Str("hint", me.Hint)
	o.Time("created_at", me.CreatedAt)
	o.TimeOpt("expires_at", me.ExpiresAt)
	o.Bool("superseded", me.Superseded)
	return o.Close()
}

// appendLimits writes the limits of a request, and then the table.
func appendLimits(b []byte, l *model.Limits) []byte {
	o := wire.Open(b)
	o.Int("page_size_default", int64(l.PageSizeDefault))
	o.Int("page_size_max", int64(l.PageSizeMax))
	o.Int("body_bytes_max", int64(l.BodyBytesMax))
	o.Int("idempotency_key_ttl_seconds", int64(l.IdempotencyKeyTTLSeconds))
	for _, row := range limit.Rows() {
		o.Int(row.Member(), l.Of(row.Name))
	}
	return o.Close()
}
