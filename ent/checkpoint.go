package ent

import (
	"context"
	stdsql "database/sql"
	"log/slog"
	"sync"
	"time"
)

const (
	checkpointEvery = 50 * time.Millisecond
	// walPages is the size of the write-ahead log, in pages of 4 KiB, at which SQLite makes a
	// checkpoint within a commit, which then takes long; ours come earlier.
	walPages = "16384"
)

// checkpointer copies SQLite's write-ahead log into the database concurrently with the writer. By
// default SQLite does so within a commit, and that writer waits for the disk.
type checkpointer struct {
	pool   *stdsql.DB
	log    *slog.Logger
	wanted chan struct{}
	stop   context.CancelFunc
	ended  sync.WaitGroup
}

func newCheckpointer(t target, log *slog.Logger) (*checkpointer, error) {
	pool, err := sqlitePool(t, "_pragma", "busy_timeout(5000)", "_pragma", "cache_size(-100)")
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	ctx, stop := context.WithCancel(context.Background())
	c := &checkpointer{pool: pool, log: log, wanted: make(chan struct{}, 1), stop: stop}
	c.ended.Go(func() { c.loop(ctx) })
	return c, nil
}

// committed signals that the log has grown.
func (c *checkpointer) committed() {
	if c == nil {
		return // not SQLite
	}
	select {
	case c.wanted <- struct{}{}:
	default:
	}
}

// loop makes a checkpoint after commits. If another process makes one at the same time, or a reader
// keeps it from completing, the next one continues.
func (c *checkpointer) loop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.wanted:
		}
		if _, err := c.pool.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)"); err != nil && ctx.Err() == nil {
			c.log.WarnContext(ctx, "the write-ahead log could not be copied into the database", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(checkpointEvery):
		}
	}
}

func (c *checkpointer) close() error {
	if c == nil {
		return nil
	}
	c.stop()
	c.ended.Wait()
	return c.pool.Close()
}
