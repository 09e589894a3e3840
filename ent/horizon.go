package ent

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// roundEvery is the interval at which a process reads the horizons and, if needed, publishes
	// its own.
	roundEvery = 200 * time.Millisecond
	// guardTime is the maximum age of the last successful round when a transaction commits.
	guardTime = 8 * time.Second
	// goneTime is how long a process may be behind without publishing before it is removed.
	goneTime = 45 * time.Second
	// lingerTime is how long a transaction whose COMMIT got no answer counts as open.
	lingerTime = 15 * time.Second
	// ahead is how far the process's clock follows a change time that is in the future.
	ahead = time.Second
)

// errHorizonLost says that other processes no longer wait for this transaction: it runs again.
var errHorizonLost = errors.New("other processes took this one for dead and removed its horizon")

// horizon maintains the time below which no transaction of any process can still commit a change.
//
//  1. The time of a change is not before the start of its transaction ([moment.Raise]), and a start
//     is later than every horizon that the process has published.
//  2. A process publishes in its row the oldest start of its open transactions, or its clock.
//  3. A reader takes the lowest horizon of all rows before it reads, so it never passes 2.
//  4. A process commits its row, with horizon 0, before its first transaction. Then it sets its
//     clock to the horizons that the others have published or, if they left, to the row of the
//     nil id. A reader that did not see the new row read less than that; one that sees it waits.
//  5. A process that leaves first stores the lowest horizon in the row of the nil id.
//  6. A stalled process stops the horizon of the others. Its row is removed, by a compare-and-set
//     on beat, if it was behind and did not publish for goneTime by a monotonic clock of the
//     observer.
//  7. By then it commits nothing: its last transaction may commit guardTime after the last round
//     that either raised beat or found the row not behind, and the server ends an idle
//     transaction after 4 s (MariaDB), 6 s (MySQL) or 30 s (Vitess).
//  8. A process whose row was removed takes a new one, and the transactions that were open run
//     again.
//  9. On SQLite, which has one writer, all of this is in the memory of the process.
type horizon struct {
	// pool is nil on SQLite. Its statements commit by themselves, maybe after their caller is gone: a
	// horizon stays true once it was computed.
	pool *stdsql.DB

	rounds sync.Mutex // held during a round
	stop   chan struct{}
	behind map[xid.ID]lag // under rounds

	mu        sync.Mutex
	open      map[*hold]bool
	last      micros.Time // the latest reading of the clock
	written   micros.Time // the latest time of a change
	id        xid.ID      // of the row; nil before the first transaction
	published micros.Time // the horizon in the row
	absent    time.Time   // when the table was found missing
	verified  time.Time   // start of the last round that found the row present and not behind
	reached   micros.Time // the lowest horizon of all rows
	top       micros.Time // the highest one
}

type hold struct {
	moment.Tx
	id xid.ID // of the process's row when it began
}

// lag describes a process that is behind: the beat of its row and since when.
type lag struct {
	beat  int64
	since time.Time
}

// tick returns a time later than all previous ones. The lock is held.
func (h *horizon) tick() micros.Time {
	h.last = max(micros.Now(), h.last+1)
	return h.last
}

// own returns the oldest start of the open transactions, or the clock. The lock is held.
func (h *horizon) own() micros.Time {
	at := h.tick()
	for t := range h.open {
		if t.id == h.id {
			at = min(at, t.Start)
		}
	}
	return at
}

func (h *horizon) begin(ctx context.Context) (*hold, error) {
	if err := h.join(ctx); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &hold{id: h.id}
	t.Start = h.tick()
	h.open[t] = true
	return t, nil
}

// end releases the hold of a transaction. If the outcome of its COMMIT is unknown, it counts as
// open until the server has certainly ended it.
func (h *horizon) end(t *hold, unknown bool) {
	if unknown && h.pool != nil {
		time.AfterFunc(lingerTime, func() { h.end(t, false) })
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, t)
	at := t.Newest()
	h.written = max(h.written, at)
	if at < micros.Now().Add(ahead) {
		h.last = max(h.last, at)
	}
}

// admit returns an error if other processes may no longer wait for the transaction, which must then
// not commit.
func (h *horizon) admit(ctx context.Context, t *hold) error {
	h.mu.Lock()
	known, fresh := t.id == h.id, h.id.IsNil() || recent(h.verified)
	h.mu.Unlock()
	switch {
	case known && fresh:
		return nil
	case !known:
		return errHorizonLost
	}
	if err := h.round(ctx, time.Now()); err != nil {
		return fmt.Errorf("verify the horizon: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.id != h.id || !recent(h.verified) {
		return errHorizonLost
	}
	return nil
}

// recent reports whether a transaction may still commit, by the monotonic clock and by the wall
// clock, which continues while a machine sleeps.
func recent(verified time.Time) bool {
	return time.Since(verified) < guardTime && time.Now().Round(0).Sub(verified.Round(0)) < guardTime
}

// Horizon returns the time below which no process can still commit a change. The result stays true,
// so read it before the rows that it bounds.
func (s *Store) Horizon(ctx context.Context) (micros.Time, error) {
	h := s.horizon
	if err := h.join(ctx); err != nil {
		return 0, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.pool == nil:
		return h.own(), nil
	case h.id.IsNil(): // no table yet
		return micros.Max, nil
	}
	return h.reached, nil
}

// Settled reports whether this process knows of nothing at or above a horizon.
func (s *Store) Settled(at micros.Time) bool {
	h := s.horizon
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.written < at && h.top <= at
}

// RenewHorizon publishes this process's horizon and returns the current one, or the previous one if
// that fails.
func (s *Store) RenewHorizon(ctx context.Context) (micros.Time, error) {
	if err := s.horizon.round(ctx, time.Now()); err != nil {
		s.log.DebugContext(ctx, "the horizon could not be renewed", "error", err)
	}
	return s.Horizon(ctx)
}

func (h *horizon) close() error {
	if h.pool == nil {
		return nil
	}
	h.rounds.Lock()
	defer h.rounds.Unlock()
	h.mu.Lock()
	id := h.id
	h.id = xid.Nil
	h.mu.Unlock()
	var err error
	if !id.IsNil() {
		close(h.stop)
		ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
		defer cancel()
		err = h.leave(ctx, id)
	}
	return errors.Join(err, h.pool.Close())
}

// openHorizon opens the connection for the rounds, which does not wait for other work.
func (s *Store) openHorizon(c Config) (err error) {
	s.horizon = &horizon{open: map[*hold]bool{}}
	if s.dialect == dialect.MySQL {
		c.MaxOpen = 1
		s.horizon.pool, _, err = openMySQL(s.target, c, readTimeout)
	}
	return err
}
