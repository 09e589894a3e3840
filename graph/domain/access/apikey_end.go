package access

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	keys "github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// APIKeyRotate creates a second live key with the name, scopes, networks and expiry of the first.
// The first one works until it is revoked or until oldKeyEndsAt. Callers see the new secret, so
// they must have its scopes.
func (m Mutation) APIKeyRotate(
	ctx context.Context, id string, oldKeyEndsAt *micros.Time,
) (*model.APIKeyPayload, error) {
	if _, err := core.ParseID(xid.APIKey, id); err != nil {
		return nil, err // before a fault of the time
	}
	c := &core.Check{}
	checkExpiry(c, "old_key_ends_at", oldKeyEndsAt)
	if err := c.Err(); err != nil {
		return nil, err
	}
	old, err := core.Get(ctx, xid.APIKey, id, m.apiKey)
	if err != nil {
		return nil, err
	}
	if err := within(ctx, scope.Parse(old.Scopes)); err != nil {
		return nil, err
	}
	if err := rotatable(old); err != nil {
		return nil, err
	}
	next := &db.APIKey{ID: xid.New(), LineageID: old.LineageID, Slot: new(3 - *old.Slot),
		Name: old.Name, Scopes: old.Scopes, ExpiresAt: old.ExpiresAt, Networks: old.Networks,
		UnlimitedRefunds: old.UnlimitedRefunds}
	note := change.Record{Action: "api_key.rotate", Detail: scope.Parse(old.Scopes).Brief()}
	if oldKeyEndsAt != nil {
		note.Detail += ", the former key ends at " + oldKeyEndsAt.String()
	}
	return m.mintKey(ctx, note, next, func(ctx context.Context) error {
		if err := m.supersede(ctx, old, oldKeyEndsAt); err != nil {
			return err
		}
		return m.freeSlots(ctx, old.LineageID)
	})
}

func rotatable(k *db.APIKey) error {
	end := shownKey(k).ExpiresAt()
	switch {
	case k.RevokedAt != nil:
		return alreadyRevoked(xid.APIKey)
	case end != nil && *end <= micros.Now() || k.Slot == nil: // an expired key ceded its slot
		return fault.State(fault.InvalidTransition, "The API key has expired. Create a new one.")
	}
	return nil
}

// supersede marks the older key and sets when it retires. The update is also the guard: it waits
// for a concurrent revocation and then matches no row.
func (m Mutation) supersede(ctx context.Context, old *db.APIKey, ends *micros.Time) error {
	update := m.Client(ctx).APIKey.Update().Where(keys.ID(old.ID), keys.RevokedAtIsNil()).SetSupersededAt(micros.Now())
	if ends != nil {
		update.SetRetiresAt(*ends)
	}
	n, err := update.Save(ctx)
	if err := unrevoked(xid.APIKey, n, err); err != nil || ends == nil {
		return err
	}
	return m.Keys.Revoke(ctx, old.StoreID, old.StoreID)
}

func (m Mutation) freeSlots(ctx context.Context, lineage xid.ID) error {
	now := micros.Now()
	return fault.Wrap("free the slots of expired keys",
		m.Client(ctx).APIKey.Update().Where(keys.LineageID(lineage), keys.SlotNotNil(),
			keys.Or(keys.RetiresAtLTE(now), keys.ExpiresAtLTE(now))).ClearSlot().Exec(ctx))
}

// APIKeyRevoke revokes one key: at once in this process, and in others within two seconds. Other
// keys of its lineage remain.
func (m Mutation) APIKeyRevoke(ctx context.Context, id string) (*model.APIKeyPayload, error) {
	return m.changeKey(ctx, id, "api_key.revoke", "",
		func(ctx context.Context, row *db.APIKey, u *db.APIKeyUpdate) error {
			now := micros.Now()
			n, err := u.ClearSlot().SetRevokedAt(now).Save(ctx)
			if err := unrevoked(xid.APIKey, n, err); err != nil {
				return err
			}
			row.RevokedAt, row.Slot = &now, nil
			return m.restore(ctx, row)
		})
}

// changeKey runs write on a key and the update of its row, which has no effect once it is revoked.
func (m Mutation) changeKey(ctx context.Context, id, action, detail string,
	write func(context.Context, *db.APIKey, *db.APIKeyUpdate) error,
) (*model.APIKeyPayload, error) {
	uid, err := core.ParseID(xid.APIKey, id)
	if err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.APIKey, func(ctx context.Context) (
		*model.APIKeyPayload, *change.Record, error,
	) {
		row, err := m.apiKey(ctx, uid)
		if err != nil {
			return nil, nil, err
		}
		err = write(ctx, row, m.Client(ctx).APIKey.Update().Where(keys.ID(uid), keys.RevokedAtIsNil()))
		if err != nil {
			return nil, nil, err
		}
		return &model.APIKeyPayload{APIKey: shownKey(row)},
			&change.Record{Action: action, Kind: xid.APIKey, ID: uid, Detail: detail},
			m.Keys.Revoke(ctx, row.StoreID, row.StoreID)
	})
}

// restore makes the older key of a lineage the newest again after the younger one was revoked, so
// that it can be rotated again. Its expiry does not change.
func (m Mutation) restore(ctx context.Context, revoked *db.APIKey) error {
	return fault.Wrap("restore the older key",
		m.Client(ctx).APIKey.Update().Where(keys.LineageID(revoked.LineageID), keys.SlotNotNil(),
			keys.IDLT(revoked.ID), keys.RevokedAtIsNil()).ClearSupersededAt().Exec(ctx))
}
