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
	// roundEvery is how often a process looks at the horizons and publishes its own if needed.
	roundEvery = 200 * time.Millisecond
	// guardTime is how old the last successful round may be when a transaction commits.
	guardTime = 8 * time.Second
	// goneTime is after how long a process that does not publish although it should is removed.
	goneTime = 45 * time.Second
	// lingerTime is how long a transaction whose COMMIT got no answer counts as open.
	lingerTime = 15 * time.Second
	// ahead is how far the process follows a time that lies before its clock.
	ahead = time.Second
)

// errHorizonLost says that other processes no longer wait for this transaction: it runs again.
var errHorizonLost = errors.New("the process was taken for dead: its horizon is gone")

// horizon knows the time below which no transaction of any process can still commit a change.
//
//  1. A change gets a time not before the start of its transaction ([moment.Raise]), and a start
//     is later than every horizon that the process has published.
//  2. A process publishes the oldest start of its open transactions, or its clock, in a row.
//  3. A reader takes the least horizon of all rows, before it reads; so it never passes 2.
//  4. A process commits its row, with horizon 0, before its first transaction, and then sets its
//     clock to what the others have published or, where they left, to the row of the nil id.
//     A reader that did not see the row read less than that; one that sees it waits.
//  5. A process that leaves notes the least horizon in the row of the nil id first.
//  6. A process that stands still keeps the others' horizon where it is. Its row is removed by a
//     compare-and-set on beat, if it did not publish for goneTime by a monotonic clock of the
//     observer although it was behind.
//  7. By then it commits nothing: its last transaction may commit guardTime after the last round
//     that either raised beat or found the row not behind, and the server ends a transaction that
//     stands still after 4 s (MariaDB), 6 s (MySQL) or 30 s (Vitess).
//  8. A process that finds its row gone takes a new one, and the transactions that were open then
//     run again.
//  9. On SQLite, which has one writer, the process alone knows all of this.
type horizon struct {
	pool *stdsql.DB // nil on SQLite

	rounds sync.Mutex // is held during a round
	stop   chan struct{}
	behind map[xid.ID]lag // under rounds

	mu        sync.Mutex
	open      map[*hold]bool
	last      micros.Time // the newest moment of the clock
	written   micros.Time // the newest time of a change
	id        xid.ID      // of the row; nil before the first transaction
	published micros.Time // what the row says
	absent    time.Time   // when the table did not exist yet
	verified  time.Time   // when the last round began that found the row there, and not behind
	reached   micros.Time // the least horizon of all rows
	top       micros.Time // the greatest one
}

// hold is an open transaction.
type hold struct {
	moment.Tx
	id xid.ID // of the process's row when it began
}

// lag is a process that is behind, by the beat of its row and since when.
type lag struct {
	beat  int64
	since time.Time
}

// tick returns a moment later than all before. The lock is held.
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

// begin returns the hold of a transaction that begins.
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

// end releases the hold of a transaction. If nobody knows what became of its COMMIT, it counts
// as open until the server has certainly ended it.
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

// admit refuses the commit of a transaction for which other processes may no longer wait.
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

// recent reports whether a transaction may still commit, by the monotonic clock and by the other
// one, which goes on while a machine sleeps.
func recent(verified time.Time) bool {
	return time.Since(verified) < guardTime && time.Now().Round(0).Sub(verified.Round(0)) < guardTime
}

// Horizon returns the time below which no change can still be committed, by any process. What
// it returns is true from then on, so read it before the rows that it bounds.
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
		return micros.Never, nil
	}
	return h.reached, nil
}

// Settled reports whether there is nothing at or above a horizon, as far as this process knows.
func (s *Store) Settled(at micros.Time) bool {
	h := s.horizon
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.written < at && h.top <= at
}

// RenewHorizon publishes what this process knows, and returns the horizon as it is then: where
// that fails, as it was before.
func (s *Store) RenewHorizon(ctx context.Context) (micros.Time, error) {
	if err := s.horizon.round(ctx, time.Now()); err != nil {
		s.log.DebugContext(ctx, "horizon not renewed", "error", err)
	}
	return s.Horizon(ctx)
}

// close leaves the other processes.
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

// openHorizon opens the connection of the rounds, which waits for no other work.
func (s *Store) openHorizon(c Config) (err error) {
	s.horizon = &horizon{open: map[*hold]bool{}}
	if s.dialect == dialect.MySQL {
		c.MaxOpen = 1
		s.horizon.pool, _, err = openMySQL(s.target, c, readTimeout)
	}
	return err
}
