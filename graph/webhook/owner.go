package webhook

import (
	"context"
	stdsql "database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// app is an app whose endpoint something is.
type app struct{ store, id xid.ID }

// ownerTTL is how long what an app may have is remembered: what is revoked is
// over everywhere within 10 s (contract, section 7).
const ownerTTL = 4 * time.Second

// granted is what an app may have in a store, as it was at a time.
type granted struct {
	scopes scope.Set
	at     time.Duration
}

// permitted tells whether the owner of an endpoint may have an event now: the
// store may always; an app needs a grant that stands and still holds the event's
// scope (contract, section 5).
func (d *dispatcher) permitted(ctx context.Context, store xid.ID, owner *app, kind event.Type) (bool, error) {
	if owner == nil {
		return true, nil
	}
	e, ok := event.Find(kind)
	if !ok {
		return false, nil
	}
	k := key{store, owner.id}
	if v, ok := d.grants.Load(k); ok && d.clockwork()-v.(granted).at < ownerTTL {
		return v.(granted).scopes.Has(e.Scope), nil
	}
	g := granted{at: d.clockwork()}
	var err error
	if g.scopes, err = d.AppScopes(ctx, store, owner.store, owner.id); err != nil {
		return false, err
	}
	d.grants.Store(k, g)
	return g.scopes.Has(e.Scope), nil
}

// scanSubscriber reads a row of [relay.subscribers].
func scanSubscriber(rs *stdsql.Rows) (*subscriber, error) {
	s := &subscriber{types: map[event.Type]bool{}}
	var names, status string
	var appStore, appID *xid.ID
	err := rs.Scan(&s.store, &s.endpoint, &names, &status, &appStore, &appID, &s.wake, &s.last, &s.missed)
	if err != nil {
		return nil, err
	}
	for name := range strings.FieldsSeq(names) {
		s.types[event.Type(name)] = true
	}
	if appID != nil {
		s.owner = &app{*appStore, *appID}
	}
	s.active = status == string(state.EndpointActive)
	return s, nil
}

// nameApps finds the apps that app.grant_revoked is about, in the bodies: they
// are not told of it themselves. An event whose app cannot be told goes to nobody.
func (d *dispatcher) nameApps(ctx context.Context, batch []*entry) error {
	for _, p := range batch {
		if p.kind != event.AppGrantRevoked {
			continue
		}
		body := p.body
		if body == nil {
			var err error
			if body, err = d.body(ctx, p.store, p.event); err != nil && !errors.Is(err, errGone) {
				return err
			}
		}
		var told struct {
			Data struct {
				Object struct {
					App struct {
						ID string `json:"id"`
					} `json:"app"`
				} `json:"object"`
			} `json:"data"`
		}
		err := json.Unmarshal(body, &told)
		if err == nil {
			p.app = new(xid.ID)
			*p.app, err = xid.App.Parse(told.Data.Object.App.ID)
		}
		if err != nil {
			p.kind = ""
			d.Logger.ErrorContext(ctx, "webhooks: an event names no app", "event", xid.Event.Format(p.event), "error", err)
		}
	}
	return nil
}
