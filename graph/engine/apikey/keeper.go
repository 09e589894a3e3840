package apikey

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/factor"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Freshness is how long a credential that was looked up is believed, whatever happens.
// What another process revokes holds here sooner: see [Elsewhere].
const Freshness = 8 * time.Second

const (
	// maxCached bounds the memory that credentials take.
	maxCached = 100_000
	// owners is how many owners of credentials are distinguished. Those whose ids end
	// alike are looked up anew with each other.
	owners = 1 << 12
)

// Keeper authenticates credentials. It remembers the good ones for a moment, so
// that a request costs no query, and forgets what this process revokes at once.
type Keeper struct {
	store *ent.Store

	// start is what freshness is measured from: a clock that is set back must not
	// lengthen the life of what was looked up.
	start time.Time
	cache *lru.Cache[digest.Sum, *entry]
	// epoch rises with every revocation, and forgotten holds the epoch of the last
	// one by owner: what a look-up found that began before it is not believed.
	epoch     atomic.Uint64
	forgotten [owners]atomic.Uint64
	all       atomic.Uint64 // the same of everybody

	watches watches
	told    func([]Told) // see OnTold
	// watched says that somebody looks for revocations, and looked when a look began last
	// that succeeded, since the start.
	watched atomic.Bool
	looked  atomic.Int64

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
	// networks are those that it may be used from; nil for everywhere.
	networks []netip.Prefix
	used     atomic.Bool
	kind     Kind
	// unused says that this is the first use of an access token that a refresh gave.
	unused bool
	// needsFactor says that the store of a staff token requires a second factor of its people.
	needsFactor bool
}

// allows reports whether the credential may be used from an address. The zero address is
// in no network.
func (e *entry) allows(from netip.Addr) bool {
	if e.networks == nil {
		return true
	}
	from = from.Unmap().WithZone("")
	for _, n := range e.networks {
		if n.Contains(from) {
			return true
		}
	}
	return false
}

// NewKeeper makes a keeper of the credentials in a store.
func NewKeeper(s *ent.Store) *Keeper {
	k := &Keeper{store: s, start: time.Now()}
	k.cache, _ = lru.NewWithEvict(maxCached, k.leave) // only a size below one is an error
	return k
}

// Authenticate returns who holds the credential. A text of the wrong form or
// checksum is refused without a query. kinds are the ones that the API takes;
// everything else is the same InvalidToken. A key with an allow-list of networks is
// refused: nothing is known of where the caller is.
func (k *Keeper) Authenticate(ctx context.Context, token string, kinds ...Kind) (*viewer.Viewer, error) {
	return k.AuthenticateFrom(ctx, netip.Addr{}, token, kinds...)
}

// AuthenticateFrom is [Keeper.Authenticate] of a client at an address. One that the key's
// allow-list leaves out learns nothing from the answer, not even that the key exists.
func (k *Keeper) AuthenticateFrom(
	ctx context.Context, from netip.Addr, token string, kinds ...Kind,
) (*viewer.Viewer, error) {
	secret, kind, ok := Parse(token)
	if !ok || !taken(kind, kinds) {
		return nil, invalid()
	}
	sum := digest.Sum(secret.Hash())
	now := time.Now()
	e, ok := k.cache.Get(sum)
	if !ok || !k.live(e, now) {
		var err error
		if e, err = k.lookUp(ctx, sum, kind, now); err != nil {
			return nil, err
		}
	}
	if !e.allows(from) {
		return nil, invalid()
	}
	if !e.used.Load() { // a read leaves the line with every core
		e.used.Store(true)
	}
	return e.viewer, nil
}

func taken(kind Kind, kinds []Kind) bool {
	return slices.Contains(kinds, kind)
}

// live reports whether an entry may be believed.
func (k *Keeper) live(e *entry, now time.Time) bool {
	return k.since(e.viewer.Store).Load() <= e.epoch && k.since(e.viewer.Actor).Load() <= e.epoch &&
		k.all.Load() <= e.epoch && k.fresh(e, now.Sub(k.start)) &&
		(e.expiresAt == 0 || micros.Of(now) < e.expiresAt)
}

// fresh reports whether an entry may be believed at a time since the keeper's start: it
// was looked up lately, or was looked for among the revocations.
func (k *Keeper) fresh(e *entry, now time.Duration) bool {
	if now >= e.staleAt {
		return false
	}
	return !k.watched.Load() || now < max(time.Duration(k.looked.Load()), e.staleAt-Freshness)+trusted
}

// since is the epoch from which on the credentials of an owner are believed.
func (k *Keeper) since(owner xid.ID) *atomic.Uint64 {
	return &k.forgotten[binary.BigEndian.Uint16(owner[len(owner)-2:])%owners]
}

// lookUp reads the credential and remembers it. The epoch and the time are those
// of before the first read: what is revoked during the look-up makes the entry
// one of the past, and a slow one is stale the sooner.
func (k *Keeper) lookUp(ctx context.Context, sum digest.Sum, kind Kind, now time.Time) (*entry, error) {
	epoch := k.epoch.Load()
	e, err := k.find(ctx, sum, kind, micros.Of(now))
	switch {
	case err != nil:
	case e.unused:
		err = k.writeFirstUse(ctx, e)
	case e.needsFactor && e.viewer.Sensitive:
		// The person gets by the token no further than in a browser.
		e.viewer.Sensitive, err = k.store.DB(ctx).Factor.Query().Where(factor.UserID(e.viewer.Actor)).Exist(ctx)
	}
	switch {
	case errors.Is(err, errDead):
		k.cache.Remove(sum)
		return nil, invalid()
	case ent.IsUnavailable(err):
		return nil, &fault.Error{Kind: fault.Unavailable, Detail: "The service is not available for a moment.",
			RetryAfter: time.Second, Err: err}
	case err != nil:
		return nil, fmt.Errorf("look up credential: %w", err)
	}
	k.remember(sum, e, epoch, now)
	return e, nil
}

// remember keeps what a look-up found that began at the time and in the epoch.
func (k *Keeper) remember(sum digest.Sum, e *entry, epoch uint64, began time.Time) {
	e.epoch, e.staleAt = epoch, began.Sub(k.start)+Freshness
	k.cache.Add(sum, e)
}

// leave keeps of an entry that goes that it was used.
func (k *Keeper) leave(_ digest.Sum, e *entry) {
	if e.used.Load() {
		k.mu.Lock()
		k.left = append(k.left, e)
		k.mu.Unlock()
	}
}

// Forget makes the credentials of an owner be looked up anew in this process: all of a
// store, or those of one app or person in all stores. When it has returned, nothing of
// the owner that was read before it is believed. Who changes something calls
// [Keeper.Revoke], which tells the other processes too.
func (k *Keeper) Forget(owner xid.ID) { raise(k.since(owner), k.epoch.Add(1)) }

// raise sets a number to a higher one.
func raise(n *atomic.Uint64, to uint64) {
	for {
		last := n.Load()
		if last >= to || n.CompareAndSwap(last, to) {
			return
		}
	}
}

func invalid() error {
	return fault.New(fault.InvalidToken, "The credential is unknown, revoked or expired, or not for use from this address.")
}
