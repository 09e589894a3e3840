package oauth

import (
	"context"
	"errors"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/accesstoken"
	"github.com/storefront-go/storefront/ent/db/credential"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// Revoke answers a request to the revocation endpoint (RFC 7009): a refresh token ends its grant,
// an access token only itself. A token that is unknown or no longer valid is no error (section
// 2.2). Its error is an [*Error].
func (s *Server) Revoke(ctx context.Context, p Params, authorization []string) error {
	if err := p.checkRepeated(); err != nil {
		return err
	}
	app, err := s.identify(ctx, p, authorization)
	if err != nil {
		return err
	}
	token := p.Get("token")
	if token == "" {
		return refuse(InvalidRequest, "The parameter token is missing.")
	}
	// The hint is not needed: a token shows its kind (section 2.1)
	switch _, kind, _ := apikey.Parse(token); kind {
	case apikey.Refresh:
		err = s.revokeGrant(ctx, app, token)
	case apikey.Access:
		err = s.revokeToken(ctx, app, token)
	}
	if errors.Is(err, errUnknown) {
		return nil
	}
	return err
}

// errForeign is the error for another client's token (RFC 7009, section 2.1).
func errForeign() error { return refuse(InvalidGrant, "The token was issued to another client.") }

func viewerOf(app *db.App, store xid.ID) *viewer.Viewer {
	return &viewer.Viewer{Kind: viewer.OAuthApp, Store: store, Actor: app.ID, Name: app.Name}
}

func (s *Server) revokeGrant(ctx context.Context, app *db.App, token string) error {
	g, _, err := s.family(ctx, token, apikey.Refresh)
	switch {
	case errors.Is(err, errUnknown):
		return err
	case err != nil:
		return failed("look up refresh token", err)
	case g.AppID != app.ID:
		return errForeign()
	}
	if err := s.end(ctx, g, viewerOf(app, g.StoreID), state.GrantEndedByApp); err != nil {
		return failed("end a grant", err)
	}
	return nil
}

func (s *Server) revokeToken(ctx context.Context, app *db.App, token string) error {
	row, err := s.accessToken(ctx, token)
	switch {
	case errors.Is(err, errUnknown):
		return err
	case err != nil:
		return failed("look up access token", err)
	}
	ctx = viewer.With(ctx, viewerOf(app, row.StoreID))
	g, err := s.Store.DB(ctx).Grant.Query().Where(grant.ID(row.GrantID)).Only(ctx)
	switch {
	case err != nil:
		return failed("look up grant", err)
	case g.AppID != app.ID:
		return errForeign()
	}
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		err := s.Store.DB(ctx).AccessToken.Update().Where(accesstoken.ID(row.ID), accesstoken.RevokedAtIsNil()).
			SetRevokedAt(micros.Now()).Exec(ctx)
		if err != nil {
			return err
		}
		// Revoking a token counts as a use of it.
		err = s.Store.DB(ctx).Grant.Update().Where(grant.ID(g.ID), grant.AnswerToken(row.ID)).ClearAnswer().Exec(ctx)
		if err != nil {
			return err
		}
		return s.Keys.Revoke(ctx, row.StoreID, row.StoreID)
	})
	if err != nil {
		return failed("revoke access token", err)
	}
	return nil
}

func (s *Server) accessToken(ctx context.Context, token string) (*db.AccessToken, error) {
	secret, _, ok := apikey.Parse(token)
	if !ok {
		return nil, errUnknown
	}
	row, err := s.Store.DB(ctx).AccessToken.Query().Modify(func(q *sql.Selector) {
		t := sql.Table(credential.Table)
		q.Join(t).On(t.C(credential.FieldStoreID), q.C(accesstoken.FieldStoreID)).
			On(t.C(credential.FieldCredentialID), q.C(accesstoken.FieldID))
		q.Where(sql.EQ(t.C(credential.FieldID), digest.Sum(secret.Hash())))
	}).Only(viewer.Everywhere(ctx))
	if db.IsNotFound(err) {
		err = errUnknown
	}
	return row, err
}
