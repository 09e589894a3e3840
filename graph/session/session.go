// Package session keeps people signed in with a browser.
package session

import (
	"context"
	"net/netip"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Person is somebody who is signed in, with the open stores that he belongs to.
type Person struct {
	User        xid.ID
	Name, Email string
	Session     digest.Sum
	Memberships []Membership // by the store's name
}

// Membership is one store of a person.
type Membership struct {
	Store                  xid.ID
	Handle, Name, Currency string
	Legacy                 bool
	Role                   viewer.Role
}

// In returns the person at work in a store, or nil where he does not belong to it.
func (p *Person) In(store xid.ID) *viewer.Viewer { return nil }

// Keeper signs people in and out.
type Keeper struct{ store *ent.Store }

// Attempt is one try to sign in.
type Attempt struct {
	Email, Password string
	Agent           string     // the browser's User-Agent
	Client          netip.Addr // who is throttled
	Former          string     // the token of the cookie that came along; it ends
}

// NewKeeper makes a keeper.
func NewKeeper(s *ent.Store) (*Keeper, error) { return &Keeper{store: s}, nil }

// SignIn returns a new token. A failure is a fault.
func (k *Keeper) SignIn(ctx context.Context, a Attempt) (token string, ends time.Time, err error) {
	return "", time.Time{}, nil
}

// Find returns who a token stands for, or nil for one that is not live.
func (k *Keeper) Find(ctx context.Context, token string) (*Person, error) { return nil, nil }

// SignOut ends one session.
func (k *Keeper) SignOut(ctx context.Context, token string) error { return nil }
