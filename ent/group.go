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
	// groupTime is how long a group accepts new members.
	groupTime = 10 * time.Millisecond
	// memberTime is how long a member may keep the finished members of its group waiting.
	memberTime = 10 * time.Millisecond
)

// errGroupLost is the error of a transaction that was rolled back together with another
// member of its group: it runs again.
var errGroupLost = errors.New("undone with another transaction")

// errEvicted is the error of a member that was rolled back because it took longer than
// memberTime: it runs again, in a transaction of its own.
var errEvicted = fmt.Errorf("%w: too slow to share a commit", errGroupLost)

// turns orders the transactions of SQLite's one writer, first come, first served.
//
// The transaction that has the turn may stay open for the next one, which then runs inside
// a savepoint: one commit, which writes shared pages once and waits for the disk once,
// serves all members (group commit). No caller learns its outcome before that commit, nor
// acts on rows that another member wrote.
//
// A finished member waits for those behind it, so these are fast: transactions of the
// background do not join, and a member that takes longer than memberTime is evicted.
type turns struct {
	mu      sync.Mutex
	taken   bool
	waiting []*waiter
	waits   int64         // how often the turn was waited for
	waited  time.Duration // and how long in all
}

type waiter struct {
	turn  chan *group // receives the open group, or nil
	alone bool        // joins no group
}

// group is an open transaction of the database, used by the member that has the turn.
type group struct {
	store  *Store
	conn   *stdsql.Conn
	sql    *stdsql.Tx
	cancel context.CancelFunc
	begun  time.Time

	mu      sync.Mutex    // held during each statement, and while a member is evicted
	size    int           // members so far
	idle    bool          // the last of them has finished
	evicted bool          // the last of them was rolled back
	done    chan struct{} // closed once err holds the outcome
	err     error
}

// take waits for the turn. An open group to join may come with it.
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
	return <-w.turn, nil // it came at the same moment and has to be used
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

// give hands the turn on, together with an open group if g is not nil, and reports whether
// a waiter took it. If none did, the turn is free without a group, and kept with one.
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

// begin begins a transaction, or joins the open group unless it must be alone.
func (s *Store) begin(caller context.Context, r *retry) (*group, error) {
	if s.turns == nil {
		return s.open(caller, r)
	}
	ctx, cancel := r.wait(caller)
	defer cancel()
	s.noteRequest(caller)
	g, err := s.turns.take(ctx, r.alone || IsBackground(caller))
	if err != nil {
		return nil, fmt.Errorf("connect: %w", s.explainWait(err))
	}
	if g != nil {
		return g, g.join()
	}
	if g, err = s.open(caller, r); err != nil {
		s.turns.give(nil)
	}
	return g, err
}

func (s *Store) open(caller context.Context, r *retry) (*group, error) {
	conn, err := s.connect(caller, r)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	deadline := r.deadline
	if s.turns != nil {
		deadline = time.Now().Add(groupTime + TxBudget) // the latest deadline of any member
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(caller), deadline)
	if s.canBatch() {
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

// join begins a member that can be rolled back separately.
func (g *group) join() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.size++
	g.idle = false
	return g.exec("SAVEPOINT member")
}

// watch evicts the member that has the turn if it keeps finished members waiting for too
// long. cancel ends its statements. The caller calls stop when the member has finished.
func (g *group) watch(cancel context.CancelCauseFunc) (stop func() bool) {
	if g.size == 1 { // no finished member waits for it
		return func() bool { return true }
	}
	member := g.size
	return time.AfterFunc(memberTime, func() {
		cancel(errEvicted)
		g.evict(member)
	}).Stop
}

// evict rolls a member back, unless it has finished, and commits the group without it.
func (g *group) evict(member int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.idle || g.size != member {
		return
	}
	g.evicted = true
	if g.exec("ROLLBACK TO member") == nil && g.exec("RELEASE member") == nil {
		g.end() //nolint:errcheck // the finished members return it
	}
}

// finish ends the last member's use of the group. It reports whether the member was still
// part of it.
func (g *group) finish() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.idle = true
	return !g.evicted
}

// exec runs a statement on savepoints. If it fails, the group is lost.
func (g *group) exec(statement string) error {
	_, err := g.sql.ExecContext(context.Background(), statement)
	if err != nil {
		g.close(errGroupLost)
		return fmt.Errorf("%w: %w", errGroupLost, err)
	}
	return nil
}

// commit ends the transaction of the member that has the turn, and returns when it is
// committed together with the others of its group.
func (g *group) commit() error {
	if !g.finish() {
		return errEvicted
	}
	if g.size > 1 {
		if err := g.exec("RELEASE member"); err != nil {
			return err
		}
	}
	return g.share()
}

// undo rolls back only the member that has the turn. It returns when the others are committed, or
// the error for which they are not: then rows of theirs that this member read may be gone.
func (g *group) undo() error {
	if !g.finish() {
		<-g.done
		return g.err
	}
	if g.size == 1 {
		g.close(nil)
		return nil
	}
	if g.exec("ROLLBACK TO member") == nil && g.exec("RELEASE member") == nil {
		return g.share()
	}
	return nil // SQLite has already rolled back everything after a disk error: no savepoint is left
}

// share returns when the group is committed: by the next member, or at once.
func (g *group) share() error {
	if g.handOn() {
		<-g.done
		return g.err
	}
	return g.end()
}

// handOn gives the turn and the group to the next transaction, if the group may grow.
func (g *group) handOn() bool {
	t := g.store.turns
	return t != nil && g.size < maxGroup && time.Since(g.begun) < groupTime && t.give(g)
}

func (g *group) end() error {
	err := g.store.commit(g.sql)
	g.close(err)
	return err
}

// close ends the group, publishes its outcome, and gives up the turn.
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
