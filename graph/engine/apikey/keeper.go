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

// Freshness is the longest time that a cached credential is used. A revocation by another process
// takes effect sooner: see [RevocationDelay].
const Freshness = 8 * time.Second

const (
	// maxCached bounds the cached credentials.
	maxCached = 100_000
	// owners is how many owners are distinguished. Owners whose ids have the same last bits are
	// looked up again together.
	owners = 1 << 12
)

// Keeper authenticates credentials. It caches valid ones for a moment, so that a request costs no
// query, and forgets at once what this process revokes.
type Keeper struct {
	store *ent.Store

	// start is the origin of times in the cache, which are monotonic: setting the clock back must
	// not lengthen the life of an entry.
	start time.Time
	cache *lru.Cache[digest.Sum, *entry]
	// epoch rises with every revocation, and forgotten holds the epoch of the last one for each
	// owner: the result of a look-up that began before it is not used.
	epoch     atomic.Uint64
	forgotten [owners]atomic.Uint64
	all       atomic.Uint64 // the same for all owners

	// watched says that [Keeper.Watch] is in use, and looked is the beginning of its last
	// successful call, since start.
	watched atomic.Bool
	looked  atomic.Int64

	mu sync.Mutex
	// unwritten are used credentials that were evicted before their last use was written, and watches
	// the watches of the shards, by name.
	unwritten []*entry
	watches   map[string]*watch
}

type entry struct {
	viewer *viewer.Viewer
	epoch  uint64
	// staleAt is when it must be looked up again, since the keeper's start.
	staleAt time.Duration
	// expiresAt is the credential's own end; zero for none.
	expiresAt micros.Time
	// networks are those that it may be used from; nil means all.
	networks []netip.Prefix
	used     atomic.Bool
	kind     Kind
	// unused marks the first use of an access token from a refresh.
	unused bool
	// needsFactor says that the store of a staff token requires a second factor of its people.
	needsFactor bool
}

// allows reports whether it may be used from an address. The zero address is in no network.
func (e *entry) allows(from netip.Addr) bool {
	if e.networks == nil {
		return true
	}
	from = from.Unmap().WithZone("")
	return slices.ContainsFunc(e.networks, func(n netip.Prefix) bool { return n.Contains(from) })
}

// NewKeeper returns a keeper of the credentials in a store.
func NewKeeper(s *ent.Store) *Keeper {
	k := &Keeper{store: s, start: time.Now(), watches: map[string]*watch{}}
	k.cache, _ = lru.NewWithEvict(maxCached, k.keepUse) // only a size below one is an error
	return k
}

// Authenticate returns the viewer of a credential. It refuses a text with a wrong form or checksum
// without a query. kinds are the accepted kinds; everything else is the same InvalidToken. A key
// with a list of allowed networks is refused, since the caller's address is unknown.
func (k *Keeper) Authenticate(ctx context.Context, token string, kinds ...Kind) (*viewer.Viewer, error) {
	return k.AuthenticateFrom(ctx, netip.Addr{}, token, kinds...)
}

// AuthenticateFrom is [Keeper.Authenticate] for a client at an address. A client outside of the
// key's networks learns nothing from the answer, not even that the key exists.
func (k *Keeper) AuthenticateFrom(
	ctx context.Context, from netip.Addr, token string, kinds ...Kind,
) (*viewer.Viewer, error) {
	secret, kind, ok := Parse(token)
	if !ok || !slices.Contains(kinds, kind) {
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
	if !e.used.Load() { // a read leaves the cache line shared between cores
		e.used.Store(true)
	}
	return e.viewer, nil
}

func (k *Keeper) live(e *entry, now time.Time) bool {
	return k.since(e.viewer.Store).Load() <= e.epoch && k.since(e.viewer.Actor).Load() <= e.epoch &&
		k.all.Load() <= e.epoch && k.fresh(e, now.Sub(k.start)) &&
		(e.expiresAt == 0 || micros.Of(now) < e.expiresAt)
}

// fresh reports whether an entry was looked up recently, or revocations were read since.
func (k *Keeper) fresh(e *entry, now time.Duration) bool {
	if now >= e.staleAt {
		return false
	}
	return !k.watched.Load() || now < max(time.Duration(k.looked.Load()), e.staleAt-Freshness)+trusted
}

// since returns the epoch from which on the credentials of an owner are valid.
func (k *Keeper) since(owner xid.ID) *atomic.Uint64 {
	return &k.forgotten[binary.BigEndian.Uint16(owner[len(owner)-2:])%owners]
}

// lookUp reads a credential and caches it. The epoch and the time are from before the first read: a
// revocation during the look-up invalidates the entry, and a slow look-up shortens its life.
func (k *Keeper) lookUp(ctx context.Context, sum digest.Sum, kind Kind, now time.Time) (*entry, error) {
	epoch := k.epoch.Load()
	e, err := k.find(ctx, sum, kind, micros.Of(now))
	switch {
	case err != nil:
	case e.unused:
		err = k.writeFirstUse(ctx, e)
	case e.needsFactor && e.viewer.Sensitive:
		// A token gives a person no more access than their browser.
		e.viewer.Sensitive, err = k.store.DB(ctx).Factor.Query().Where(factor.UserID(e.viewer.Actor)).Exist(ctx)
	}
	switch {
	case errors.Is(err, errNotLive):
		k.cache.Remove(sum)
		return nil, invalid()
	case ent.IsUnavailable(err):
		return nil, &fault.Error{Kind: fault.Unavailable, Detail: "The service is temporarily unavailable.",
			RetryAfter: time.Second, Err: err}
	case err != nil:
		return nil, fmt.Errorf("look up credential: %w", err)
	}
	k.remember(sum, e, epoch, now)
	return e, nil
}

func (k *Keeper) remember(sum digest.Sum, e *entry, epoch uint64, began time.Time) {
	e.epoch, e.staleAt = epoch, began.Sub(k.start)+Freshness
	k.cache.Add(sum, e)
}

// keepUse keeps an evicted entry whose use is not written.
func (k *Keeper) keepUse(_ digest.Sum, e *entry) {
	if e.used.Load() {
		k.mu.Lock()
		k.unwritten = append(k.unwritten, e)
		k.mu.Unlock()
	}
}

// Forget makes this process look up the credentials of an owner again: all of a store, or those of
// one app or person in all stores. When it has returned, nothing read before is used. Changes call
// [Keeper.Revoke], which covers the other processes too.
func (k *Keeper) Forget(owner xid.ID) { raise(k.since(owner), k.epoch.Add(1)) }

func raise(n *atomic.Uint64, to uint64) {
	for {
		last := n.Load()
		if last >= to || n.CompareAndSwap(last, to) {
			return
		}
	}
}

func invalid() error {
	return fault.New(fault.InvalidToken, "The credential is unknown, revoked, expired or not allowed from here.")
}
