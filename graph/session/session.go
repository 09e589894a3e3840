// Package session keeps people signed in with a browser: it proves passwords,
// gives out tokens and finds who one stands for.
//
// A token is 52 letters and digits of 260 random bits; only its SHA-256 is kept.
// Nothing is remembered in memory: a session that is ended here is ended in every
// process at the next request.
package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
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
	Session     digest.Sum
	Memberships []Membership // by the store's name; at least one
}

// Membership is one store of a person.
type Membership struct {
	Store                  xid.ID
	Handle, Name, Currency string
	Legacy                 bool
	Role                   viewer.Role
}

// In returns the person at work in a store, or nil where they do not belong to it.
func (p *Person) In(store xid.ID) *viewer.Viewer {
	i := slices.IndexFunc(p.Memberships, func(m Membership) bool { return m.Store == store })
	if i < 0 {
		return nil
	}
	m := p.Memberships[i]
	return &viewer.Viewer{Kind: viewer.Staff, Store: m.Store, Actor: p.User, Principal: p.User, Name: p.Name,
		Session: p.Session, Role: m.Role, Granted: m.Role.Scopes(), Scopes: m.Role.Scopes().Effective(),
		Currency: m.Currency, Legacy: m.Legacy}
}

// Throttle bounds how fast passwords may be guessed, for an account, by the
// digest of its e-mail address whether it exists or not, and for a client, where
// one is known.
type Throttle interface {
	// Take counts an attempt before its outcome is known, so that attempts at the
	// same time are counted too. It returns 0, or how long to wait; then nothing
	// was counted.
	Take(account digest.Sum, client netip.Addr) time.Duration
	// Return takes the count back of an attempt that was no guess.
	Return(account digest.Sum, client netip.Addr)
}

// Config is what a [Keeper] needs.
type Config struct {
	Store *ent.Store
	// Throttle may be nil: then nothing is bounded, as for the operator's commands.
	Throttle Throttle
	Logger   *slog.Logger
}

// Keeper signs people in and out. It is safe for concurrent use.
type Keeper struct {
	store    *ent.Store
	throttle Throttle
	log      *slog.Logger
}

// NewKeeper makes a keeper.
func NewKeeper(c Config) (*Keeper, error) {
	if c.Store == nil {
		return nil, errors.New("session: Store is needed")
	}
	if c.Throttle == nil {
		c.Throttle = unbounded{}
	}
	return &Keeper{store: c.Store, throttle: c.Throttle, log: cmp.Or(c.Logger, slog.New(slog.DiscardHandler))}, nil
}

type unbounded struct{}

func (unbounded) Take(digest.Sum, netip.Addr) time.Duration { return 0 }
func (unbounded) Return(digest.Sum, netip.Addr)             {}

// tokenLen is the length of a token: two texts of rand.Text.
const tokenLen = 52

func newToken() string { return rand.Text() + rand.Text() }

// sumOf returns what is kept of a token; a text that cannot be one has none, and
// costs no statement.
func sumOf(token string) (digest.Sum, bool) {
	if len(token) != tokenLen || strings.ContainsFunc(token, func(r rune) bool { return !base32Rune(r) }) {
		return digest.Sum{}, false
	}
	return digest.Of([]byte(token)), true
}

func base32Rune(r rune) bool { return r >= 'A' && r <= 'Z' || r >= '2' && r <= '7' }

// SignOut ends the session of a token, if there is one.
func (k *Keeper) SignOut(ctx context.Context, token string) error {
	sum, ok := sumOf(token)
	if !ok {
		return nil
	}
	return explain("sign out", k.store.InTx(ctx, func(ctx context.Context) error { return k.end(ctx, sum) }))
}
