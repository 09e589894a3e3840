package oauth

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// LastGrant is called when the last grant of an app in the viewer's store ends, in the transaction
// that ends it.
type LastGrant func(ctx context.Context, app xid.ID) error

// End revokes a grant of the viewer's store in the transaction of ctx: one conditional update, with
// its event and its audit row, and with the consequences if it was the app's last grant. It reports
// whether this call ended the grant; a grant that had ended is not changed, and the app's tokens
// are invalid in both cases. The caller calls [apikey.Keeper.Revoke].
func End(
	ctx context.Context, c *db.Client, g *db.Grant, app *db.App, why state.GrantEnd, last LastGrant,
) (bool, error) {
	after := *g
	// Nothing else raises a grant's version, so this is the state after the update.
	after.Version, after.EventSequence = g.Version+1, g.EventSequence+1
	after.UpdatedAt = outbox.After(g.UpdatedAt)
	after.RevokedAt, after.RevokedReason = &after.UpdatedAt, &why
	n, err := c.Grant.Update().Where(grant.ID(g.ID), grant.RevokedAtIsNil()).
		SetRevokedAt(after.UpdatedAt).SetRevokedReason(why).SetUpdatedAt(after.UpdatedAt).
		SetVersion(after.Version).SetEventSequence(after.EventSequence).Save(ctx)
	if err != nil || n == 0 {
		return false, wrap("revoke grant", err)
	}
	*g = after
	err = outbox.Append(ctx, c,
		outbox.Resource{Store: g.StoreID, ID: g.ID, Version: g.Version, Sequence: g.EventSequence, At: g.UpdatedAt},
		outbox.Entry{Type: event.AppGrantRevoked, Object: wire.AppendGrant(nil, g, app)})
	if err != nil {
		return false, err
	}
	if err := warn(ctx, c, g, app, why); err != nil {
		return false, err
	}
	if err := audit.Write(ctx, c, "grant.revoke", xid.Grant, g.ID, string(why)); err != nil {
		return false, err
	}
	left, err := Installed(ctx, c, g.AppID)
	if err != nil || left {
		return err == nil, err
	}
	return true, last(ctx, g.AppID)
}

// appIndex is the index of a store's grants by app.
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
	return len(rows) > 0, wrap("look for standing grants", err)
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

// warn notifies the store's people when a grant ended because a credential was presented twice: it
// may have been stolen.
func warn(ctx context.Context, c *db.Client, g *db.Grant, app *db.App, why state.GrantEnd) error {
	if why != state.GrantCodeReused && why != state.GrantTokenReused {
		return nil
	}
	return notify.Append(ctx, c, notify.Notice{
		Level: state.NotificationWarning,
		Title: clip("The access of "+app.Name+" was revoked", limit.Line),
		Body: "A credential of this app was used twice. It may have been stolen, or the app has a bug. " +
			"The access that " + g.UserName + " granted was revoked. If you trust the app, connect it again.",
		Kind: xid.Grant, ID: g.ID,
	})
}

// clip cuts a text to n code points.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
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

// systemViewer returns the viewer for families that the server ends by itself.
func systemViewer(g *db.Grant) *viewer.Viewer {
	return &viewer.Viewer{Kind: viewer.System, Store: g.StoreID, Name: "storefront"}
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
