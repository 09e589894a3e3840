package oauth

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// The two look-ups of every request to the token endpoint. They lead from a directory to a row of
// some store, so the tenant is not known yet, and read each table by a whole key. A constant text
// costs a third of building the statement, which would cost nearly as much as running it.
const (
	findGrant = "SELECT g.store_id, g.id, g.version, g.event_sequence, g.updated_at, g.app_store_id, g.app_id, " +
		"g.user_id, g.user_name," +
		" g.scopes, g.redirect_uri, g.code_challenge, g.code_expires_at, g.code_used_at, g.refresh_hash, " +
		"g.refresh_expires_at," +
		" g.expires_at, g.revoked_at, g.answer, g.answer_token, g.resource" +
		" FROM credentials c JOIN grants g ON g.store_id = c.store_id AND g.id = c.credential_id" +
		" WHERE c.hash = ? AND c.kind = ?"
	findClient = "SELECT a.store_id, a.id, a.client_id, a.name, a.developer, a.website, a.redirect_uris, a.scopes, " +
		"a.disabled_at, a.metadata_url" +
		" FROM oauth_clients o JOIN apps a ON a.store_id = o.store_id AND a.id = o.app_id" +
		" WHERE o.client_id = ?"
	findStore = "SELECT store_id FROM credentials WHERE hash = ? AND kind = ?"
)

func (s *Server) family(ctx context.Context, secret string, kind apikey.Kind) (*db.Grant, digest.Sum, error) {
	token, got, ok := apikey.Parse(secret)
	if !ok || got != kind {
		return nil, digest.Sum{}, errUnknown
	}
	g, sum := new(db.Grant), digest.Sum(token.Hash())
	err := s.one(ctx, findGrant, []any{sum, string(kind)}, &g.StoreID, &g.ID, &g.Version, &g.EventSequence,
		&g.UpdatedAt, &g.AppStoreID, &g.AppID, &g.UserID, &g.UserName, &g.Scopes, &g.RedirectURI, &g.CodeChallenge,
		&g.CodeExpiresAt, &g.CodeUsedAt, &g.RefreshHash, &g.RefreshExpiresAt, &g.ExpiresAt, &g.RevokedAt,
		&g.Answer, &g.AnswerToken, &g.Resource)
	return g, sum, err
}

func (s *Server) client(ctx context.Context, id string) (*db.App, error) {
	if id == "" || len(id) > 64 || strings.HasPrefix(id, documentPrefix) {
		return nil, errUnknown
	}
	return s.appByKey(ctx, id)
}

func (s *Server) appByKey(ctx context.Context, id string) (*db.App, error) {
	a := new(db.App)
	err := s.one(ctx, findClient, []any{id}, &a.StoreID, &a.ID, &a.ClientID, &a.Name, &a.Developer, &a.Website,
		&a.RedirectUris, &a.Scopes, &a.DisabledAt, &a.MetadataURL)
	return a, err
}

// one scans the only row of a statement; without a row it returns errUnknown.
func (s *Server) one(ctx context.Context, query string, args []any, into ...any) error {
	missing := errUnknown
	err := ent.Read(ctx, s.Store.DB(ctx), func(rows *stdsql.Rows) error {
		missing = nil
		return rows.Scan(into...)
	}, query, args...)
	return cmp.Or(err, missing)
}
