package requestlog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/requestlog"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const batch = 90

// omission is how many requests were left out after one that was kept.
type omission struct {
	store, after xid.ID
	count        int64
}

// Round writes what was gathered and, once a minute, how much was left out. Rows that cannot be
// written are dropped and counted, and the first error is returned.
func (l *Log) Round(ctx context.Context) error { return l.write(ctx, false) }

// Flush is the last round of a process. It does not wait for the minute to end.
func (l *Log) Flush(ctx context.Context) error { return l.write(ctx, true) }

func (l *Log) write(ctx context.Context, last bool) (failed error) {
	l.round.Lock()
	defer l.round.Unlock()
	rows, windows := l.swap(last)
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(a.store.Compare(b.store), a.ID.Compare(b.ID)) })
	each(rows, func(r row) xid.ID { return r.store }, func(store xid.ID, part []row) {
		if err := l.insert(viewer.Operator(ctx, store), part); err != nil {
			l.metrics.failed.Add(float64(len(part)))
			failed = cmp.Or(failed, err)
			return
		}
		l.metrics.written.Add(float64(len(part)))
	})
	each(omissions(windows), func(o omission) xid.ID { return o.store }, func(store xid.ID, part []omission) {
		failed = cmp.Or(failed, l.noteOmitted(viewer.Operator(ctx, store), part))
	})
	return failed
}

// swap takes what was gathered, and the windows if their minute has ended.
func (l *Log) swap(last bool) (rows []row, ended map[subject]*window) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	rows, l.pending = l.pending, nil
	if last || now.Sub(l.since) >= minute {
		ended, l.windows, l.since = l.windows, map[subject]*window{}, now
	}
	return rows, ended
}

// each calls f with runs of one store, each at most a batch long.
func each[T any](list []T, store func(T) xid.ID, f func(xid.ID, []T)) {
	for len(list) > 0 {
		n, of := 1, store(list[0])
		for n < min(len(list), batch) && store(list[n]) == of {
			n++
		}
		f(of, list[:n])
		list = list[n:]
	}
}

// insert writes rows of one store. Their ids are keys: a repetition after a lost answer to COMMIT
// recognizes that the first attempt took effect.
func (l *Log) insert(ctx context.Context, rows []row) error {
	err := l.store.InTxKeyed(ctx, func(ctx context.Context) error {
		c := l.store.DB(ctx).RequestLog
		err := c.MapCreateBulk(rows, func(created *db.RequestLogCreate, i int) { rows[i].set(created) }).Exec(ctx)
		if ent.IsDuplicate(err) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("write the log of requests: %w", err)
	}
	return nil
}

func (r *row) set(created *db.RequestLogCreate) {
	created.SetID(r.ID).SetSubjectID(r.subject).SetMethod(r.Method).SetRoute(r.Route).SetStatus(r.Status).
		SetDuration(r.Took.Microseconds())
	if !r.appStore.IsNil() {
		created.SetAppStoreID(r.appStore)
	}
	if !r.caller.IsNil() {
		created.SetCallerStoreID(r.caller)
	}
	if r.Kind != "" {
		created.SetResource(r.Kind.Format(r.Resource))
	}
	if r.Code != "" {
		created.SetCode(r.Code)
	}
}

// omissions returns how much was left out after requests that were kept, sorted by store.
func omissions(windows map[subject]*window) (list []omission) {
	for of, w := range windows {
		for outcome, n := range w.omitted {
			if n > 0 && !w.last[outcome].IsNil() {
				list = append(list, omission{of.store, w.last[outcome], n})
			}
		}
	}
	slices.SortFunc(list, func(a, b omission) int {
		return cmp.Or(a.store.Compare(b.store), a.after.Compare(b.after))
	})
	return list
}

// noteOmitted records in one store how much was left out. It may be repeated.
func (l *Log) noteOmitted(ctx context.Context, list []omission) error {
	err := l.store.InTx(ctx, func(ctx context.Context) error {
		for _, o := range list {
			err := l.store.DB(ctx).RequestLog.Update().Where(requestlog.ID(o.after)).SetOmitted(o.count).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note what the log of requests leaves out: %w", err)
	}
	return nil
}

// Purge deletes the requests of every store that are older than [Kept], in short transactions, and
// returns how many. Their age is in their ids, so each batch is a range of the primary key.
func Purge(ctx context.Context, s *ent.Store) (n int, err error) {
	before := xid.First(micros.Now().Add(-Kept))
	n, err = s.SumStores(ctx, func(ctx context.Context) (int, error) { return purgeStore(ctx, s, before) })
	if err != nil {
		err = fmt.Errorf("purge the log of requests: %w", err)
	}
	return n, err
}

func purgeStore(ctx context.Context, s *ent.Store, before xid.ID) (n int, err error) {
	for {
		query := s.DB(ctx).RequestLog.Query().Where(requestlog.IDLT(before))
		query.Modify(func(q *sql.Selector) {
			ent.ForceIndex(ent.Primary)(q)
			q.OrderBy(q.C(requestlog.FieldID)).Limit(batch)
		})
		ids, err := query.IDs(ctx)
		if err != nil || len(ids) == 0 {
			return n, err
		}
		deleted := 0
		err = s.InTx(ctx, func(ctx context.Context) error {
			deleted, err = s.DB(ctx).RequestLog.Delete().
				Where(requestlog.IDGTE(ids[0]), requestlog.IDLTE(ids[len(ids)-1])).Exec(ctx)
			return err
		})
		if n += deleted; err != nil || len(ids) < batch {
			return n, err
		}
	}
}
