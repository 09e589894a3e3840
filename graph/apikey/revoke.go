package apikey

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/revocation"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// Elsewhere is the time within which what one process revokes holds in all others.
	Elsewhere = 2 * time.Second
	// WatchEvery is how often a process reads what others revoked.
	WatchEvery = 900 * time.Millisecond
	// trusted is how long what is remembered is believed after a look for revocations
	// began. Whoever cannot look asks the database about each credential anew.
	trusted = Elsewhere - 100*time.Millisecond
)

const (
	// late is how long before its commit a revocation may have been written: no
	// transaction takes longer.
	late = ent.TxBudget + time.Second
	// maxRevoked bounds what one look reads. More makes everything be looked up anew.
	maxRevoked = 10_000
	// kept is how long a revocation stays: far longer than anybody looks back.
	kept = time.Minute
	// ahead is how far in the future one may lie, where a clock was set back. On SQLite
	// the clock begins anew with the machine.
	ahead = time.Hour
	// purgeBatch keeps a transaction short.
	purgeBatch = 90
)

// Revoke ends, in the transaction of ctx, that what is remembered of an owner's
// credentials is believed: at its commit in this process, and within [Elsewhere] in all
// others. Owners are as [Keeper.Forget] has them; home is the store or the person whose
// rows the transaction writes. Call it last, for every change to a credential, a
// membership, an app or a store that ends or narrows what a credential may do.
func (k *Keeper) Revoke(ctx context.Context, home, owner xid.ID) error {
	return k.store.InTx(ctx, func(ctx context.Context) error {
		clock, now := k.store.QueueClock()
		_, err := k.store.DB(ctx).ExecContext(ctx, "INSERT INTO revocations (home, id, owner, at) VALUES (?, ?, ?, "+clock+")",
			append([]any{home, xid.New(), owner}, now...)...)
		if err != nil {
			return fmt.Errorf("note a revocation: %w", err)
		}
		ent.OnCommit(ctx, func() { k.Forget(owner) })
		return nil
	})
}

// watch is what a keeper knows of the revocations of one shard.
type watch struct {
	// looked is when it looked last, by the shard's clock of queues; 0 for never.
	looked micros.Time
	// seen are those that the last look found. The next one finds some of them again.
	seen map[xid.ID]struct{}
}

// watches are those of the shards, by name.
type watches struct {
	mu     sync.Mutex
	shards map[string]*watch
}

func (w *watches) of(h ent.Shard) *watch {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shards == nil {
		w.shards = map[string]*watch{}
	}
	if w.shards[h.String()] == nil {
		w.shards[h.String()] = &watch{}
	}
	return w.shards[h.String()]
}

// Watch looks once for what was revoked anywhere since the last look, with one statement
// for each shard, and forgets it. Call it every [WatchEvery], one call at a time. From
// the first call on nothing is believed for long that no look has followed.
func (k *Keeper) Watch(ctx context.Context) error {
	k.watched.Store(true)
	began := time.Since(k.start)
	if err := k.store.EachShard(ctx, k.look); err != nil {
		return fmt.Errorf("look for revocations: %w", err)
	}
	k.looked.Store(int64(began))
	return nil
}

// look reads the revocations of the shard at which ctx is.
//
// Their time is that of the statement that wrote them, and the commit comes later. So it
// reads once more what is younger than any transaction that was open at the last look.
func (k *Keeper) look(ctx context.Context) (err error) {
	h, _ := ent.ShardOf(ctx)
	w := k.watches.of(h)
	if w.looked == 0 {
		if w.looked, err = k.store.QueueTime(ctx); err != nil {
			return err
		}
	}
	found, now, err := k.revoked(ctx, w.looked.Add(-late))
	if err == nil && now < w.looked { // the clock was set back: what is new has an old time
		found, now, err = k.revoked(ctx, now.Add(-late))
	}
	if err != nil {
		return err
	}
	if len(found) >= maxRevoked {
		k.forgetAll()
	}
	seen := make(map[xid.ID]struct{}, len(found))
	for _, r := range found {
		if _, known := w.seen[r.ID]; !known {
			k.Forget(r.Owner)
		}
		seen[r.ID] = struct{}{}
	}
	w.looked, w.seen = now, seen
	return nil
}

// revoked reads the revocations since a time, and the time now, in one statement.
func (k *Keeper) revoked(ctx context.Context, since micros.Time) (found []db.Revocation, now micros.Time, err error) {
	clock, args := k.store.QueueClock()
	query := "SELECT NULL, NULL, " + clock + " UNION ALL SELECT id, owner, at FROM revocations WHERE at >= ? LIMIT ?"
	err = ent.Read(ctx, k.store.Seek(ctx), func(rows *stdsql.Rows) error {
		var id, owner stdsql.Null[xid.ID]
		var at micros.Time
		if err := rows.Scan(&id, &owner, &at); err != nil {
			return err
		}
		if !id.Valid {
			now = at
			return nil
		}
		found = append(found, db.Revocation{ID: id.V, Owner: owner.V, At: at})
		return nil
	}, query, append(args, since, maxRevoked+1)...)
	return found, now, err
}

// forgetAll makes every credential be looked up anew.
func (k *Keeper) forgetAll() { raise(&k.all, k.epoch.Add(1)) }

// Purge deletes the revocations that everybody has seen and returns how many.
func (k *Keeper) Purge(ctx context.Context) (int, error) {
	return k.store.SumShards(ctx, func(ctx context.Context) (total int, err error) {
		now, err := k.store.QueueTime(ctx)
		if err != nil {
			return 0, fmt.Errorf("purge revocations: %w", err)
		}
		for n := purgeBatch; n == purgeBatch; total += n {
			if n, err = k.purge(ctx, now); err != nil {
				return total, fmt.Errorf("purge revocations: %w", err)
			}
		}
		return total, nil
	})
}

// purge deletes one batch of a shard.
func (k *Keeper) purge(ctx context.Context, now micros.Time) (int, error) {
	rows, err := k.store.Seek(ctx).Revocation.Query().
		Where(revocation.Or(revocation.AtLT(now.Add(-kept)), revocation.AtGT(now.Add(ahead)))).
		Limit(purgeBatch).Load(ctx)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	args := make([]any, 0, 2*len(rows))
	for _, r := range rows {
		args = append(args, r.Home, r.ID)
	}
	err = k.store.InTx(ctx, func(ctx context.Context) error {
		_, err := k.store.DB(ctx).ExecContext(ctx,
			"DELETE FROM revocations WHERE "+ent.Among(k.store.Dialect(), "home, id", len(rows)), args...)
		return err
	})
	return len(rows), err
}
