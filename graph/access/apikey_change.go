package access

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	keys "github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/apikey"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// APIKeyCreate makes a key, which only this answer shows. Nobody gives a scope
// that they lack.
func (m Mutation) APIKeyCreate(ctx context.Context, in model.APIKeyCreateInput) (*model.APIKeyPayload, error) {
	granted, err := checkKey(in)
	if err != nil {
		return nil, err
	}
	if err := within(ctx, granted); err != nil {
		return nil, err
	}
	id := xid.New()
	first := &db.APIKey{ID: id, LineageID: id, Slot: new(1),
		Name: in.Name, Scopes: granted.String(), ExpiresAt: in.ExpiresAt}
	return m.mintKey(ctx, "api_key.create", first, m.roomForKey)
}

// roomForKey refuses a key above the limit. A key that is rotated needs none: it has
// two places at most.
func (m Mutation) roomForKey(ctx context.Context) error {
	return m.Room(ctx, limit.APIKeys, ent.Primary,
		func(pick func(*sql.Selector), ids any) error {
			return m.Client(ctx).APIKey.Query().Where(keys.RevokedAtIsNil()).Modify(pick).Scan(ctx, ids)
		})
}

// checkKey judges a new key and returns its scopes.
func checkKey(in model.APIKeyCreateInput) (scope.Set, error) {
	c := &core.Check{}
	c.Line("name", in.Name, limit.Line)
	granted := checkScopes(c, "scopes", in.Scopes)
	checkExpiry(c, "expires_at", in.ExpiresAt)
	return granted, c.Err()
}

// within refuses scopes that the viewer lacks.
func within(ctx context.Context, granted scope.Set) error {
	v, err := core.Caller(ctx)
	if err != nil {
		return err
	}
	for _, name := range (granted &^ v.Scopes).Names() {
		return &fault.Error{Kind: fault.InsufficientScope, Scope: name,
			Detail: "You lack the scope " + name + ", so you cannot give it."}
	}
	return nil
}

// mintKey writes a new key of the lineage, behind what happens before it. The
// unique index over (lineage, slot) admits two live keys.
func (m Mutation) mintKey(ctx context.Context, action string, k *db.APIKey,
	before func(context.Context) error,
) (*model.APIKeyPayload, error) {
	secret := apikey.Mint(apikey.Key)
	var row *db.APIKey
	err := m.Commit(ctx, xid.APIKey, func(ctx context.Context) (_ *core.Record, err error) {
		if err = before(ctx); err != nil {
			return nil, err
		}
		if err = m.register(ctx, secret, k.ID); err != nil {
			return nil, err
		}
		row, err = m.keyRow(ctx, k, apikey.Hint(secret)).Save(ctx)
		if ent.IsDuplicate(err) {
			return nil, fault.State(fault.RotationPending, "Two keys of this lineage are live: revoke one first.")
		}
		if err != nil {
			return nil, fmt.Errorf("make API key: %w", err)
		}
		return &core.Record{Action: action, Kind: xid.APIKey, ID: k.ID, Detail: k.Scopes}, nil
	})
	if err != nil {
		return nil, err
	}
	return &model.APIKeyPayload{APIKey: &model.APIKey{APIKey: row}, Secret: new(secret.Reveal())}, nil
}

func (m Mutation) keyRow(ctx context.Context, k *db.APIKey, hint string) *db.APIKeyCreate {
	return m.Client(ctx).APIKey.Create().SetID(k.ID).SetLineageID(k.LineageID).SetNillableSlot(k.Slot).
		SetName(k.Name).SetHint(hint).SetScopes(k.Scopes).SetNillableExpiresAt(k.ExpiresAt).
		SetNillableCreatedBy(maker(ctx))
}

// APIKeyRotate makes a second live key with the name, the scopes and the end of
// the first, which works until it is revoked. Whoever rotates sees the new
// secret, so they must hold its scopes. Since both end at the same time, expired
// keys never stand in the way of a new one.
func (m Mutation) APIKeyRotate(ctx context.Context, id string) (*model.APIKeyPayload, error) {
	uid, err := core.ParseID(xid.APIKey, id)
	if err != nil {
		return nil, err
	}
	old, err := m.apiKey(ctx, uid)
	if err != nil {
		return nil, core.Explain("API key", err)
	}
	if err := within(ctx, scope.Parse(old.Scopes)); err != nil {
		return nil, err
	}
	if old.RevokedAt != nil || old.Slot == nil {
		return nil, alreadyRevoked(xid.APIKey)
	}
	if old.ExpiresAt != nil && *old.ExpiresAt <= micros.Now() {
		return nil, fault.State(fault.InvalidTransition, "The API key has expired: make a new one.")
	}
	next := &db.APIKey{ID: xid.New(), LineageID: old.LineageID, Slot: new(3 - *old.Slot),
		Name: old.Name, Scopes: old.Scopes, ExpiresAt: old.ExpiresAt}
	return m.mintKey(ctx, "api_key.rotate", next, func(ctx context.Context) error { return m.supersede(ctx, uid) })
}

// supersede marks the older key. The update is also the guard: it waits for a
// revocation that is under way, and then finds nothing to mark.
func (m Mutation) supersede(ctx context.Context, id xid.ID) error {
	n, err := m.Client(ctx).APIKey.Update().Where(keys.ID(id), keys.RevokedAtIsNil()).
		SetSupersededAt(micros.Now()).Save(ctx)
	return unrevoked(xid.APIKey, n, err)
}

// APIKeyRevoke ends one key: at once in this process, and in others when what
// they remember is no longer fresh. Other keys of its lineage stay.
func (m Mutation) APIKeyRevoke(ctx context.Context, id string) (*model.APIKeyPayload, error) {
	uid, err := core.ParseID(xid.APIKey, id)
	if err != nil {
		return nil, err
	}
	var row *db.APIKey
	err = m.Commit(ctx, xid.APIKey, func(ctx context.Context) (_ *core.Record, err error) {
		if row, err = m.apiKey(ctx, uid); err != nil {
			return nil, err
		}
		now := micros.Now()
		n, err := m.Client(ctx).APIKey.Update().Where(keys.ID(uid), keys.RevokedAtIsNil()).
			ClearSlot().SetRevokedAt(now).Save(ctx)
		if err := unrevoked(xid.APIKey, n, err); err != nil {
			return nil, err
		}
		row.RevokedAt, row.Slot = &now, nil
		ent.OnCommit(ctx, func() { m.Keys.Forget(row.StoreID) })
		return &core.Record{Action: "api_key.revoke", Kind: xid.APIKey, ID: uid}, nil
	})
	if err != nil {
		return nil, err
	}
	return &model.APIKeyPayload{APIKey: &model.APIKey{APIKey: row}}, nil
}
