package apikey

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/db/credential"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/stafftoken"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
)

// errDead is a credential that is revoked or expired, or whose owner is gone.
var errDead = errors.New("credential is not live")

// find reads the credential behind a hash.
func (k *Keeper) find(ctx context.Context, sum digest.Sum, now micros.Time) (*entry, error) {
	c, err := k.store.DB(ctx).Credential.Query().Where(credential.ID(sum)).Only(viewer.Everywhere(ctx))
	if err != nil {
		return nil, err
	}
	ctx = viewer.Operator(ctx, c.StoreID)
	s, err := k.store.DB(ctx).Store.Query().Where(store.ID(c.StoreID)).Only(ctx)
	if err != nil {
		return nil, err
	}
	if s.Status != state.StoreOpen {
		return nil, errDead
	}
	v := &viewer.Viewer{Store: s.ID, Currency: s.Currency, Legacy: s.Legacy, Credential: c.CredentialID}
	e := &entry{viewer: v}
	switch Kind(c.Kind) {
	case Key:
		return e, k.findKey(ctx, e, now)
	case Staff:
		e.staff = true
		return e, k.findStaff(ctx, e, now)
	}
	return nil, errDead
}

func (k *Keeper) findKey(ctx context.Context, e *entry, now micros.Time) error {
	row, err := k.store.DB(ctx).APIKey.Query().Where(apikey.ID(e.viewer.Credential)).Only(ctx)
	if err != nil {
		return err
	}
	v := e.viewer
	v.Kind, v.Actor, v.Name = viewer.APIKey, row.ID, row.Name
	v.Principal = row.LineageID
	v.Granted = scope.Parse(row.Scopes)
	v.Scopes = v.Granted.Effective()
	return e.bound(row.RevokedAt, row.ExpiresAt, now)
}

func (k *Keeper) findStaff(ctx context.Context, e *entry, now micros.Time) error {
	client, v := k.store.DB(ctx), e.viewer
	row, err := client.StaffToken.Query().Where(stafftoken.ID(v.Credential)).Only(ctx)
	if err != nil {
		return err
	}
	member, err := client.Staff.Query().Where(staff.ID(row.UserID)).Only(ctx)
	if err != nil {
		return err
	}
	person, err := client.User.Query().Where(user.ID(row.UserID)).Only(ctx)
	if err != nil {
		return err
	}
	v.Kind, v.Actor, v.Name = viewer.Staff, row.UserID, person.Name
	v.Principal, v.Role = row.UserID, member.Role
	v.Granted = member.Role.Scopes()
	v.Scopes = v.Granted.Effective()
	return e.bound(row.RevokedAt, row.ExpiresAt, now)
}

// bound applies the credential's own end.
func (e *entry) bound(revoked, expires *micros.Time, now micros.Time) error {
	if revoked != nil || expires != nil && *expires <= now {
		return errDead
	}
	if expires != nil {
		e.expiresAt = *expires
	}
	return nil
}
