package apikey

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent"
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

	// start is what freshness is measured from: a clock that is set back must not
	// lengthen the life of what was looked up.
	start time.Time
	// epoch rises with every revocation: what a look-up found that began before
	// it is not believed after it.
	epoch atomic.Uint64
	cache sync.Map // digest.Sum -> *entry
	size  atomic.Int64

	// left are the used credentials whose entries went before their last use was
	// written.
	mu   sync.Mutex
	left []*entry
}

// entry is a credential that was found.
type entry struct {
	viewer *viewer.Viewer
	epoch  uint64
	// staleAt is when it must be looked up anew, since the keeper's start.
	staleAt time.Duration
	// expiresAt is the credential's own end; zero for none.
	expiresAt micros.Time
	used      atomic.Bool
	kind      Kind
}

// NewKeeper makes a keeper of the credentials in a store.
func NewKeeper(s *ent.Store) *Keeper { return &Keeper{store: s, start: time.Now()} }

// Authenticate returns who holds the credential. A text of the wrong form or
// checksum is refused without a query. kinds are the ones that the face takes;
// everything else is the same InvalidToken.
func (k *Keeper) Authenticate(ctx context.Context, token string, kinds ...Kind) (*viewer.Viewer, error) {
	secret, kind, ok := Parse(token)
	if !ok || !taken(kind, kinds) {
		return nil, invalid()
	}
	sum := digest.Sum(secret.Hash())
	now := time.Now()
	if e, ok := k.cache.Load(sum); ok {
		if e := e.(*entry); k.live(e, now) {
			if !e.used.Load() { // a read leaves the line with every core
				e.used.Store(true)
			}
			return e.viewer, nil
		}
	}
	return k.lookUp(ctx, sum, kind, now)
}

func taken(kind Kind, kinds []Kind) bool {
	return slices.Contains(kinds, kind)
}

// live tells whether an entry may be believed.
func (k *Keeper) live(e *entry, now time.Time) bool {
	return e.epoch == k.epoch.Load() && now.Sub(k.start) < e.staleAt &&
		(e.expiresAt == 0 || micros.Of(now) < e.expiresAt)
}

// lookUp reads the credential and remembers it. The epoch and the time are those
// of before the first read: what is revoked during the look-up makes the entry
// one of the past, and a slow one is stale the sooner.
func (k *Keeper) lookUp(ctx context.Context, sum digest.Sum, kind Kind, now time.Time) (*viewer.Viewer, error) {
	epoch := k.epoch.Load()
	e, err := k.find(ctx, sum, kind, micros.Of(now))
	switch {
	case errors.Is(err, errDead):
		k.drop(sum)
		return nil, invalid()
	case ent.IsUnavailable(err):
		return nil, &fault.Error{Kind: fault.Unavailable, Detail: "The service is not available for a moment.", RetryAfter: time.Second, Err: err}
	case err != nil:
		return nil, fmt.Errorf("look up credential: %w", err)
	}
	k.remember(sum, e, epoch, now)
	return e.viewer, nil
}

// remember keeps what a look-up found that began at the time and in the epoch.
func (k *Keeper) remember(sum digest.Sum, e *entry, epoch uint64, began time.Time) {
	e.epoch, e.staleAt = epoch, began.Sub(k.start)+Freshness
	e.used.Store(true)
	if k.size.Load() >= maxCached {
		k.clear()
	}
	if _, had := k.cache.Swap(sum, e); !had {
		k.size.Add(1)
	}
}

// drop forgets a credential, but not that it was used.
func (k *Keeper) drop(sum digest.Sum) {
	e, had := k.cache.LoadAndDelete(sum)
	if !had {
		return
	}
	k.size.Add(-1)
	if e := e.(*entry); e.used.Load() {
		k.mu.Lock()
		k.left = append(k.left, e)
		k.mu.Unlock()
	}
}

func (k *Keeper) clear() {
	k.cache.Range(func(sum, _ any) bool {
		k.drop(sum.(digest.Sum))
		return true
	})
}

// Forget makes everything that is remembered be looked up anew. Call it after
// the commit of a change to a credential, a membership or a store: such changes
// are rare, and a look-up is cheap. When it has returned, nothing that was read
// before it is believed.
func (k *Keeper) Forget() { k.epoch.Add(1) }

func invalid() error {
	return fault.New(fault.InvalidToken, "The credential is unknown, revoked or expired.")
}
