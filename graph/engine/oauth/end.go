package oauth

import (
	"context"
	"errors"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// LastGrant is called in the transaction that ends the last grant of an app in the viewer's store.
type LastGrant func(ctx context.Context, app xid.ID) error

var errEnded = errors.New("the grant had ended")

// End revokes a grant of the viewer's store in the transaction of ctx: one conditional update, with
// its event and its audit row, and with the consequences if it was the app's last grant. It reports
// whether this call ended the grant; a grant that had ended is not changed, and the app's tokens
// are invalid in both cases. The caller calls [apikey.Keeper.Revoke].
func End(
	ctx context.Context, c *db.Client, g *db.Grant, app *db.App, why state.GrantEnd, last LastGrant,
) (bool, error) {
	v := change.Versioned[*db.Grant, *db.GrantUpdate]{
		Kind: xid.Grant,
		Head: func(g *db.Grant) change.Head {
			return change.Head{Store: g.StoreID, ID: g.ID, Version: &g.Version, Sequence: &g.EventSequence,
				UpdatedAt: &g.UpdatedAt}
		},
		Update: func(_ context.Context, id xid.ID, version int64) *db.GrantUpdate {
			return c.Grant.Update().Where(grant.ID(id), grant.Version(version), grant.RevokedAtIsNil())
		},
		Object: func(g *db.Grant) []byte { return wire.AppendGrant(nil, g, app) },
		Lost:   errEnded, // nothing else raises a grant's version
	}
	after := *g
	type edit = change.Edit[*db.Grant, *db.GrantUpdate]
	err := v.Write(ctx, c, &after, "grant.revoke", func(_ context.Context, e *edit) error {
		after.RevokedAt, after.RevokedReason, e.Detail = &e.Now, &why, string(why)
		e.Update.SetRevokedAt(e.Now).SetRevokedReason(why)
		e.Emit(event.AppGrantRevoked)
		return nil
	})
	if errors.Is(err, errEnded) {
		return false, nil
	}
	if err != nil {
		return false, fault.Wrap("revoke grant", err)
	}
	*g = after
	if err := warn(ctx, c, g, app, why); err != nil {
		return false, err
	}
	left, err := Installed(ctx, c, g.AppID)
	if err != nil || left {
		return err == nil, err
	}
	return true, last(ctx, g.AppID)
}

const appIndex = "grant_store_id_app_id_id"

// Installed reports whether an app has a live grant in the viewer's store. In the transaction of
// ctx it waits for concurrent steps of such grants: if two transactions end the last two grants at
// once, the second sees none left.
func Installed(ctx context.Context, c *db.Client, app xid.ID) (bool, error) {
	now := micros.Now()
	query := c.Grant.Query().Where(grant.AppID(app))
	var rows []struct {
		ID xid.ID `sql:"id"`
	}
	err := query.Modify(ent.ForceIndex(appIndex), ent.ForUpdate, func(s *sql.Selector) {
		s.Select(s.C(grant.FieldID)).Where(LiveGrant(now)).Limit(1)
	}).Scan(ctx, &rows)
	return len(rows) > 0, fault.Wrap("look for standing grants", err)
}

// LiveGrant is the condition of a grant that has not ended: neither revoked nor expired, and with
// either a valid refresh token, which the redemption created, or a code that can still be redeemed.
func LiveGrant(now micros.Time) *sql.Predicate {
	return sql.And(
		sql.IsNull(grant.FieldRevokedAt),
		sql.GT(grant.FieldExpiresAt, now),
		sql.Or(
			sql.GT(grant.FieldRefreshExpiresAt, now),
			sql.And(sql.IsNull(grant.FieldCodeUsedAt), sql.GT(grant.FieldCodeExpiresAt, now)),
		),
	)
}

// warn notifies the store's people of a credential that was presented twice: it may be stolen.
func warn(ctx context.Context, c *db.Client, g *db.Grant, app *db.App, why state.GrantEnd) error {
	if why != state.GrantCodeReused && why != state.GrantTokenReused {
		return nil
	}
	title := []rune("The access of " + app.Name + " was revoked")
	return notify.Append(ctx, c, notify.Notice{
		Level: state.NotificationWarning,
		Title: string(title[:min(len(title), limit.Line)]),
		Body: "A credential of this app was used twice. It may have been stolen, or the app has a bug. " +
			"The access that " + g.UserName + " granted was revoked. If you trust the app, connect it again.",
		Kind: xid.Grant, ID: g.ID,
	})
}

// end revokes a token family in a transaction of its own, which is committed when it returns: a
// credential was presented twice, or the app revoked it.
func (s *Server) end(ctx context.Context, g *db.Grant, by *viewer.Viewer, why state.GrantEnd) error {
	app, err := s.appOf(ctx, g)
	if err != nil {
		return err
	}
	return s.Store.InTx(viewer.With(ctx, by), func(ctx context.Context) error {
		row := *g // the function may run again
		ended, err := End(ctx, s.Store.DB(ctx), &row, app, why, s.OnLastGrant)
		if err != nil || !ended {
			return err
		}
		return s.Keys.Revoke(ctx, g.StoreID, g.StoreID)
	})
}
