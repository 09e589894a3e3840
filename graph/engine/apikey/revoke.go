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
	// maxTold bounds how many processes are heard beside.
	maxTold = 1000
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
// for each shard, and forgets it. The same statement reads what is for
// [Keeper.OnTold]. Call it every [WatchEvery], one call at a time. From
// the first call on nothing is believed for long that no look has followed.
func (k *Keeper) Watch(ctx context.Context) error {
	k.watched.Store(true)
	began := time.Since(k.start)
	var mu sync.Mutex
	var told []Told
	err := k.store.EachShard(ctx, func(ctx context.Context) error {
		found, err := k.look(ctx)
		mu.Lock()
		defer mu.Unlock()
		told = append(told, found...)
		return err
	})
	if err != nil {
		return fmt.Errorf("look for revocations: %w", err)
	}
	k.looked.Store(int64(began))
	if k.told != nil {
		k.told(told)
	}
	return nil
}

// Told is what a process tells the others of the rates of credentials, and when it did, by
// the clock of queues.
type Told struct {
	Process xid.ID
	At      micros.Time
	Rates   []byte
}

// OnTold lets f have what processes told of rates within the last seconds, after each
// [Keeper.Watch]: the same statement reads it. Call it before the first one.
func (k *Keeper) OnTold(f func([]Told)) { k.told = f }

// look reads the revocations of the shard at which ctx is.
//
// Their time is that of the statement that wrote them, and the commit comes later. So it
// reads once more what is younger than any transaction that was open at the last look.
func (k *Keeper) look(ctx context.Context) (told []Told, err error) {
	h, _ := ent.ShardOf(ctx)
	w := k.watches.of(h)
	if w.looked == 0 {
		if w.looked, err = k.store.QueueTime(ctx); err != nil {
			return nil, err
		}
	}
	n, err := k.news(ctx, w.looked.Add(-late))
	if err == nil && n.now < w.looked { // the clock was set back: what is new has an old time
		n, err = k.news(ctx, n.now.Add(-late))
	}
	if err != nil {
		return nil, err
	}
	found := n.revoked
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
	w.looked, w.seen = n.now, seen
	return n.told, nil
}

// news is what one look finds.
type news struct {
	now     micros.Time
	revoked []db.Revocation
	told    []Told
}

// toldWithin is how old that may be what is read of rates, in µs. Whoever has something to
// tell does so once a second.
const toldWithin = 10_000_000

// The kinds of rows that a look reads.
const (
	rowNow = iota
	rowTold
	rowRevoked
)

// news reads the revocations since a time, what processes tell of rates, and the time now,
// in one statement.
func (k *Keeper) news(ctx context.Context, since micros.Time) (n news, err error) {
	clock, now := k.store.QueueClock()
	query := fmt.Sprintf("SELECT %d, NULL, NULL, %s UNION ALL SELECT %d, id, rates, rates_at FROM processes"+
		" WHERE rates IS NOT NULL AND rates_at > %s - %d"+
		" UNION ALL SELECT %d, id, owner, at FROM revocations WHERE at >= ? LIMIT ?",
		rowNow, clock, rowTold, clock, toldWithin, rowRevoked)
	err = ent.Read(ctx, k.store.Seek(ctx), func(rows *stdsql.Rows) error {
		var kind int
		var id stdsql.Null[xid.ID]
		var text []byte
		var at micros.Time
		if err := rows.Scan(&kind, &id, &text, &at); err != nil {
			return err
		}
		switch kind {
		case rowNow:
			n.now = at
		case rowTold:
			n.told = append(n.told, Told{Process: id.V, At: at, Rates: text})
		default:
			var owner xid.ID
			copy(owner[:], text)
			n.revoked = append(n.revoked, db.Revocation{ID: id.V, Owner: owner, At: at})
		}
		return nil
	}, query, append(append(append([]any{}, now...), now...), since, maxRevoked+maxTold)...)
	return n, err
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
