package importer

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/oauth"
)

// asRequester returns the context of the requester of a job, or errGone if they may no longer import.
func (r *Resolver) asRequester(ctx context.Context, row *db.ImportJob) (context.Context, error) {
	shop, err := r.CurrentStore(ctx)
	if err != nil {
		return nil, err
	}
	granted, err := r.scopesOf(ctx, row)
	if err != nil {
		return nil, err
	}
	scopes := granted.Effective()
	if !scopes.Covers(kinds[row.Kind].needed()) {
		return nil, errGone
	}
	return viewer.With(ctx, &viewer.Viewer{Kind: row.RequesterType, Store: row.StoreID, Actor: row.RequesterID,
		Name: row.RequesterName, Principal: row.CredentialID, Granted: granted, Scopes: scopes,
		Currency: shop.Currency}), nil
}

// scopesOf returns the scopes that the requester of a job has now; none if their access has ended.
func (r *Resolver) scopesOf(ctx context.Context, row *db.ImportJob) (scope.Set, error) {
	switch row.RequesterType {
	case viewer.System:
		return scope.Full(), nil
	case viewer.Staff:
		p, err := core.Only(r.Client(ctx).Staff.Query().Where(staff.ID(row.CredentialID)).Load(ctx))
		if p == nil {
			return 0, unlessMissing(err)
		}
		return p.Role.Scopes(), nil
	case viewer.APIKey:
		return r.scopesOfKey(ctx, row.CredentialID)
	}
	return r.scopesOfApp(ctx, row.CredentialID)
}

func unlessMissing(err error) error {
	if errors.Is(err, core.ErrNoRow) {
		return nil
	}
	return err
}

// scopesOfKey returns the scopes of a key, or of the one that replaced it.
func (r *Resolver) scopesOfKey(ctx context.Context, lineage xid.ID) (all scope.Set, err error) {
	rows, err := r.Client(ctx).APIKey.Query().Where(apikey.LineageID(lineage), apikey.RevokedAtIsNil()).Load(ctx)
	now := micros.Now()
	for _, k := range rows {
		if (k.ExpiresAt == nil || *k.ExpiresAt > now) && (k.RetiresAt == nil || *k.RetiresAt > now) {
			all |= scope.Parse(k.Scopes)
		}
	}
	return all, err
}

// scopesOfApp returns the scopes that an app has by the grant with which it started an import.
func (r *Resolver) scopesOfApp(ctx context.Context, id xid.ID) (scope.Set, error) {
	g, err := core.Only(r.Client(ctx).Grant.Query().Where(grant.ID(id)).Load(ctx))
	if g == nil {
		return 0, unlessMissing(err)
	}
	return oauth.AppScopes(ctx, r.Client(ctx), g.AppStoreID, g.AppID, grant.ID(id))
}
