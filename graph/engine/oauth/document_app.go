package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	apps "github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// documentPrefix begins the keys of [documentKey]. It is not accepted from clients.
const documentPrefix = "document-"

// documentKey returns the key in the directory of client ids for the app of a document in a store.
// The directory's primary key allows one app for each store and document.
func documentKey(store xid.ID, id string) string {
	sum := sha256.Sum256(append(store[:], id...))
	return documentPrefix + hex.EncodeToString(sum[:24])
}

// requestedApp returns the app of an authorization request, and the registration if it has one. An
// app that no developer registered has no row yet.
func (s *Server) requestedApp(ctx context.Context, id string) (*db.App, *Registration, error) {
	switch {
	case IsDocument(id):
		a, err := s.documentApp(ctx, id)
		return a, nil, err
	case isRegistration(id):
		return s.registeredApp(ctx, id)
	}
	a, err := s.client(ctx, id)
	return a, nil, err
}

// documentApp returns the app that a document describes. It may ask for every scope that apps can
// have.
func (s *Server) documentApp(ctx context.Context, id string) (*db.App, error) {
	u := checkDocumentURL(s.Documents.Egress, id)
	if u == nil {
		return nil, refuse(InvalidClient, "The client_id is not a valid address of a metadata document.")
	}
	d, err := s.documents.read(ctx, u)
	if err != nil {
		return nil, err
	}
	a := &db.App{MetadataURL: &id, Name: d.host, Developer: d.host, RedirectUris: strings.Join(d.redirects, " "),
		Scopes: scope.Of(scope.Names()...).String()}
	if d.name == "" {
		return a, nil
	}
	free, err := s.MayName(ctx, d.name)
	if free {
		a.Name = d.name
	}
	return a, fault.Wrap("check the name of an app", err)
}

// ensureApp returns the row of an app in the transaction of a consent. An unregistered app gets its
// row in the viewer's store at the first consent; later consents update it from the document.
func (s *Server) ensureApp(ctx context.Context, c *db.Client, a *db.App) (*db.App, error) {
	if a.MetadataURL == nil {
		return a, nil
	}
	v, now := viewer.From(ctx), micros.Now()
	key := documentKey(v.Store, *a.MetadataURL)
	known, err := s.appByKey(ctx, key)
	if err == nil {
		err = c.App.Update().Where(apps.ID(known.ID)).SetName(a.Name).SetRedirectUris(a.RedirectUris).
			SetScopes(a.Scopes).SetUpdatedAt(now).AddVersion(1).Exec(ctx)
		return known, fault.Wrap("update the app of a document", err)
	}
	if !errors.Is(err, errUnknown) {
		return nil, fault.Wrap("look up the app of a document", err)
	}
	id := xid.New()
	if err := c.OAuthClient.Create().SetID(key).SetStoreID(v.Store).SetAppID(id).Exec(ctx); err != nil {
		return nil, fault.Wrap("enter the app of a document", err)
	}
	row, err := c.App.Create().SetID(id).SetClientID(key).SetMetadataURL(*a.MetadataURL).SetName(a.Name).
		SetDeveloper(a.Developer).SetRedirectUris(a.RedirectUris).SetScopes(a.Scopes).SetUpdatedAt(now).
		SetCreatedBy(v.Actor).Save(ctx)
	return row, fault.Wrap("create the app of a document", err)
}

// appInStore returns an app's id in a store, or the nil id before a consent to its document.
func (s *Server) appInStore(ctx context.Context, store xid.ID, a *db.App) (xid.ID, error) {
	if a.MetadataURL == nil {
		return a.ID, nil
	}
	known, err := s.appByKey(ctx, documentKey(store, *a.MetadataURL))
	if errors.Is(err, errUnknown) {
		return xid.Nil, nil
	}
	if err != nil {
		return xid.Nil, fault.Wrap("look up the app of a document", err)
	}
	return known.ID, nil
}

// presentingApp returns the app of a request to the token or revocation endpoint. For a document
// or a registration it is the app of the store to which the code or token in the request belongs, and otherwise an app
// without an id, which has no grants. The document is not read: a consent holds until it is
// revoked.
func (s *Server) presentingApp(ctx context.Context, id string, p Params) (*db.App, error) {
	registered := isRegistration(id)
	if !registered && !IsDocument(id) {
		return s.client(ctx, id)
	}
	if !registered && checkDocumentURL(s.Documents.Egress, id) == nil {
		return nil, errUnknown
	}
	row := &db.App{MetadataURL: &id}
	store, err := s.storeOf(ctx, p)
	if err == nil {
		var known *db.App
		if known, err = s.appByKey(ctx, documentKey(store, id)); err == nil {
			row = known
		}
	}
	if err != nil && !errors.Is(err, errUnknown) {
		return nil, err
	}
	if registered {
		switch ok, err := s.presentable(ctx, id, row); {
		case err != nil:
			return nil, err
		case !ok:
			return nil, errUnknown
		}
	}
	return row, nil
}

func (s *Server) storeOf(ctx context.Context, p Params) (store xid.ID, err error) {
	for _, name := range []string{"code", "refresh_token", "token"} {
		secret, kind, ok := apikey.Parse(p.Get(name))
		if !ok {
			continue
		}
		err := s.one(ctx, findStore, []any{digest.Sum(secret.Hash()), string(kind)}, &store)
		if !errors.Is(err, errUnknown) {
			return store, err
		}
	}
	return store, errUnknown
}
