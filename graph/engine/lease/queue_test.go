package lease_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/task"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
)

var errRolledBack = errors.New("rolled back")

// queued is a row of a queue.
type queued struct {
	lease.Queue
	t        *testing.T
	home, id xid.ID
}

// eachQueued runs f on every engine with a row that is due.
func eachQueued(t *testing.T, f func(t *testing.T, q *queued)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		q := &queued{lease.Queue{Store: s, Table: task.Table, Owner: task.FieldHome, Tries: task.FieldAttempts}, t,
			xid.New(), xid.New()}
		q.write(func(ctx context.Context, c *db.Client) error {
			return c.Task.Create().SetHome(q.home).SetID(q.id).SetKind("test").SetTarget(q.home).
				SetPayload([]byte("0")).SetDueAt(0).Exec(ctx)
		})
		f(t, q)
	})
}

func (q *queued) write(f func(ctx context.Context, c *db.Client) error) {
	q.t.Helper()
	err := q.Store.InTx(q.t.Context(), func(ctx context.Context) error { return f(ctx, q.Store.DB(ctx)) })
	if err != nil {
		q.t.Fatal(err)
	}
}

// due sets when the row is due.
func (q *queued) due(at micros.Time) {
	q.t.Helper()
	q.write(func(ctx context.Context, c *db.Client) error {
		return c.Task.Update().Where(task.Home(q.home), task.ID(q.id)).SetDueAt(at).Exec(ctx)
	})
}

// claim claims the row for a minute.
func (q *queued) claim(tries int) bool {
	q.t.Helper()
	mine, err := q.Claim(q.t.Context(), q.home, q.id, tries, time.Minute)
	if err != nil {
		q.t.Error(err)
	}
	return mine
}

// row returns the tries and the time until the row is due.
func (q *queued) row() (tries int, wait time.Duration) {
	q.t.Helper()
	row := q.Store.DB(q.t.Context()).Task.Query().Where(task.Home(q.home), task.ID(q.id)).OnlyX(q.t.Context())
	return row.Attempts, row.DueAt.Sub(micros.Now())
}

// is checks the tries, and the minutes until the row is due.
func (q *queued) is(tries, minutes int) {
	q.t.Helper()
	want := time.Duration(minutes) * time.Minute
	if n, wait := q.row(); n != tries || wait > want || wait < want-30*time.Second && minutes > 0 {
		q.t.Errorf("after %d tries it is due in %s, want %d and %s", n, wait, tries, want)
	}
}

// TestQueueOlderProcess: while a previous release holds the transaction of its claim open, which
// sets the time by its own clock, another claim waits. It gets the row if the transaction is rolled
// back, and not otherwise.
func TestQueueOlderProcess(t *testing.T) {
	for name, end := range map[string]error{"commits": nil, "rolls back": errRolledBack} {
		t.Run(name, func(t *testing.T) {
			eachQueued(t, func(t *testing.T, q *queued) {
				var running sync.WaitGroup
				var once sync.Once
				var mine bool
				err := q.Store.InTx(t.Context(), func(ctx context.Context) error {
					n, err := q.Store.DB(ctx).Task.Update().Where(task.Home(q.home), task.ID(q.id), task.Attempts(0)).
						SetDueAt(micros.Now().Add(-time.Hour)).AddAttempts(1).Save(ctx)
					if err != nil || n != 1 {
						return errors.Join(err, errors.New("not claimed"))
					}
					once.Do(func() {
						started := make(chan struct{})
						running.Go(func() { close(started); mine = q.claim(0) })
						<-started
					})
					return end
				})
				if running.Wait(); !errors.Is(err, end) || mine != (end != nil) {
					t.Errorf("got %v, claimed %t", err, mine)
				}
			})
		})
	}
}

// TestQueueClaim: of many processes, one claims a due row, once. A row that is not due, or finished,
// is not claimed.
func TestQueueClaim(t *testing.T) {
	eachQueued(t, func(t *testing.T, q *queued) {
		var running sync.WaitGroup
		claims := make(chan bool, 8)
		for range cap(claims) {
			running.Go(func() { claims <- q.claim(0) })
		}
		running.Wait()
		close(claims)
		n := 0
		for mine := range claims {
			if mine {
				n++
			}
		}
		if n != 1 || q.claim(0) || q.claim(1) {
			t.Errorf("%d of %d processes claimed it, or one did later", n, cap(claims))
		}
		q.is(1, 1)
		if q.due(micros.Max); q.claim(1) {
			t.Error("a finished row was claimed")
		}
		if q.due(0); !q.claim(1) {
			t.Error("a due row was not claimed")
		}
		q.is(2, 1)
	})
}

// TestQueueDelay: the process that claimed a row delays or returns it, until another one has claimed
// it or it is finished.
func TestQueueDelay(t *testing.T) {
	eachQueued(t, func(t *testing.T, q *queued) {
		delay := func(tries int) error { return q.Delay(t.Context(), q.home, q.id, tries, 5*time.Minute) }
		q.claim(0)
		if err := delay(1); err != nil {
			t.Error(err)
		}
		q.is(1, 5)
		q.due(0)
		q.claim(1)
		if err := delay(1); !errors.Is(err, lease.ErrLost) {
			t.Errorf("after another claim: %v", err)
		}
		if err := q.Return(t.Context(), q.home, q.id, 2); err != nil {
			t.Error(err)
		}
		q.is(1, 0)
		q.claim(1)
		q.due(micros.Max)
		if err := delay(2); !errors.Is(err, lease.ErrLost) {
			t.Errorf("after it was finished: %v", err)
		}
	})
}
