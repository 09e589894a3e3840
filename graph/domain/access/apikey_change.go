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
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// APIKeyCreate creates a key; its secret is only in this answer. Callers can only grant scopes that
// they have.
func (m Mutation) APIKeyCreate(ctx context.Context, in model.APIKeyCreateInput) (*model.APIKeyPayload, error) {
	granted, networks, err := checkKey(in)
	if err != nil {
		return nil, err
	}
	if err := within(ctx, granted); err != nil {
		return nil, err
	}
	id := xid.New()
	first := &db.APIKey{ID: id, LineageID: id, Slot: new(1),
		Name: in.Name, Scopes: granted.String(), ExpiresAt: in.ExpiresAt, Networks: &networks}
	return m.mintKey(ctx, change.Record{Action: "api_key.create", Detail: first.Scopes}, first, m.roomForKey)
}

// roomForKey refuses a key above the limit. Rotation needs no check: a lineage has at most two live
// keys.
func (m Mutation) roomForKey(ctx context.Context) error {
	return m.Room(ctx, limit.APIKeys, ent.Primary,
		func(pick func(*sql.Selector), ids any) error {
			return m.Client(ctx).APIKey.Query().Where(keys.RevokedAtIsNil()).Modify(pick).Scan(ctx, ids)
		})
}

// checkKey checks a new key and returns its scopes and the stored form of its networks.
func checkKey(in model.APIKeyCreateInput) (scope.Set, string, error) {
	c := &core.Check{}
	c.Line("name", in.Name, limit.Line)
	granted := checkScopes(c, "scopes", in.Scopes)
	checkExpiry(c, "expires_at", in.ExpiresAt)
	networks := checkNetworks(c, "allowed_networks", in.AllowedNetworks)
	return granted, networks, c.Err()
}

// within refuses scopes that the viewer lacks.
func within(ctx context.Context, granted scope.Set) error {
	v, err := core.Caller(ctx)
	if err != nil {
		return err
	}
	for _, name := range (granted &^ v.Scopes).Names() {
		return &fault.Error{Kind: fault.InsufficientScope, Scope: name,
			Detail: "You do not have the scope " + name + ", so you cannot grant it."}
	}
	return nil
}

// mintKey writes a new key of a lineage and the audit record, after it ran before. The unique index
// over (lineage, slot) allows two live keys.
func (m Mutation) mintKey(ctx context.Context, note change.Record, k *db.APIKey,
	before func(context.Context) error,
) (*model.APIKeyPayload, error) {
	secret := apikey.Mint(apikey.Key)
	var row *db.APIKey
	err := m.Commit(ctx, xid.APIKey, func(ctx context.Context) (_ *change.Record, err error) {
		if err = before(ctx); err != nil {
			return nil, err
		}
		if err = m.register(ctx, secret, k.ID); err != nil {
			return nil, err
		}
		row, err = m.keyRow(ctx, k, apikey.Hint(secret)).Save(ctx)
		if ent.IsDuplicate(err) {
			return nil, fault.State(fault.RotationPending,
				"This key has already been rotated, and both keys are live. Revoke one first.")
		}
		if err != nil {
			return nil, fmt.Errorf("create API key: %w", err)
		}
		note.Kind, note.ID = xid.APIKey, k.ID
		return &note, nil
	})
	if err != nil {
		return nil, err
	}
	return &model.APIKeyPayload{APIKey: &model.APIKey{APIKey: row}, Secret: new(secret.Reveal())}, nil
}

func (m Mutation) keyRow(ctx context.Context, k *db.APIKey, hint string) *db.APIKeyCreate {
	return m.Client(ctx).APIKey.Create().SetID(k.ID).SetLineageID(k.LineageID).SetNillableSlot(k.Slot).
		SetName(k.Name).SetHint(hint).SetScopes(k.Scopes).SetNillableExpiresAt(k.ExpiresAt).
		SetNillableNetworks(k.Networks).SetNillableCreatedBy(creator(ctx))
}
