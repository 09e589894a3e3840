package oauth

import (
	"context"
	"errors"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// Token is the response of the token endpoint (RFC 6749, section 5.1).
type Token struct {
	Access, Refresh apikey.Secret
	ExpiresIn       time.Duration
	Scopes          scope.Set
	Store           xid.ID
}

// Token answers a request to the token endpoint; authorization are its Authorization headers. Its
// error is an [*Error].
func (s *Server) Token(ctx context.Context, p Params, authorization []string) (*Token, error) {
	// A used credential ends its family, from any client and whatever else is missing, wrong or
	// late (contract, section 7), so it is checked first.
	shown, err := s.present(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := p.checkRepeated(); err != nil {
		return nil, err
	}
	app, err := s.identify(ctx, p, authorization)
	if err != nil {
		return nil, err
	}
	switch p.Get("grant_type") {
	case "authorization_code":
		return s.exchange(ctx, shown.code, app, p)
	case "refresh_token":
		return s.refresh(ctx, shown, app, p)
	case "":
		return nil, refuse(InvalidRequest, "The parameter grant_type is missing.")
	}
	return nil, refuse(UnsupportedGrantType, "The grant types are authorization_code and refresh_token.")
}

// presented holds the grants of a request's code and refresh token; nil if absent or unknown.
type presented struct {
	code, refresh *db.Grant
	sum           digest.Sum // of the refresh token
	again         *Token     // the kept answer, if the refresh token was rotated a moment ago
}

// present looks up the code and the refresh token of a request. If one was used before, it ends the
// family, unless the answer to that use is repeated.
func (s *Server) present(ctx context.Context, p Params) (shown presented, err error) {
	if code := p.Get("code"); code != "" {
		shown.code, _, err = s.family(ctx, code, apikey.Code)
		switch {
		case errors.Is(err, errUnknown):
			shown.code = nil
		case err != nil:
			return shown, failed("look up code", err)
		case shown.code.CodeUsedAt != nil:
			return shown, s.reused(ctx, shown.code, state.GrantCodeReused)
		}
	}
	if token := p.Get("refresh_token"); token != "" {
		return shown, s.presentRefresh(ctx, &shown, token)
	}
	return shown, nil
}

func (s *Server) presentRefresh(ctx context.Context, shown *presented, token string) (err error) {
	shown.refresh, shown.sum, err = s.family(ctx, token, apikey.Refresh)
	switch g := shown.refresh; {
	case errors.Is(err, errUnknown):
		shown.refresh = nil
		return nil
	case err != nil:
		return failed("look up refresh token", err)
	case g.RefreshHash != nil && *g.RefreshHash == shown.sum:
		return nil
	}
	if shown.again, err = s.keptAnswer(shown.refresh, shown.sum); err != nil {
		return failed("read a kept answer", err)
	}
	if shown.again == nil {
		return s.reused(ctx, shown.refresh, state.GrantTokenReused)
	}
	return nil
}

// exchange redeems an authorization code for tokens.
//
// The mark and the tokens are one transaction, so a failure leaves neither. A second presentation
// revokes the grant family, which is committed before the refusal is answered (RFC 6749, section
// 4.1.2). A failed first attempt consumes nothing.
func (s *Server) exchange(ctx context.Context, g *db.Grant, app *db.App, p Params) (*Token, error) {
	if p.Get("code") == "" {
		return nil, refuse(InvalidRequest, "The parameter code is missing.")
	}
	if g == nil {
		return nil, refuse(InvalidGrant, "The code is unknown or expired.")
	}
	if err := redeemable(g, app, p); err != nil {
		return nil, err
	}
	resource, err := s.target(g, p.Get("resource"))
	if err != nil {
		return nil, err
	}
	t, err := s.issue(ctx, g, app, nil, grant.CodeUsedAtIsNil(),
		func(u *db.GrantUpdate, _ *Token, _ xid.ID) error {
			u.SetCodeUsedAt(micros.Now()).SetNillableResource(resource)
			return nil
		})
	if errors.Is(err, errLost) {
		return nil, s.reused(ctx, g, state.GrantCodeReused)
	}
	return t, err
}

func redeemable(g *db.Grant, app *db.App, p Params) error {
	switch {
	case g.AppID != app.ID:
		return refuse(InvalidGrant, "The code was issued to another client.")
	case g.RevokedAt != nil:
		return refuse(InvalidGrant, "The access was revoked.")
	case g.CodeExpiresAt <= micros.Now():
		return refuse(InvalidGrant, "The code is unknown or expired.")
	case p.Get("redirect_uri") == "":
		return refuse(InvalidRequest, "The parameter redirect_uri is missing.")
	case g.RedirectURI != p.Get("redirect_uri"):
		return refuse(InvalidGrant, "The redirect_uri is not the one of the authorization request.")
	case p.Get("code_verifier") == "":
		return refuse(InvalidRequest, "The parameter code_verifier is missing.")
	case !verifies(p.Get("code_verifier"), g.CodeChallenge):
		return refuse(InvalidGrant, "The code_verifier does not belong to the code_challenge.")
	}
	return nil
}

var errLost = errors.New("another request took this step")

func (s *Server) reused(ctx context.Context, g *db.Grant, why state.GrantEnd) error {
	by := &viewer.Viewer{Kind: viewer.System, Store: g.StoreID, Name: "storefront"} // the server itself
	if err := s.end(ctx, g, by, why); err != nil {
		return failed("end a grant family", err)
	}
	s.Logger.WarnContext(ctx, "a credential was presented twice: its grant is ended", "reason", why,
		"grant", xid.Grant.Format(g.ID), "store", xid.Store.Format(g.StoreID), "app", xid.App.Format(g.AppID),
		"request_id", viewer.Request(ctx))
	return refuse(InvalidGrant, "It was used before, and the access that came from it is ended.")
}

// issue takes a step of the grant and creates its tokens, in one transaction. from is the condition
// for the step; narrow are the scopes that a refresh asks for.
//
// The secrets are generated before the transaction, and their hashes are inserted first: if the
// result of a COMMIT is lost, the function runs again, and finding its own hashes shows that the
// first run took effect.
func (s *Server) issue(
	ctx context.Context, g *db.Grant, app *db.App, narrow *scope.Set, from predicate.Grant,
	step func(u *db.GrantUpdate, t *Token, access xid.ID) error,
) (*Token, error) {
	now := micros.Now()
	t := &Token{Access: apikey.Mint(apikey.Access), Refresh: apikey.Mint(apikey.Refresh), Store: g.StoreID,
		Scopes: scopesOf(g, app, narrow)}
	if t.Scopes == 0 {
		return nil, refuse(InvalidScope, "None of the granted scopes is left to the app.")
	}
	ends := min(now.Add(AccessLife), g.ExpiresAt)
	t.ExpiresIn = time.Duration(ends-now) * time.Microsecond
	id := xid.New()
	ctx = viewer.With(ctx, viewerOf(app, g.StoreID))
	err := s.Store.InTxKeyed(ctx, func(ctx context.Context) error {
		c := s.Store.DB(ctx)
		err := addCredentials(ctx, c, directoryEntry{t.Access, id}, directoryEntry{t.Refresh, g.ID})
		if ent.IsDuplicate(err) {
			return nil // inserted by a run whose COMMIT was not answered
		}
		if err != nil {
			return err
		}
		u := c.Grant.Update().Where(grant.ID(g.ID), grant.RevokedAtIsNil(), from).
			SetRefreshHash(digest.Sum(t.Refresh.Hash())).SetRefreshExpiresAt(now.Add(RefreshLife))
		if err := step(u, t, id); err != nil {
			return err
		}
		switch n, err := u.Save(ctx); {
		case err != nil:
			return fault.Wrap("take the step of the grant", err)
		case n == 0:
			return errLost
		}
		row := c.AccessToken.Create().SetID(id).SetGrantID(g.ID).SetHint(apikey.Hint(t.Access)).SetExpiresAt(ends)
		if narrow != nil {
			row.SetScopes(narrow.String())
		}
		return fault.Wrap("create access token", row.Exec(ctx))
	})
	switch {
	case errors.Is(err, errLost):
		return nil, errLost
	case err != nil:
		return nil, failed("issue tokens", err)
	}
	return t, nil
}

// scopesOf returns the scopes of a token of a grant: those granted that the app is registered for
// and, if it is narrowed, that the refresh asks for.
func scopesOf(g *db.Grant, app *db.App, narrow *scope.Set) scope.Set {
	set := scope.Parse(g.Scopes).Effective() & scope.Parse(app.Scopes).Effective()
	if narrow != nil {
		set &= *narrow
	}
	return set
}
