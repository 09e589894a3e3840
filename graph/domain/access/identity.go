package access

import (
	"context"

	"github.com/storefront-go/storefront/ent/db/accesstoken"
	"github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/db/stafftoken"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Me describes the calling credential. It fails for callers without one, such as the operator.
func (q Query) Me(ctx context.Context) (*model.Identity, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	id := &model.Identity{Credential: v.Credential, Effective: v.Scopes, Granted: v.Granted, ServerTime: micros.Now()}
	switch v.Kind {
	case viewer.APIKey:
		err = q.identifyKey(ctx, id)
	case viewer.OAuthApp:
		err = q.identifyAccess(ctx, v, id)
	case viewer.Staff:
		if v.Session == (digest.Sum{}) {
			err = q.identifyToken(ctx, id)
		} else {
			err = q.identifySession(ctx, v, id)
		}
	default:
		err = fault.New(fault.AuthenticationRequired, "A credential is required.")
	}
	if err != nil {
		return nil, core.Explain("credential", err)
	}
	s, err := q.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	limits, err := q.LimitsOf(s)
	if err != nil {
		return nil, err
	}
	id.Store, id.Limits = q.ShownStore(s), &model.Limits{Values: limits,
		PageSizeDefault: page.DefaultLimit, PageSizeMax: page.MaxLimit,
		BodyBytesMax: limit.Body, IdempotencyKeyTTLSeconds: int(idem.Retention.Seconds())}
	return id, nil
}

func (q Query) identifyKey(ctx context.Context, id *model.Identity) error {
	k, err := core.Only(q.Client(ctx).APIKey.Query().Where(apikey.ID(id.Credential)).Load(ctx))
	if err != nil {
		return err
	}
	id.Type, id.CredentialID = model.CredentialTypeAPIKey, xid.APIKey.Format(k.ID)
	id.Name, id.Hint, id.CreatedAt, id.ExpiresAt = &k.Name, k.Hint, k.CreatedAt(),
		(&model.APIKey{APIKey: k}).ExpiresAt()
	id.Superseded = k.SupersededAt != nil
	return nil
}

func (q Query) identifyToken(ctx context.Context, id *model.Identity) error {
	t, err := core.Only(q.Client(ctx).StaffToken.Query().Where(stafftoken.ID(id.Credential)).Load(ctx))
	if err != nil {
		return err
	}
	id.Type, id.CredentialID = model.CredentialTypeStaffToken, xid.Token.Format(t.ID)
	id.Name, id.Hint, id.CreatedAt, id.ExpiresAt = &t.Name, t.Hint, t.CreatedAt(), t.ExpiresAt
	return nil
}

// identifySession describes a signed-in browser. A session has no public id, because its key is the
// hash of its secret: the person's id is used instead, and there is no hint.
func (q Query) identifySession(ctx context.Context, v *viewer.Viewer, id *model.Identity) error {
	s, err := core.Only(q.Client(ctx).Session.Query().Where(session.ID(v.Session)).Load(ctx))
	if err != nil {
		return err
	}
	id.Type, id.CredentialID = model.CredentialTypeSession, xid.User.Format(v.Actor)
	id.Name, id.CreatedAt, id.ExpiresAt = &v.Name, s.CreatedAt, &s.ExpiresAt
	return nil
}

// identifyAccess describes an app's access token, with the app and the grant. The app's row belongs
// to the store that registered it.
func (q Query) identifyAccess(ctx context.Context, v *viewer.Viewer, id *model.Identity) error {
	t, err := core.Only(q.Client(ctx).AccessToken.Query().Where(accesstoken.ID(v.Credential)).Load(ctx))
	if err != nil {
		return err
	}
	g, err := core.Only(q.Client(ctx).Grant.Query().Where(grant.ID(v.Grant)).Load(ctx))
	if err != nil {
		return err
	}
	a, err := core.Only(q.Client(ctx).App.Query().Where(app.StoreID(g.AppStoreID), app.ID(g.AppID)).
		Load(viewer.Everywhere(ctx)))
	if err != nil {
		return err
	}
	id.Type, id.CredentialID = model.CredentialTypeOauthToken, xid.Token.Format(t.ID)
	id.Hint, id.CreatedAt, id.ExpiresAt = t.Hint, t.CreatedAt(), &t.ExpiresAt
	id.App, id.Grant = &model.AppSummary{App: a}, g
	return nil
}

// Scopes returns all scopes.
func (q Query) Scopes(context.Context) ([]*scope.Scope, error) {
	all := scope.All()
	rows := make([]*scope.Scope, len(all))
	for i := range all {
		rows[i] = &all[i]
	}
	return rows, nil
}
