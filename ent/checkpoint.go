package ent

import (
	"context"
	stdsql "database/sql"
	"log/slog"
	"sync"
	"time"
)

const (
	// checkpointEvery is the least time between two checkpoints.
	checkpointEvery = 50 * time.Millisecond
	// walPages is after how many pages of its log, of 4 KiB, SQLite makes a checkpoint
	// within a commit, which then takes long; ours come before.
	walPages = "16384"
)

// checkpointer copies SQLite's write-ahead log into the database beside the writer.
// Left to itself, SQLite does so within a commit, and whoever writes waits for the disk.
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

// committed notes that the log has grown.
func (c *checkpointer) committed() {
	if c == nil {
		return // a database that makes its own
	}
	select {
	case c.wanted <- struct{}{}:
	default:
	}
}

// loop makes a checkpoint after commits. One that another process makes at the same
// time, or a reader keeps from its end, does no harm: the next one goes on there.
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

// close waits for a checkpoint that is under way.
func (c *checkpointer) close() error {
	if c == nil {
		return nil
	}
	c.stop()
	c.ended.Wait()
	return c.pool.Close()
}
