// Package session keeps people signed in with a browser: it verifies passwords, issues tokens and
// finds the person of a token.
//
// A token is 52 letters and digits of 260 random bits; only its SHA-256 is stored. Nothing is
// cached in memory, so a session that ends is refused by every process at the next request.
package session

import (
	"cmp"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// Lifetimes of a session.
const (
	// Life is the maximum age of a session.
	Life = 14 * 24 * time.Hour
	// Idle is how long a session may be unused. Its last use is recorded to the minute.
	Idle = 12 * time.Hour
	// seenEvery is how often the last use is recorded at most.
	seenEvery = time.Minute
)

// Person is a signed-in person with the open stores that they belong to, and the closed ones that
// they own: owners may reopen them.
type Person struct {
	User        xid.ID
	Name, Email string
	Verified    bool // they have verified their email address
	Session     digest.Sum
	ProvedAt    micros.Time  // when they last confirmed their identity in the session
	Memberships []Membership // open stores first, sorted by the store's name
	// HasFactor reports that they have a second factor and signed in with it: adding a first factor
	// ends the person's other sessions.
	HasFactor bool
}

// Membership is one store of a person.
type Membership struct {
	Store                  xid.ID
	Handle, Name, Currency string
	Legacy                 bool
	// SecondFactor reports that the store requires its people to have a second factor.
	SecondFactor bool
	Role         viewer.Role
	Closed       bool
}

// In returns the person as the viewer of a store, or nil if they do not belong to it.
func (p *Person) In(store xid.ID) *viewer.Viewer {
	i := slices.IndexFunc(p.Memberships, func(m Membership) bool { return m.Store == store })
	if i < 0 {
		return nil
	}
	m := p.Memberships[i]
	return &viewer.Viewer{Kind: viewer.Staff, Store: m.Store, Actor: p.User, Principal: p.User, Name: p.Name,
		Session: p.Session, ProvedAt: p.ProvedAt, Role: m.Role, Granted: m.Role.Scopes(),
		Scopes: m.Role.Scopes().Effective(), Currency: m.Currency, Legacy: m.Legacy, LacksFactor: p.Lacks(m)}
}

// Stale reports whether they last confirmed their identity too long ago.
func (p *Person) Stale() bool { return viewer.Stale(p.ProvedAt) }

// Lacks reports whether the store requires a second factor that they do not have.
func (p *Person) Lacks(m Membership) bool { return m.SecondFactor && !p.HasFactor }

// Config holds the dependencies of a [Keeper].
type Config struct {
	Store *ent.Store
	// Devices are the keys of the cookies of known browsers. The first one signs; all verify.
	// Without keys, as in the operator's commands, no browser is known and no guess is counted.
	Devices []keyring.MACKey
	Logger  *slog.Logger
}

// Keeper signs people in and out. It is safe for concurrent use.
type Keeper struct {
	store   *ent.Store
	devices devices
	counts  counts
	log     *slog.Logger
	holds   chan struct{} // see Hold
}

// NewKeeper returns a keeper, or an error if Store is missing.
func NewKeeper(c Config) (*Keeper, error) {
	if c.Store == nil {
		return nil, errors.New("session: Store is needed")
	}
	return &Keeper{store: c.Store, devices: devices{c.Devices}, holds: make(chan struct{}, maxHolds),
		log: cmp.Or(c.Logger, slog.New(slog.DiscardHandler))}, nil
}
