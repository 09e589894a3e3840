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
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/model"
)

// maxEnded is how many grants one transaction ends.
const maxEnded = 100

// GrantRevoke ends one grant and all its tokens: at once in this process, and in
// others when what they remember is no longer fresh.
func (m Mutation) GrantRevoke(ctx context.Context, id string) (*model.GrantPayload, error) {
	uid, err := core.ParseID(xid.Grant, id)
	if err != nil {
		return nil, err
	}
	known, err := m.Query().Grant(ctx, id)
	if err != nil {
		return nil, err
	}
	var g *db.Grant
	err = m.Commit(ctx, xid.Grant, func(ctx context.Context) (_ *core.Record, err error) {
		if g, err = m.grant(ctx, uid); err != nil {
			return nil, err
		}
		ended, err := m.end(ctx, g, known.App)
		if err == nil && !ended {
			err = alreadyRevoked(xid.Grant)
		}
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return &model.GrantPayload{Grant: shownGrant(g, known.App, micros.Now())}, nil
}

// LastGrantEnded ends what an app has in the viewer's store when its last grant
// there ends, in the transaction of ctx: its endpoints and its exports.
func (r *Resolver) LastGrantEnded(ctx context.Context, app xid.ID) error {
	if err := r.endpoint.DisableOf(ctx, app); err != nil {
		return err
	}
	return r.report.CancelExportsOf(ctx, app)
}

// end ends a grant in the transaction of ctx and reports whether it was this call.
// The record is [oauth.End]'s, which ends grants where no operation does, too.
func (m Mutation) end(ctx context.Context, g *db.Grant, app *model.AppSummary) (bool, error) {
	ended, err := oauth.End(ctx, m.Client(ctx), g, app.App, state.GrantEndedByStore, m.LastGrantEnded)
	if err == nil && ended {
		err = m.Keys.Revoke(ctx, g.StoreID, g.StoreID)
	}
	return ended, err
}

// InstalledAppRevoke ends every standing grant of one app in the store. There
// are few as a rule, and they end in one transaction; more than a hundred take
// several, and a call that failed between two of them may be repeated.
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
		err := m.Commit(ctx, xid.App, func(ctx context.Context) (_ *core.Record, err error) {
			ended, more, err = m.endSome(ctx, app)
			return nil, err // as end says
		})
		if err != nil {
			return nil, err
		}
		revoked = append(revoked, ended...)
	}
	if len(revoked) == 0 {
		return nil, fault.State(fault.AlreadyRevoked, "The app has no access to the store any more.")
	}
	return &model.InstalledAppRevokePayload{RevokedIds: revoked}, nil
}

// grantedApp reads an app to which the store ever gave a grant; any other is as
// unknown as one that does not exist.
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

// endSome ends standing grants of the app in key order, and reports whether there
// may be more. The rows are locked first, so that none moves on meanwhile.
func (m Mutation) endSome(ctx context.Context, app *model.AppSummary) (ended []string, more bool, err error) {
	now := micros.Now()
	query := m.Client(ctx).Grant.Query().Where(grant.AppID(app.ID)).Order(grant.ByID()).Limit(maxEnded)
	query.Modify(ent.ForUpdate, func(s *sql.Selector) {
		ent.ForceIndex(grantIndex)(s)
		s.Where(oauth.Standing(now))
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
