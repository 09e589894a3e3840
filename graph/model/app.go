package model

import (
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Account is the person of the request.
type Account struct {
	User xid.ID
	Name string
	// Email is in lower case.
	Email    string
	Verified bool
	Role     viewer.Role
}

// PublicID returns the public id of the person.
func (a *Account) PublicID() string { return xid.User.Format(a.User) }

// Membership is a store to which a person belongs.
type Membership struct {
	Store *Store
	Role  viewer.Role
}

// App is an app as the store that registered it sees it.
type App struct{ *db.App }

// RedirectURIs returns the allowed redirect URIs.
func (a *App) RedirectURIs() []string { return strings.Fields(a.App.RedirectUris) }

// Scopes returns the scopes that the app may request, sorted.
func (a *App) Scopes() []string { return scope.Parse(a.App.Scopes).Names() }

// AppSummary is an app as other stores see it.
type AppSummary struct{ *db.App }

// ClientID returns the OAuth client id.
func (a *AppSummary) ClientID() string { return wire.ClientID(a.App) }

// Disabled reports whether the app is disabled.
func (a *AppSummary) Disabled() bool { return a.DisabledAt != nil }

// Grant is a grant with its app.
type Grant struct {
	*db.Grant
	App *AppSummary
	// Live reports whether the grant was valid when it was read.
	Live bool
}

// Scopes returns the granted scopes, sorted.
func (g *Grant) Scopes() []string { return scope.Parse(g.Grant.Scopes).Names() }

// User returns the person who consented, with their name at that time.
func (g *Grant) User() *Author {
	return &Author{Type: viewer.Staff, ID: wire.ActorID(viewer.Staff, g.UserID), Name: g.UserName}
}

// InstalledApp is an app with its live grants in one store, newest first.
type InstalledApp struct {
	App    *AppSummary
	Grants []*Grant
}

// Scopes returns the scopes that the live grants have together at present, sorted.
func (i *InstalledApp) Scopes() []string {
	var granted scope.Set
	for _, g := range i.Grants {
		granted |= scope.Parse(g.Grant.Scopes)
	}
	return (granted.Effective() & scope.Parse(i.App.Scopes).Effective()).Names()
}

// FirstConsentedAt returns when the oldest live grant was given.
func (i *InstalledApp) FirstConsentedAt() micros.Time {
	return i.Grants[len(i.Grants)-1].CreatedAt()
}

// LastUsedAt returns when a live grant was last used.
func (i *InstalledApp) LastUsedAt() *micros.Time {
	var last *micros.Time
	for _, g := range i.Grants {
		if g.LastUsedAt != nil && (last == nil || *g.LastUsedAt > *last) {
			last = g.LastUsedAt
		}
	}
	return last
}

// Session is a signed-in browser.
type Session struct {
	*db.Session
	PublicID string
	Current  bool
}

// NewSession returns a session for its person. public is its public id, which is not its hash;
// current is the hash of the session of the request.
func NewSession(s *db.Session, public string, current digest.Sum) *Session {
	return &Session{Session: s, PublicID: public, Current: s.ID == current}
}

// AccountEvent is an entry of a person's security log.
type AccountEvent struct{ *db.AccountEvent }

// PublicID returns the public id of the entry.
func (e *AccountEvent) PublicID() string { return xid.Audit.Format(e.ID) }

// Action returns the name of the recorded action.
func (e *AccountEvent) Action() string { return string(e.AccountEvent.Action) }

// CreatedAt returns the time of the action.
func (e *AccountEvent) CreatedAt() micros.Time { return e.ID.Time() }

// Event is an entry of the event log.
type Event struct {
	*db.Event
	// Bodies loads the bodies of all events of the page.
	Bodies *Batch[xid.ID, []byte]
}

// Type returns the name of the event.
func (e *Event) Type() string { return string(e.Event.Type) }

// PublicResourceID returns the public id of the event's resource.
func (e *Event) PublicResourceID() string {
	return xid.KindOf(e.ResourceType).Format(e.ResourceID)
}

// Notification is a notification to the staff of a store.
type Notification struct{ *db.Notification }

// PublicResourceID returns the public id of the notification's resource, or nil.
func (n *Notification) PublicResourceID() *string {
	if n.ResourceID == nil || n.ResourceType == nil {
		return nil
	}
	return new(xid.KindOf(*n.ResourceType).Format(*n.ResourceID))
}
