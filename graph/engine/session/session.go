// Package session keeps people signed in with a browser: it proves passwords,
// gives out tokens and finds who one stands for.
//
// A token is 52 letters and digits of 260 random bits; only its SHA-256 is kept.
// Nothing is remembered in memory: a session that is ended here is ended in every
// process at the next request.
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

// The life of a session.
const (
	// Life is how long it lasts in all, from the sign-in on.
	Life = 14 * 24 * time.Hour
	// Idle is how long it may rest. Its last use is known to a minute.
	Idle = 12 * time.Hour
	// seenEvery is how seldom the last use is written.
	seenEvery = time.Minute
)

// Person is somebody who is signed in, with the open stores that they belong to.
type Person struct {
	User        xid.ID
	Name, Email string
	Verified    bool // they have proved that the address is theirs
	Session     digest.Sum
	ProvedAt    micros.Time  // when they last proved in the session who they are
	Memberships []Membership // by the store's name
	// HasFactor says that they have a second factor, by which they came in: the first
	// one of a person ends their other sessions.
	HasFactor bool
}

// Membership is one store of a person.
type Membership struct {
	Store                  xid.ID
	Handle, Name, Currency string
	Legacy                 bool
	// SecondFactor says that the store requires one of its people.
	SecondFactor bool
	Role         viewer.Role
}

// In returns the person at work in a store, or nil where they do not belong to it.
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

// Stale reports whether they proved too long ago in the session who they are.
func (p *Person) Stale() bool { return viewer.Stale(p.ProvedAt) }

// Lacks reports whether a store of theirs requires a second factor that they do not have.
func (p *Person) Lacks(m Membership) bool { return m.SecondFactor && !p.HasFactor }

// Config is what a [Keeper] needs.
type Config struct {
	Store *ent.Store
	// Devices sign the cookies of browsers that are known, the first one; all verify.
	// Without any, no browser is known and no guess counted, as for the operator's
	// commands.
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

// NewKeeper makes a keeper.
func NewKeeper(c Config) (*Keeper, error) {
	if c.Store == nil {
		return nil, errors.New("session: Store is needed")
	}
	return &Keeper{store: c.Store, devices: devices{c.Devices}, holds: make(chan struct{}, maxHolds),
		log: cmp.Or(c.Logger, slog.New(slog.DiscardHandler))}, nil
}
