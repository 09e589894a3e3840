package access

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/model"
)

const maxEnded = 100

// GrantRevoke ends one grant and all its tokens: at once in this process, and in others when their
// cached credentials expire.
func (m Mutation) GrantRevoke(ctx context.Context, id string) (*model.GrantPayload, error) {
	uid, err := core.ParseID(xid.Grant, id)
	if err != nil {
		return nil, err
	}
	known, err := Query(m).Grant(ctx, id)
	if err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Grant, func(ctx context.Context) (*model.GrantPayload, *change.Record, error) {
		g, err := m.grant(ctx, uid)
		if err != nil {
			return nil, nil, err
		}
		ended, err := m.end(ctx, g, known.App)
		if err == nil && !ended {
			err = alreadyRevoked(xid.Grant)
		}
		return &model.GrantPayload{Grant: shownGrant(g, known.App, micros.Now())}, nil, err
	})
}

// LastGrantEnded disables the endpoints and cancels the exports of an app when its last grant in
// the viewer's store ends, in the transaction of ctx.
func (r *Resolver) LastGrantEnded(ctx context.Context, app xid.ID) error {
	if err := r.endpoint.DisableOf(ctx, app); err != nil {
		return err
	}
	return r.report.CancelExportsOf(ctx, app)
}

// end ends a grant in the transaction of ctx and reports whether this call did it. [oauth.End]
// writes the record, because grants also end outside of operations.
func (m Mutation) end(ctx context.Context, g *db.Grant, app *model.AppSummary) (bool, error) {
	ended, err := oauth.End(ctx, m.Client(ctx), g, app.App, state.GrantEndedByStore, m.LastGrantEnded)
	if err == nil && ended {
		err = m.Keys.Revoke(ctx, g.StoreID, g.StoreID)
	}
	return ended, err
}

// InstalledAppRevoke ends all standing grants of one app in the store. Usually there are few and
// one transaction suffices; more than a hundred take several, and a call that failed between two of
// them may be repeated.
func (m Mutation) InstalledAppRevoke(ctx context.Context, appID string) (*model.InstalledAppRevokePayload, error) {
	uid, err := core.ParseID(xid.App, appID)
	if err != nil {
		return nil, err
	}
	app, err := m.grantedApp(ctx, uid)
	if err != nil {
		return nil, core.Explain("app", err)
	}
	revoked := []string{}
	for more := true; more; {
		var ended []string
		err := m.Commit(ctx, xid.App, func(ctx context.Context) (_ *change.Record, err error) {
			ended, more, err = m.endSome(ctx, app)
			return nil, err // see end
		})
		if err != nil {
			return nil, err
		}
		revoked = append(revoked, ended...)
	}
	if len(revoked) == 0 {
		return nil, fault.State(fault.AlreadyRevoked, "The app no longer has access to the store.")
	}
	return &model.InstalledAppRevokePayload{RevokedIds: revoked}, nil
}

// grantedApp reads an app to which the store ever gave a grant. Other apps are reported as missing.
func (m Mutation) grantedApp(ctx context.Context, id xid.ID) (*model.AppSummary, error) {
	query := m.Client(ctx).Grant.Query().Where(grant.AppID(id)).Limit(1)
	query.Modify(ent.ForceIndex(grantIndex))
	rows, err := query.Load(ctx)
	if _, err := core.Only(rows, err); err != nil {
		return nil, err
	}
	of, err := m.appsOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	return of[id], nil
}

// endSome ends standing grants of the app in key order, and reports whether there may be more. It
// locks the rows first, so that they do not change meanwhile.
func (m Mutation) endSome(ctx context.Context, app *model.AppSummary) (ended []string, more bool, err error) {
	now := micros.Now()
	query := m.Client(ctx).Grant.Query().Where(grant.AppID(app.ID)).Order(grant.ByID()).Limit(maxEnded)
	query.Modify(ent.ForUpdate, func(s *sql.Selector) {
		ent.ForceIndex(grantIndex)(s)
		s.Where(oauth.LiveGrant(now))
	})
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("read standing grants: %w", err)
	}
	for _, g := range rows {
		done, err := m.end(ctx, g, app)
		if err != nil {
			return nil, false, err
		}
		if done {
			ended = append(ended, g.PublicID())
		}
	}
	return ended, len(ended) == maxEnded, nil
}
