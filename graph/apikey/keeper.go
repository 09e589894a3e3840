package apikey

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
)

// Freshness is how long a credential that was looked up is believed: the time
// after which a revocation by another process holds here (contract, section 7).
const Freshness = 8 * time.Second

// maxCached bounds the memory that credentials take.
const maxCached = 100_000

// Keeper authenticates credentials. It remembers the good ones for a moment, so
// that a request costs no query, and forgets what this process revokes at once.
type Keeper struct {
	store *ent.Store

	// epoch rises with every revocation: a look-up that began before it must not
	// be remembered after it.
	epoch atomic.Uint64
	cache sync.Map // digest.Sum -> *entry
	size  atomic.Int64
}

// entry is a credential that was found.
type entry struct {
	viewer  *viewer.Viewer
	staleAt micros.Time
	// expiresAt is the credential's own end; zero for none.
	expiresAt micros.Time
	used      atomic.Bool
	staff     bool
}

// NewKeeper makes a keeper of the credentials in a store.
func NewKeeper(s *ent.Store) *Keeper { return &Keeper{store: s} }

// Authenticate returns who holds the credential. A text of the wrong form or
// checksum is refused without a query. kinds are the ones that the face takes;
// everything else is the same InvalidToken.
func (k *Keeper) Authenticate(ctx context.Context, token string, kinds ...Kind) (*viewer.Viewer, error) {
	secret, kind, ok := Parse(token)
	if !ok || !taken(kind, kinds) {
		return nil, invalid()
	}
	sum := digest.Sum(secret.Hash())
	now := micros.Now()
	if e, ok := k.cache.Load(sum); ok {
		if e := e.(*entry); e.live(now) {
			if !e.used.Load() {
				e.used.Store(true)
			}
			return e.viewer, nil
		}
	}
	return k.lookUp(ctx, sum, now)
}

func taken(kind Kind, kinds []Kind) bool {
	for _, k := range kinds {
		if k == kind {
			return true
		}
	}
	return false
}

func (e *entry) live(now micros.Time) bool {
	return now < e.staleAt && (e.expiresAt == 0 || now < e.expiresAt)
}

// lookUp reads the credential and remembers it, unless something was revoked
// meanwhile.
func (k *Keeper) lookUp(ctx context.Context, sum digest.Sum, now micros.Time) (*viewer.Viewer, error) {
	epoch := k.epoch.Load()
	e, err := k.find(ctx, sum, now)
	switch {
	case db.IsNotFound(err) || errors.Is(err, errDead):
		k.drop(sum)
		return nil, invalid()
	case ent.IsUnavailable(err):
		return nil, &fault.Error{Kind: fault.Unavailable, Detail: "The service is not available for a moment.", RetryAfter: time.Second, Err: err}
	case err != nil:
		return nil, fmt.Errorf("look up credential: %w", err)
	}
	e.used.Store(true)
	if k.size.Load() >= maxCached {
		k.clear()
	}
	if _, had := k.cache.Swap(sum, e); !had {
		k.size.Add(1)
	}
	if k.epoch.Load() != epoch {
		k.drop(sum)
	}
	return e.viewer, nil
}

func (k *Keeper) drop(sum digest.Sum) {
	if _, had := k.cache.LoadAndDelete(sum); had {
		k.size.Add(-1)
	}
}

func (k *Keeper) clear() {
	k.cache.Range(func(sum, _ any) bool {
		k.drop(sum.(digest.Sum))
		return true
	})
}

// Forget drops everything that is remembered. Call it after the commit of a
// change to a credential, a membership or a store: such changes are rare, and a
// look-up is cheap.
func (k *Keeper) Forget() {
	k.epoch.Add(1)
	k.clear()
}

func invalid() error {
	return fault.New(fault.InvalidToken, "The credential is unknown, revoked or expired.")
}
