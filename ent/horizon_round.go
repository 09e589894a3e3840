package ent

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// missingTable is MySQL's error number for a table that does not exist.
const missingTable = 1146

type published struct {
	id      xid.ID
	horizon micros.Time
	beat    int64
}

// join creates the row of the process, once.
func (h *horizon) join(ctx context.Context) error {
	if h.pool == nil || h.joined() {
		return nil
	}
	h.rounds.Lock()
	defer h.rounds.Unlock()
	if h.joined() {
		return nil
	}
	return h.enter(ctx)
}

func (h *horizon) joined() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.id.IsNil() || time.Since(h.absent) < time.Second
}

// enter creates a new row. Open transactions lose their hold. rounds is held.
func (h *horizon) enter(ctx context.Context) error {
	id, sent := xid.New(), time.Now()
	_, err := h.pool.ExecContext(ctx, "INSERT INTO write_horizons (id, horizon, beat) VALUES (?, 0, 0)", id)
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok && e.Number == missingTable {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.absent = time.Now() // this release's migration has not run yet
		return nil
	}
	if err != nil {
		return fmt.Errorf("join the horizons: %w", err)
	}
	rows, err := h.read(ctx)
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.last = max(h.last, passed(rows))
	at := h.tick()
	h.mu.Unlock()
	if n, err := h.publish(ctx, id, at); err != nil || n != 1 {
		return fmt.Errorf("join the horizons: %d rows: %w", n, cmp.Or(err, errHorizonLost))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.id, h.published, h.verified = id, at, sent
	if h.stop == nil {
		h.stop = make(chan struct{})
		go h.run(h.stop) //nolint:gosec // it lives as long as the store, not as this call
	}
	return nil
}

// passed returns a time that no reader can have passed: the lowest horizon, or the one left by
// processes that ended.
func passed(rows []published) micros.Time {
	least, left := micros.Max, micros.Time(0)
	for _, r := range rows {
		switch {
		case r.id.IsNil():
			left = r.horizon
		case r.horizon > 0:
			least = min(least, r.horizon)
		}
	}
	if least == micros.Max {
		return left
	}
	return max(least, left)
}

func (h *horizon) run(stop chan struct{}) {
	t := time.NewTicker(roundEvery)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			ctx, cancel := context.WithTimeout(context.Background(), guardTime/2)
			_ = h.round(ctx, time.Now()) // the next one tries again
			cancel()
		}
	}
}

// round publishes the horizon of this process if others wait for it, reads those of all processes,
// and removes processes that are gone. A round that began after asked serves every caller that
// waited for it.
//
// The horizon is published before the rows are read: otherwise a process that joins in between
// would not know of it.
func (h *horizon) round(ctx context.Context, asked time.Time) error {
	h.rounds.Lock()
	defer h.rounds.Unlock()
	h.mu.Lock()
	id, done := h.id, h.verified.After(asked)
	h.mu.Unlock()
	if done || id.IsNil() {
		return nil
	}
	sent := time.Now()
	beaten, err := h.catchUp(ctx, id)
	if errors.Is(err, errHorizonLost) {
		return h.enter(ctx)
	}
	if err != nil {
		return err
	}
	rows, err := h.read(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(rows, func(r published) bool { return r.id == id })
	if at < 0 {
		return h.enter(ctx)
	}
	top := h.note(rows)
	if beaten || rows[at].horizon >= top {
		h.mu.Lock()
		h.verified = sent
		h.mu.Unlock()
	}
	return h.removeGone(ctx, rows, top)
}

// catchUp publishes the horizon of this process if another process, or a change of its own, is at
// or above it. It reports whether it did.
func (h *horizon) catchUp(ctx context.Context, id xid.ID) (bool, error) {
	h.mu.Lock()
	goal := max(h.top, h.written+1)
	if h.published >= goal {
		h.mu.Unlock()
		return false, nil
	}
	h.published = max(h.published, min(h.own(), goal))
	at := h.published
	h.mu.Unlock()
	n, err := h.publish(ctx, id, at)
	if err == nil && n == 0 {
		err = errHorizonLost
	}
	return true, err
}

// note stores the result of a round, and returns the highest horizon.
func (h *horizon) note(rows []published) micros.Time {
	least, top := micros.Max, micros.Time(0)
	for _, r := range rows {
		top = max(top, r.horizon)
		if !r.id.IsNil() {
			least = min(least, r.horizon)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reached, h.top = max(h.reached, least), top
	return top
}

// removeGone removes the rows of processes that were behind for goneTime and did not publish.
func (h *horizon) removeGone(ctx context.Context, rows []published, top micros.Time) error {
	behind := map[xid.ID]lag{}
	for _, r := range rows {
		if r.id.IsNil() || r.horizon >= top {
			continue
		}
		l, ok := h.behind[r.id]
		if !ok || l.beat != r.beat {
			l = lag{r.beat, time.Now()}
		}
		behind[r.id] = l
		if time.Since(l.since) < goneTime {
			continue
		}
		if err := h.remove(ctx, r.id, passed(rows), " AND beat = ?", r.beat); err != nil {
			return err
		}
	}
	h.behind = behind
	return nil
}

func (h *horizon) leave(ctx context.Context, id xid.ID) error {
	rows, err := h.read(ctx)
	if err != nil {
		return fmt.Errorf("leave the horizons: %w", err)
	}
	return h.remove(ctx, id, passed(rows), "")
}

// remove deletes a row after storing the time that readers may have passed.
func (h *horizon) remove(ctx context.Context, id xid.ID, at micros.Time, and string, args ...any) error {
	_, err := h.pool.ExecContext(ctx, "INSERT INTO write_horizons (id, horizon, beat) VALUES (?, ?, 0)"+
		" ON DUPLICATE KEY UPDATE horizon = GREATEST(horizon, ?)", xid.Nil, at, at)
	if err == nil {
		_, err = h.pool.ExecContext(ctx,
			"DELETE FROM write_horizons WHERE id = ?"+and, append([]any{id}, args...)...) //nolint:gosec // constant
	}
	if err != nil {
		return fmt.Errorf("remove a horizon: %w", err)
	}
	return nil
}

func (h *horizon) read(ctx context.Context) (rows []published, err error) {
	err = Read(ctx, h.pool, func(found *stdsql.Rows) error {
		var r published
		err := found.Scan(&r.id, &r.horizon, &r.beat)
		rows = append(rows, r)
		return err
	}, "SELECT id, horizon, beat FROM write_horizons")
	if err != nil {
		return nil, fmt.Errorf("read the horizons: %w", err)
	}
	return rows, nil
}

// publish writes a horizon into a row of this process, unless another process has removed it.
func (h *horizon) publish(ctx context.Context, id xid.ID, at micros.Time) (int64, error) {
	res, err := h.pool.ExecContext(ctx, "UPDATE write_horizons SET horizon = ?, beat = beat + 1 WHERE id = ?", at, id)
	if err != nil {
		return 0, fmt.Errorf("publish the horizon: %w", err)
	}
	return res.RowsAffected()
}
