package apikey

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/revocation"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// RevocationDelay is the time within which a revocation takes effect in all other processes.
	RevocationDelay = 2 * time.Second
	// WatchEvery is how often a process reads the revocations of others.
	WatchEvery = 900 * time.Millisecond
	// trusted is how long cached credentials are used after the beginning of a successful
	// [Keeper.Watch]. A process that cannot read revocations looks up each credential again.
	trusted = RevocationDelay - 100*time.Millisecond
)

const (
	// maxCommitDelay is how long before its commit a revocation may have been written: no
	// transaction takes longer.
	maxCommitDelay = ent.TxBudget + time.Second
	// maxRevoked bounds the rows of one read. Beyond it, every credential is looked up again.
	maxRevoked = 10_000
	// kept is how long a revocation is kept: far longer than any process looks back.
	kept = time.Minute
	// maxAhead is how far in the future a revocation may lie after a clock was set back. On SQLite
	// the clock starts again with the machine.
	maxAhead = time.Hour
)

// Revoke invalidates the cached credentials of an owner, in the transaction of ctx: at its commit
// in this process, and within [RevocationDelay] in all others. Owners are those of [Keeper.Forget]; home
// is the store or the person whose rows the transaction writes. Call it last, for every change to a
// credential, a membership, an app or a store that ends or narrows what a credential may do.
func (k *Keeper) Revoke(ctx context.Context, home, owner xid.ID) error {
	return k.store.InTx(ctx, func(ctx context.Context) error {
		clock, now := k.store.QueueClock()
		_, err := k.store.DB(ctx).ExecContext(ctx, "INSERT INTO revocations (home, id, owner, at) VALUES (?, ?, ?, "+clock+")",
			append([]any{home, xid.New(), owner}, now...)...)
		if err != nil {
			return fmt.Errorf("write a revocation: %w", err)
		}
		ent.OnCommit(ctx, func() { k.Forget(owner) })
		return nil
	})
}

type watch struct {
	// looked is the time of the last read, by the shard's queue clock; 0 for never.
	looked micros.Time
	// seen are the revocations of the last read. The next one finds some of them again.
	seen map[xid.ID]struct{}
}

func (k *Keeper) watchOf(ctx context.Context) *watch {
	h, _ := ent.ShardOf(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	w := k.watches[h.String()]
	if w == nil {
		w = &watch{}
		k.watches[h.String()] = w
	}
	return w
}

// Watch reads the revocations since its last call, with one statement for each shard, and forgets
// the credentials. Call it every [WatchEvery], one call at a time. From the first call on, no entry
// is used for long without another.
func (k *Keeper) Watch(ctx context.Context) error {
	k.watched.Store(true)
	began := time.Since(k.start)
	if err := k.store.EachShard(ctx, k.readRevocations); err != nil {
		return fmt.Errorf("read revocations: %w", err)
	}
	k.looked.Store(int64(began))
	return nil
}

// readRevocations reads the revocations of the shard of ctx.
//
// Their time is that of the statement that wrote them, which precedes the commit. So it reads again
// what is younger than any transaction that was open at the last read.
func (k *Keeper) readRevocations(ctx context.Context) (err error) {
	w := k.watchOf(ctx)
	if w.looked == 0 {
		if w.looked, err = k.store.QueueTime(ctx); err != nil {
			return err
		}
	}
	now, found, err := k.revoked(ctx, w.looked.Add(-maxCommitDelay))
	if err == nil && now < w.looked { // the clock was set back: new rows have old times
		now, found, err = k.revoked(ctx, now.Add(-maxCommitDelay))
	}
	if err != nil {
		return err
	}
	if len(found) >= maxRevoked {
		raise(&k.all, k.epoch.Add(1))
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

// revoked reads the present time and the revocations since a time, in one statement.
func (k *Keeper) revoked(ctx context.Context, since micros.Time) (now micros.Time, list []db.Revocation, err error) {
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
		list = append(list, db.Revocation{ID: id.V, Owner: owner.V, At: at})
		return nil
	}, query, append(args, since, maxRevoked+1)...)
	return now, list, err
}

// Purge deletes the revocations that every process has read and returns their number.
func (k *Keeper) Purge(ctx context.Context) (int, error) {
	return k.store.SumShards(ctx, func(ctx context.Context) (int, error) {
		now, err := k.store.QueueTime(ctx)
		if err != nil {
			return 0, fmt.Errorf("purge revocations: %w", err)
		}
		old := revocation.Or(revocation.AtLT(now.Add(-kept)), revocation.AtGT(now.Add(maxAhead)))
		return ent.Purge(ctx, k.store, "revocations", func(ctx context.Context) ([]*db.Revocation, error) {
			return k.store.Seek(ctx).Revocation.Query().Where(old).Limit(ent.PurgeBatch).Load(ctx)
		}, func(ctx context.Context, c *db.Client, rows []*db.Revocation) (int, error) {
			args := make([]any, 0, 2*len(rows))
			for _, r := range rows {
				args = append(args, r.Home, r.ID)
			}
			_, err := c.ExecContext(ctx,
				"DELETE FROM revocations WHERE "+ent.Among(k.store.Dialect(), "home, id", len(rows)), args...)
			return len(rows), err
		})
	})
}
