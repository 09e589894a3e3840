package oauth

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
)

// refresh rotates a refresh token (RFC 6749, section 6; RFC 9700, section 4.14.2).
// One that was rotated away and is shown again ends the family: its holder or the
// one before has stolen it.
func (s *Server) refresh(ctx context.Context, shown presented, app *db.App, p Params) (*Token, error) {
	g := shown.refresh
	if p.Get("refresh_token") == "" {
		return nil, refuse(InvalidRequest, "The parameter refresh_token is missing.")
	}
	if g == nil {
		return nil, refuse(InvalidGrant, "The refresh token is unknown or expired.")
	}
	if err := renewable(g, app); err != nil {
		return nil, err
	}
	narrow, err := narrowed(g, p.Get("scope"))
	if err != nil {
		return nil, err
	}
	t, err := s.issue(ctx, g, app, narrow, grant.RefreshHash(shown.sum), func(*db.GrantUpdate) {})
	if errors.Is(err, errLost) {
		return nil, s.reused(ctx, g, state.GrantTokenReused)
	}
	return t, err
}

// renewable judges the present refresh token of a family.
func renewable(g *db.Grant, app *db.App) error {
	now := micros.Now()
	switch {
	case g.AppID != app.ID:
		return refuse(InvalidGrant, "The refresh token was issued to another client.")
	case g.RevokedAt != nil:
		return refuse(InvalidGrant, "The access was revoked.")
	case g.ExpiresAt <= now || g.RefreshExpiresAt == nil || *g.RefreshExpiresAt <= now:
		return refuse(InvalidGrant, "The refresh token is unknown or expired.")
	}
	return nil
}

// narrowed reads the scopes that a refresh asks for; it may not ask for more than
// was granted (RFC 6749, section 6). Nil means all.
func narrowed(g *db.Grant, asked string) (*scope.Set, error) {
	if asked == "" {
		return nil, nil
	}
	set := scope.Parse(asked).Effective()
	if set == 0 || !scope.Parse(g.Scopes).Effective().Covers(set) {
		return nil, refuse(InvalidScope, "A refresh can only ask for scopes that were granted.")
	}
	return &set, nil
}
