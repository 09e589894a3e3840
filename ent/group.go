package ent

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// maxGroup bounds the transactions that share a commit.
	maxGroup = 64
	// groupTime is after how long an open group takes no more of them.
	groupTime = 10 * time.Millisecond
)

// errGroupLost is the answer to those whose transactions were undone with another of
// their group: they begin anew.
var errGroupLost = errors.New("undone with another transaction")

// turns orders the transactions of SQLite's one writer, first come, first served.
//
// Whoever has the turn may leave the transaction open for the next, who goes on inside a
// savepoint: then one commit, which writes the pages that they share once and waits for
// the disk once, serves all (group commit). Nobody hears of their own before it, nor what
// came of looking at that of others: who lost against a transaction of the group would
// look for it outside in vain.
type turns struct {
	mu      sync.Mutex
	taken   bool
	waiting []*waiter
	waits   int64         // how often the turn was waited for
	waited  time.Duration // and how long in all
}

// waiter is who wants the turn.
type waiter struct {
	turn  chan *group // gets the open group, or nil
	alone bool        // begins a transaction of their own
}

// group is an open transaction of the database, used by who has the turn.
type group struct {
	store  *Store
	conn   *stdsql.Conn
	sql    *stdsql.Tx
	cancel context.CancelFunc
	begun  time.Time
	size   int           // transactions that share it, so far
	done   chan struct{} // closed once err says what became of it
	err    error
}

// take waits for the turn. With it may come an open group to go on in.
func (t *turns) take(ctx context.Context, alone bool) (*group, error) {
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return nil, nil
	}
	w := &waiter{turn: make(chan *group, 1), alone: alone}
	t.waiting = append(t.waiting, w)
	t.waits++
	t.mu.Unlock()
	defer t.note(time.Now())
	select {
	case g := <-w.turn:
		return g, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.waiting, w); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
		return nil, ctx.Err()
	}
	return <-w.turn, nil // it came at the same time and has to be used
}

func (t *turns) note(since time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waited += time.Since(since)
}

// stats adds the waits for the turn to those for its connection.
func (t *turns) stats(s stdsql.DBStats) stdsql.DBStats {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.WaitCount += t.waits
	s.WaitDuration += t.waited
	return s
}

// give hands the turn on, with a group that is open, and reports whether somebody took
// it. Without a group nobody has the turn then; with one it stays where it is.
func (t *turns) give(g *group) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if g != nil && (len(t.waiting) == 0 || t.waiting[0].alone) {
		return false
	}
	if t.taken = len(t.waiting) > 0; !t.taken {
		return false
	}
	t.waiting[0].turn <- g
	t.waiting = slices.Delete(t.waiting, 0, 1)
	return true
}

// begin begins a transaction, or goes on in the group that is open.
func (s *Store) begin(caller context.Context, deadline time.Time) (*group, error) {
	if s.turns == nil {
		return s.open(caller, deadline)
	}
	ctx, cancel := context.WithDeadline(caller, deadline)
	defer cancel()
	s.noteRequest(caller)
	g, err := s.turns.take(ctx, isBackground(caller))
	if err != nil {
		return nil, fmt.Errorf("connect: %w", s.explainWait(err))
	}
	if g != nil {
		return g, g.join()
	}
	if g, err = s.open(caller, deadline); err != nil {
		s.turns.give(nil)
	}
	return g, err
}

// open begins a transaction on a connection of its own.
func (s *Store) open(caller context.Context, deadline time.Time) (*group, error) {
	conn, err := s.connect(caller, deadline)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if s.turns != nil {
		deadline = time.Now().Add(groupTime + TxBudget) // those of all who may share it
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(caller), deadline)
	if s.oneMessage() {
		ctx = joinsBegin.with(ctx)
	}
	begun, err := conn.BeginTx(ctx, nil)
	if err != nil {
		conn.Close()
		cancel()
		return nil, fmt.Errorf("begin: %w", err)
	}
	return &group{store: s, conn: conn, sql: begun, cancel: cancel, begun: time.Now(), size: 1,
		done: make(chan struct{})}, nil
}

// join makes what follows a transaction of the group that can be undone alone.
func (g *group) join() error {
	g.size++
	return g.exec("SAVEPOINT member")
}

// exec runs a statement on savepoints. Without them the group is lost.
func (g *group) exec(statement string) error {
	_, err := g.sql.ExecContext(context.Background(), statement)
	if err != nil {
		g.close(errGroupLost)
		return fmt.Errorf("%w: %w", errGroupLost, err)
	}
	return nil
}

// commit ends the transaction of who has the turn, and returns when it is committed, with
// the others of its group.
func (g *group) commit() error {
	if g.size > 1 {
		if err := g.exec("RELEASE member"); err != nil {
			return err
		}
	}
	return g.share()
}

// undo takes back the transaction of who has the turn, and no other of its group. It
// returns when those are committed, or the error by which they are not: then what it had
// seen of them may be gone.
func (g *group) undo() error {
	if g.size == 1 {
		g.close(nil)
		return nil
	}
	if g.exec("ROLLBACK TO member") == nil && g.exec("RELEASE member") == nil {
		return g.share()
	}
	return nil // SQLite had undone the whole already, after an error of the disk: no savepoint is left
}

// share returns when the group is committed: by the next, or by itself.
func (g *group) share() error {
	if g.handOn() {
		<-g.done
		return g.err
	}
	return g.end()
}

// handOn gives the turn and the group to the next, if the group may grow.
func (g *group) handOn() bool {
	t := g.store.turns
	return t != nil && g.size < maxGroup && time.Since(g.begun) < groupTime && t.give(g)
}

func (g *group) end() error {
	err := g.store.commit(g.sql)
	g.close(err)
	return err
}

// close ends the group, tells what became of it, and gives up the turn.
func (g *group) close(err error) {
	g.sql.Rollback() // does nothing after Commit
	g.conn.Close()
	g.cancel()
	g.err = err
	close(g.done)
	if t := g.store.turns; t != nil {
		t.give(nil)
	}
}
