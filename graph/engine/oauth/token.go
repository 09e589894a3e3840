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
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// Token is the answer of the token endpoint (RFC 6749, section 5.1).
type Token struct {
	Access, Refresh apikey.Secret
	ExpiresIn       time.Duration
	Scopes          scope.Set
	Store           xid.ID
}

// Token answers a request to the token endpoint; authorization are its
// Authorization headers. Its error is an [*Error].
func (s *Server) Token(ctx context.Context, p Params, authorization []string) (*Token, error) {
	// What was used before ends its family whoever sends it and whatever else is
	// missing, wrong or late (contract, section 7): nothing is judged before it.
	shown, err := s.present(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := p.once(); err != nil {
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

// presented holds the grants of the code and the refresh token in a request; nil is what is
// absent or unknown.
type presented struct {
	code, refresh *db.Grant
	sum           digest.Sum // of the refresh token
	again         *Token     // the kept answer, where the refresh token was rotated away a moment ago
}

// present looks up the code and the refresh token of a request, and ends the
// family of one that was used, unless the answer to its use is given again.
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

// presentRefresh looks up the refresh token of a request.
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
	if shown.again, err = s.again(shown.refresh, shown.sum); err != nil {
		return failed("read a kept answer", err)
	}
	if shown.again == nil {
		return s.reused(ctx, shown.refresh, state.GrantTokenReused)
	}
	return nil
}

// exchange turns an authorization code into tokens.
//
// The mark and the tokens are one transaction: a failure leaves both undone. A
// second presentation revokes the grant family, committed before the refusal is
// answered (RFC 6749, section 4.1.2). A failed first try consumes nothing.
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

// redeemable judges the first presentation of a code.
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

// errLost says that another request took the step first.
var errLost = errors.New("another request took this step")

// reused ends the family of what was presented twice, then refuses.
func (s *Server) reused(ctx context.Context, g *db.Grant, why state.GrantEnd) error {
	if err := s.end(ctx, g, guardian(g), why); err != nil {
		return failed("end a grant family", err)
	}
	s.Logger.WarnContext(ctx, "a credential was presented twice: its grant is ended", "reason", why,
		"grant", xid.Grant.Format(g.ID), "store", xid.Store.Format(g.StoreID), "app", xid.App.Format(g.AppID),
		"request_id", viewer.Request(ctx))
	return refuse(InvalidGrant, "It was used before, and the access that came from it is ended.")
}

// issue takes the step of the grant and makes its tokens, in one transaction. The
// condition is what the step may be taken from; narrow are the scopes that a
// refresh asked for.
//
// The secrets are made before it begins and their hashes are entered first: when
// the outcome of a COMMIT is lost, the function runs again, and meeting its own
// hashes shows that the first run took effect.
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
	ctx = viewer.With(ctx, &viewer.Viewer{Kind: viewer.OAuthApp, Store: g.StoreID, Actor: app.ID, Name: app.Name})
	err := s.Store.InTxKeyed(ctx, func(ctx context.Context) error {
		c := s.Store.DB(ctx)
		err := direct(ctx, c, lead{t.Access, id}, lead{t.Refresh, g.ID})
		if ent.IsDuplicate(err) {
			return nil // our own, of a run whose COMMIT was not answered
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
			return wrap("take the step of the grant", err)
		case n == 0:
			return errLost
		}
		row := c.AccessToken.Create().SetID(id).SetGrantID(g.ID).SetHint(apikey.Hint(t.Access)).SetExpiresAt(ends)
		if narrow != nil {
			row.SetScopes(narrow.String())
		}
		return wrap("make access token", row.Exec(ctx))
	})
	switch {
	case errors.Is(err, errLost):
		return nil, errLost
	case err != nil:
		return nil, failed("issue tokens", err)
	}
	return t, nil
}

// scopesOf returns what a token of a grant opens: what was granted and the app is registered for,
// as far as a refresh asked for it.
func scopesOf(g *db.Grant, app *db.App, narrow *scope.Set) scope.Set {
	set := scope.Parse(g.Scopes).Effective() & scope.Parse(app.Scopes).Effective()
	if narrow != nil {
		set &= *narrow
	}
	return set
}
