package oauth

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
)

// refresh rotates a refresh token (RFC 6749, section 6; RFC 9700, section 4.14.2). A rotated token
// that is presented again gets the same answer for [AnswerLife] while no token of that answer was
// used. After that it ends the family, since one of its two holders has stolen it.
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
	resource, err := s.target(g, p.Get("resource"))
	if err != nil {
		return nil, err
	}
	if shown.again != nil {
		return repeated(shown.again, g, app, narrow)
	}
	t, err := s.issue(ctx, g, app, narrow, grant.RefreshHash(shown.sum),
		func(u *db.GrantUpdate, t *Token, access xid.ID) error {
			sealed, err := s.sealAnswer(g, shown.sum, t)
			u.SetAnswer(sealed).SetAnswerToken(access).SetNillableResource(resource)
			return err
		})
	if !errors.Is(err, errLost) {
		return t, err
	}
	// Another request refreshed the grant, or it ended, after this one read it.
	if err := s.presentRefresh(ctx, &shown, p.Get("refresh_token")); err != nil {
		return nil, err
	}
	if err := renewable(shown.refresh, app); err != nil {
		return nil, err
	}
	if shown.again == nil {
		return nil, refuse(InvalidGrant, "The access was revoked.")
	}
	return repeated(shown.again, g, app, narrow)
}

// repeated returns a kept answer, unless the request is for other, perhaps narrower, scopes.
func repeated(t *Token, g *db.Grant, app *db.App, narrow *scope.Set) (*Token, error) {
	if scopesOf(g, app, narrow) != t.Scopes {
		return nil, refuse(InvalidScope, "The refresh token was used a moment ago for other scopes.")
	}
	return t, nil
}

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

// narrowed parses the scopes of a refresh, which must have been granted (RFC 6749, section 6).
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
