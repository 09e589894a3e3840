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

// Account is the person who asks.
type Account struct {
	User xid.ID
	Name string
	// Email is their address, in lower case.
	Email    string
	Verified bool
	Role     viewer.Role
}

// PublicID returns the person's id.
func (a *Account) PublicID() string { return xid.User.Format(a.User) }

// Membership is a store that a person belongs to.
type Membership struct {
	Store *Store
	Role  viewer.Role
}

// App is an app in the store that registered it.
type App struct{ *db.App }

// RedirectURIs returns where its answers may go.
func (a *App) RedirectURIs() []string { return strings.Fields(a.App.RedirectUris) }

// Scopes returns what it may ask for, sorted.
func (a *App) Scopes() []string { return scope.Parse(a.App.Scopes).Names() }

// AppSummary is an app as other stores may see it.
type AppSummary struct{ *db.App }

// ClientID returns the client id that it sends.
func (a *AppSummary) ClientID() string { return wire.ClientID(a.App) }

// Disabled reports whether it was stopped.
func (a *AppSummary) Disabled() bool { return a.DisabledAt != nil }

// Grant is a grant with its app.
type Grant struct {
	*db.Grant
	App *AppSummary
	// Live reports whether it opened the store when it was read.
	Live bool
}

// Scopes returns the granted scopes, sorted.
func (g *Grant) Scopes() []string { return scope.Parse(g.Grant.Scopes).Names() }

// User is who consented, by the name of that time.
func (g *Grant) User() *Author {
	return &Author{Type: viewer.Staff, ID: wire.ActorID(viewer.Staff, g.UserID), Name: g.UserName}
}

// InstalledApp is an app with its live grants in one store, newest first.
type InstalledApp struct {
	App    *AppSummary
	Grants []*Grant
}

// Scopes returns what the live grants open together at present, sorted.
func (i *InstalledApp) Scopes() []string {
	var granted scope.Set
	for _, g := range i.Grants {
		granted |= scope.Parse(g.Grant.Scopes)
	}
	return (granted.Effective() & scope.Parse(i.App.Scopes).Effective()).Names()
}

// FirstConsentedAt is when the oldest of its live grants was given.
func (i *InstalledApp) FirstConsentedAt() micros.Time {
	return i.Grants[len(i.Grants)-1].CreatedAt()
}

// LastUsedAt is when any of its live grants was used last.
func (i *InstalledApp) LastUsedAt() *micros.Time {
	var last *micros.Time
	for _, g := range i.Grants {
		if g.LastUsedAt != nil && (last == nil || *g.LastUsedAt > *last) {
			last = g.LastUsedAt
		}
	}
	return last
}

// Session is a browser that is signed in.
type Session struct {
	*db.Session
	PublicID string
	Current  bool
}

// NewSession shows a session to its person, under a name that is not its hash; current
// is the hash of the one that asks.
func NewSession(s *db.Session, public string, current digest.Sum) *Session {
	return &Session{Session: s, PublicID: public, Current: s.ID == current}
}

// AccountEvent is a row of a person's own log.
type AccountEvent struct{ *db.AccountEvent }

// PublicID returns its id.
func (e *AccountEvent) PublicID() string { return xid.Audit.Format(e.ID) }

// Action says what happened.
func (e *AccountEvent) Action() string { return string(e.AccountEvent.Action) }

// CreatedAt is when.
func (e *AccountEvent) CreatedAt() micros.Time { return e.ID.Time() }

// Event is an entry of the event log.
type Event struct {
	*db.Event
	// Bodies are those of the events of its page.
	Bodies *Batch[xid.ID, []byte]
}

// Type returns its name.
func (e *Event) Type() string { return string(e.Event.Type) }

// PublicResourceID returns the id of what it is about.
func (e *Event) PublicResourceID() string {
	return xid.KindOf(e.ResourceType).Format(e.ResourceID)
}

// Notification is a notification.
type Notification struct{ *db.Notification }

// PublicResourceID returns the id of what it is about, or nil.
func (n *Notification) PublicResourceID() *string {
	if n.ResourceID == nil || n.ResourceType == nil {
		return nil
	}
	return new(xid.KindOf(*n.ResourceType).Format(*n.ResourceID))
}
