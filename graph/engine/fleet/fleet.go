// Package fleet lists the processes that share a database. Each keeps a row with its identity and
// the time it was last seen. The servers divide the request rates of credentials by their number, and
// [Inspect] shows the fleet and its work.
package fleet

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/process"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// BeatEvery is how often a process updates its row.
	BeatEvery = 5 * time.Second
	// alive is how long a process counts as alive without an update.
	alive = 3 * BeatEvery
	// kept is how long a process is listed after its last update.
	kept = time.Hour
	// maxText bounds the name of a host and a version.
	maxText = 255
)

// Config identifies a process.
type Config struct {
	Store *ent.Store
	// ID is the process's id, also as an owner of leases.
	ID      xid.ID
	Role    state.ProcessRole
	Version string
	Logger  *slog.Logger
}

// Member is this process in its fleet.
type Member struct {
	Config
	host    string
	started micros.Time
	// servers is how many servers the fleet had at the last beat.
	servers atomic.Int64
}

// New returns a member. Its first [Member.Beat] adds it to the fleet.
func New(c Config) (*Member, error) {
	if c.Store == nil || c.ID.IsNil() || !c.Role.Known() {
		return nil, errors.New("fleet: a store, an id and a role are needed")
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	c.Version = clip(c.Version)
	m := &Member{Config: c, host: clip(host), started: micros.Now()}
	m.servers.Store(1)
	return m, nil
}

func clip(s string) string {
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText])
	}
	return s
}

// Beat updates the process's row, or inserts it, and counts the servers of the fleet. Call it every
// [BeatEvery].
func (m *Member) Beat(ctx context.Context) error {
	if err := m.Store.InTx(ctx, m.beat); err != nil {
		return fmt.Errorf("beat: %w", err)
	}
	list, err := List(ctx, m.Store)
	if err != nil {
		return err
	}
	servers := int64(0)
	for _, p := range list {
		if p.Alive && p.Role == state.ProcessServer {
			servers++
		}
	}
	m.servers.Store(max(servers, 1))
	return nil
}

func (m *Member) beat(ctx context.Context) error {
	c := m.Store.DB(ctx)
	clock, now := m.Store.QueueClock()
	res, err := c.ExecContext(ctx, "UPDATE processes SET seen_at = "+clock+" WHERE id = ?", append(now, m.ID)...)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n > 0 {
		return err
	}
	_, err = c.ExecContext(ctx, "INSERT INTO processes (id, role, host, pid, version, started_at, rates_at, seen_at)"+
		" VALUES (?, ?, ?, ?, ?, ?, 0, "+clock+")",
		append([]any{m.ID, string(m.Role), m.host, os.Getpid(), m.Version, m.started}, now...)...)
	if ent.IsDuplicate(err) { // the clock has not advanced, so nothing was updated
		return nil
	}
	return err
}

// Leave deletes the process's row. Call it on a regular shutdown.
func (m *Member) Leave(ctx context.Context) error {
	err := m.Store.InTx(ctx, func(ctx context.Context) error {
		_, err := m.Store.DB(ctx).Process.Delete().Where(process.ID(m.ID)).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("leave the fleet: %w", err)
	}
	return nil
}

// Purge deletes the rows of processes that were last seen long ago and returns how many.
func Purge(ctx context.Context, s *ent.Store) (n int, err error) {
	now, err := s.QueueTime(ctx)
	if err == nil {
		err = s.InTx(ctx, func(ctx context.Context) error {
			// A time far ahead means that the clock was reset.
			n, err = s.DB(ctx).Process.Delete().
				Where(process.Or(process.SeenAtLT(now.Add(-kept)), process.SeenAtGT(now.Add(kept)))).Exec(ctx)
			return err
		})
	}
	if err != nil {
		return 0, fmt.Errorf("purge processes: %w", err)
	}
	return n, nil
}

// List returns the processes of a fleet by their start, including those that ended within the last
// hour. It is one statement.
func List(ctx context.Context, s *ent.Store) (list []Seen, err error) {
	clock, args := s.QueueClock()
	err = ent.Read(ctx, s.DB(ctx), func(rows *stdsql.Rows) error {
		var p Seen
		var id xid.ID
		var seen, now micros.Time
		err := rows.Scan(&id, &p.Role, &p.Host, &p.PID, &p.Version, &p.Started, &seen, &now)
		age := max(now.Sub(seen), 0)
		p.ID, p.Ago, p.Alive = id.String(), age.Seconds(), age < alive
		list = append(list, p)
		return err
	}, "SELECT id, role, host, pid, version, started_at, seen_at, "+clock+" FROM processes ORDER BY id", args...)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return list, nil
}

// Servers returns how many servers the fleet had at the last beat, at least 1.
func (m *Member) Servers() int64 { return m.servers.Load() }
