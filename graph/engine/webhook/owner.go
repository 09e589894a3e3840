package webhook

import (
	"context"
	stdsql "database/sql"
	"encoding/json"
	"errors"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// grantTTL is how long an app's scopes are cached. A revocation takes effect everywhere within 10 s
// (contract, section 7).
const grantTTL = 4 * time.Second

const maxGrants = 10_000

type grantKey struct{ store, app xid.ID }

// grant is the scopes of an app in a store, as read at a time.
type grant struct {
	scopes scope.Set
	at     time.Time
}

// grants knows what the apps that own endpoints may receive.
type grants struct {
	*base
	cached *lru.Cache[grantKey, grant] // for [grantTTL]
}

type app struct{ store, id xid.ID }

// permitted reports whether the owner of an endpoint may receive an event now. The store always
// may; an app needs a grant with the event's scope (contract, section 5).
func (g *grants) permitted(ctx context.Context, store xid.ID, owner *app, kind event.Type) (bool, error) {
	if owner == nil {
		return true, nil
	}
	e, ok := event.Find(kind)
	if !ok {
		return false, nil
	}
	held, err := g.scopesOf(ctx, store, owner)
	return held.Has(e.Scope), err
}

// scopesOf returns the scopes of an app in a store, cached for [grantTTL].
func (g *grants) scopesOf(ctx context.Context, store xid.ID, owner *app) (scope.Set, error) {
	k, now := grantKey{store, owner.id}, time.Now()
	if found, ok := g.cached.Get(k); ok && now.Sub(found.at) < grantTTL {
		return found.scopes, nil
	}
	scopes, err := g.AppScopes(ctx, store, owner.store, owner.id)
	if err != nil {
		return scope.Of(), err
	}
	g.cached.Add(k, grant{scopes, now})
	return scopes, nil
}

// readable reports whether the owner of an endpoint may receive the body of an event. An event
// about an export also needs the scope of the export's kind.
func (g *grants) readable(
	ctx context.Context, store xid.ID, owner *app, kind event.Type, body []byte,
) (bool, error) {
	if owner == nil || !ofExport(kind) {
		return true, nil
	}
	about, err := subjectOf(kind, body)
	if err != nil {
		return false, nil //nolint:nilerr // unreadable bodies go to no app
	}
	held, err := g.scopesOf(ctx, store, owner)
	return held.Has(scope.OfExport(about.kind)), err
}

func ofExport(kind event.Type) bool {
	return kind == event.ExportCompleted || kind == event.ExportFailed
}

// subject is the app that an event concerns, according to its body.
type subject struct {
	app  *xid.ID // whose grant ended, or that requested the export
	kind state.ExportKind
}

func subjectOf(kind event.Type, body []byte) (subject, error) {
	var payload struct {
		Data struct {
			Object struct {
				App struct {
					ID string `json:"id"`
				} `json:"app"`
				Kind        state.ExportKind `json:"kind"`
				RequestedBy struct {
					Type string `json:"type"`
					ID   string `json:"id"`
				} `json:"requested_by"`
			} `json:"object"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &payload); err != nil {
		return subject{}, err
	}
	o := payload.Data.Object
	name := o.App.ID
	if ofExport(kind) {
		if o.RequestedBy.Type != string(viewer.OAuthApp) {
			return subject{kind: o.Kind}, nil
		}
		name = o.RequestedBy.ID
	}
	id, err := xid.App.Parse(name)
	return subject{app: &id, kind: o.Kind}, err
}

func scanSubscriber(rs *stdsql.Rows) (*subscriber, error) {
	s := new(subscriber)
	var e db.WebhookEndpoint
	err := rs.Scan(&s.Store, &s.Endpoint, &e.Events, &e.Status, &e.AppStoreID, &e.AppID, &s.number, &s.wake, &s.last,
		&s.missed, &e.Filters)
	if err != nil {
		return nil, err
	}
	s.types, s.filters, s.owner = typesOf(e.Events), conditions(e.Filters), appOf(e.AppStoreID, e.AppID)
	s.active = e.Status == state.EndpointActive
	return s, nil
}

// findApps reads from the bodies of events which apps they concern. An event whose body cannot be
// read is delivered to no endpoint.
func (b *base) findApps(ctx context.Context, batch []*entry) error {
	for _, p := range batch {
		if p.kind != event.AppGrantRevoked && !ofExport(p.kind) {
			continue
		}
		body := p.body
		if body == nil {
			var err error
			if body, err = b.eventBody(ctx, p.store, p.event); err != nil && !errors.Is(err, errGone) {
				return err
			}
		}
		about, err := subjectOf(p.kind, body)
		if err != nil {
			p.kind = ""
			b.Logger.ErrorContext(ctx, "webhooks: an event names no app", "event", xid.Event.Format(p.event), "error",
				err)
		}
		p.app = about.app
	}
	return nil
}
