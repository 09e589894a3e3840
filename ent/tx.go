package ent

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
)

// TxBudget is the longest that a transaction may take, including all retries.
const TxBudget = 15 * time.Second

// tx is an open transaction, and ent's driver inside it.
type tx struct {
	store     *Store
	group     *group
	sql       *stdsql.Tx
	client    *db.Client
	onCommit  []func()
	announced bool // listeners are notified at the commit
	later     delayed
	began     micros.Time
	// dead is the first error of the database that is not a duplicate key. The server may have
	// rolled back already, so that a later statement would commit by itself: none is sent.
	dead error
	// failed is the error of a joined InTx: the whole transaction rolls back.
	failed error
}

type txKey struct{}

func (s *Store) txFrom(ctx context.Context) *tx {
	if t, ok := ctx.Value(txKey{}).(*tx); ok && t.store == s {
		return t
	}
	return nil
}

// ErrUncertain says that a transaction may or may not have been committed.
var ErrUncertain = errors.New("the outcome of the commit is unknown")

// InTx runs f in a transaction, or joins the one that ctx is in.
//
// Waiting for a connection honors ctx. Once begun, the transaction has its own deadline, so that a
// client that disconnects does not leave it half done. In a request, only its COMMIT is sent once
// the [WaitBudget] of the request is spent. If the database demands a retry, f runs again from the
// start: it must have no effect outside the database; use [OnCommit] for those. An error of f rolls
// back.
//
// After any error of the database other than a duplicate key, every later statement of the
// transaction fails with that error.
func (s *Store) InTx(ctx context.Context, f func(ctx context.Context) error) error {
	return s.inTx(ctx, f, false)
}

// InTxKeyed is [Store.InTx] for an f that begins by claiming a unique key: it also runs f again
// when the outcome of COMMIT is unknown, and f then learns from the duplicate key that the first
// run took effect.
func (s *Store) InTxKeyed(ctx context.Context, f func(ctx context.Context) error) error {
	return s.inTx(ctx, f, true)
}

func (s *Store) inTx(ctx context.Context, f func(ctx context.Context) error, keyed bool) error {
	if t := s.txFrom(ctx); t != nil {
		err := f(ctx)
		if err != nil && t.failed == nil {
			t.failed = err
		}
		return err
	}
	s.refreshFormats(ctx)
	now := time.Now()
	r := retry{deadline: now.Add(TxBudget), answer: now.Add(TxBudget), keyed: keyed}
	if q, ok := ctx.Value(requestKey{}).(*request); ok {
		r.answer = q.enter(now)
		defer q.leave()
	}
	for {
		hooks, phase, err := s.try(ctx, &r, f)
		if err == nil {
			for _, h := range hooks {
				h()
			}
			return nil
		}
		wait, again := r.next(err, phase, s.server.state())
		if !again && phase == committing && !undone(err) {
			return fmt.Errorf("%w: %w", ErrUncertain, r.explain(err))
		}
		if !again {
			return r.explain(err)
		}
		c := classify(err)
		s.retries[c].Add(1)
		s.log.DebugContext(ctx, "retrying transaction", "try", r.tries, "wait", wait, "reason", c.String())
		if !s.awaitRetry(ctx, wait) {
			r.spent = ctx.Err() == nil
			return r.explain(err)
		}
	}
}

// try runs f once in a transaction. It returns the phase that it reached.
func (s *Store) try(
	caller context.Context, r *retry, f func(context.Context) error,
) (hooks []func(), p phase, err error) {
	g, err := s.begin(caller, r)
	if err != nil {
		return nil, beginning, err
	}
	undo := true // by an error of f, or a panic
	defer func() {
		if !undo {
			return
		}
		if lost := g.undo(); lost != nil && err != nil {
			// What f returned rests on rows that were rolled back, so it must not be used.
			hooks, p, err = nil, running, fmt.Errorf("%w, after it had returned: %s", errGroupLost, err.Error())
		}
	}()
	ctx, evict := context.WithCancelCause(s.lasting(caller))
	defer evict(nil)
	defer g.watch(evict)()
	ctx, cancel := context.WithDeadline(ctx, r.deadline)
	defer cancel()
	bounded, cancel := context.WithDeadline(ctx, r.answer)
	defer cancel()
	held, err := s.horizon.begin(bounded)
	if err != nil {
		return nil, beginning, err
	}
	defer func() { s.horizon.end(held, p == committing && err != nil && !undone(err)) }()
	t := &tx{store: s, group: g, sql: g.sql, began: held.Start}
	t.client = db.NewClient(db.Driver(t))
	err = f(context.WithValue(moment.Within(bounded, &held.Tx), txKey{}, t))
	if errors.Is(context.Cause(ctx), errEvicted) {
		r.alone = true
		return nil, running, errEvicted
	}
	if err := t.settle(err); err != nil {
		return nil, running, err
	}
	if err := s.horizon.admit(bounded, held); err != nil {
		return nil, running, err
	}
	if time.Now().After(r.lastWait()) { // the delayed statements may wait for a lock, and must not commit after it
		if err := t.send(bounded, joinsLater); err != nil {
			return nil, running, err
		}
	}
	if err := t.send(ctx, joinsCommit); err != nil {
		return nil, committing, err
	}
	undo = false
	switch err := g.commit(); {
	case errors.Is(err, errGroupLost):
		return nil, running, err
	case err != nil:
		return nil, committing, fmt.Errorf("commit: %w", err)
	}
	return t.onCommit, committing, nil
}

// lasting returns the context of a transaction that has begun: it does not end when a request is
// canceled. It does end with background work on SQLite, where its statements may be long; other
// servers would continue the statement for a while.
func (s *Store) lasting(caller context.Context) context.Context {
	if s.turns != nil && IsBackground(caller) {
		return caller
	}
	return context.WithoutCancel(caller)
}

func (s *Store) commit(begun *stdsql.Tx) error {
	err := begun.Commit()
	if err == nil && s.commits != nil {
		err = s.commits()
	}
	if err == nil {
		s.checkpoints.committed()
	}
	return err
}

// connect waits in the pool's queue, limited by ctx and the budget: a transaction begun inside
// another without its context would wait for itself.
func (s *Store) connect(caller context.Context, r *retry) (*stdsql.Conn, error) {
	ctx, cancel := r.wait(caller)
	defer cancel()
	pool := s.writer
	if s.isAside(caller) {
		pool = s.cluster.aside
	}
	conn, err := pool.Conn(ctx)
	return conn, s.explainWait(err)
}

// explainWait marks an error of a wait that timed out or was for a closed store as unavailable.
func (s *Store) explainWait(err error) error {
	if err != nil && (s.closed.Load() || errors.Is(err, context.DeadlineExceeded)) {
		return &unavailableError{err}
	}
	return err
}

// settle combines the error of f with the errors of its statements: one that f ignored still
// counts, and an error that f derived from a deadlock must not prevent the retry.
func (t *tx) settle(err error) error {
	switch {
	case err == nil && t.dead != nil:
		return t.dead
	case err == nil:
		return t.failed
	case t.dead != nil && !isFinal(err) && classify(err) == fatal && classify(t.dead) == fatal:
		return errors.Join(err, t.dead)
	case t.dead != nil && !isFinal(err) && classify(err) == fatal:
		return fmt.Errorf("%w, after which it returned: %s", t.dead, err.Error())
	}
	return err
}

// OnCommit runs f after the transaction that ctx is in has committed, in the order of registration;
// never when it rolls back. Without a transaction f runs at once.
func OnCommit(ctx context.Context, f func()) {
	if t, ok := ctx.Value(txKey{}).(*tx); ok {
		t.onCommit = append(t.onCommit, f)
		return
	}
	f()
}

// Outside returns a context that is in no transaction and does not end with the transaction of ctx:
// for work after a commit, from [OnCommit].
func Outside(ctx context.Context) context.Context {
	return context.WithValue(context.WithoutCancel(ctx), txKey{}, nil)
}

type asideKey struct{}

// Aside returns the context for reading rows of another owner than the one the transaction of ctx
// writes, such as the person behind a store's staff, or for writing them in a separate transaction.
// If these rows may be on another shard, the context is outside the transaction, which stays on one
// shard, and has separate connections, so that begun transactions do not wait for each other.
// Otherwise it is ctx.
func (s *Store) Aside(ctx context.Context) context.Context {
	if s.cluster == nil || !s.Within(ctx) {
		return ctx
	}
	return context.WithValue(context.WithValue(ctx, txKey{}, nil), asideKey{}, true)
}

func (s *Store) isAside(ctx context.Context) bool {
	return s.cluster != nil && ctx.Value(asideKey{}) != nil
}

func (t *tx) Dialect() string { return t.store.dialect }

func (t *tx) Close() error { return nil }

// Tx implements dialect.Driver: ent's own transactions join this one.
func (t *tx) Tx(context.Context) (dialect.Tx, error) { return dialect.NopTx(t), nil }

func (t *tx) Exec(ctx context.Context, query string, args, v any) error {
	argv, ok := args.([]any)
	if !ok {
		return fmt.Errorf("exec: arguments are %T", args)
	}
	res, err := t.ExecContext(ctx, query, argv...)
	if dst, ok := v.(*stdsql.Result); ok && err == nil {
		*dst = res
	}
	return err
}

func (t *tx) Query(ctx context.Context, query string, args, v any) error {
	return entQuery(ctx, t, query, args, v)
}

func (t *tx) ExecContext(ctx context.Context, query string, args ...any) (stdsql.Result, error) {
	t.group.mu.Lock()
	defer t.group.mu.Unlock()
	if err := t.enter(ctx, query, args); err != nil {
		return nil, err
	}
	if t.delays(ctx) {
		return t.delay(ctx, query, args)
	}
	if err := t.send(ctx, joinsLater); err != nil {
		return nil, err
	}
	res, err := t.sql.ExecContext(ctx, query, args...)
	t.leave(err)
	return res, err
}

func (t *tx) QueryContext(ctx context.Context, query string, args ...any) (*stdsql.Rows, error) {
	t.group.mu.Lock()
	defer t.group.mu.Unlock()
	if err := t.enter(ctx, query, args); err != nil {
		return nil, err
	}
	if err := t.send(ctx, joinsLater); err != nil {
		return nil, err
	}
	rows, err := t.sql.QueryContext(ctx, query, args...) //nolint:sqlclosecheck // the caller closes them
	t.leave(err)
	return rows, err
}

func (t *tx) enter(ctx context.Context, query string, args []any) error {
	if t.dead != nil {
		return t.dead
	}
	_, onShard := ShardOf(ctx)
	return t.store.note(ctx, Statement{Query: query, Values: args, InTx: true, Tx: t, Began: t.began, OnShard: onShard})
}

func (t *tx) leave(err error) {
	if err != nil && classify(err) != duplicate {
		t.dead = err
	}
}

// Broken returns the error of the database after which the transaction of ctx cannot continue, or
// nil.
func (s *Store) Broken(ctx context.Context) error {
	if t := s.txFrom(ctx); t != nil {
		return t.dead
	}
	return nil
}

// Within reports whether ctx is in a transaction of this store.
func (s *Store) Within(ctx context.Context) bool { return s.txFrom(ctx) != nil }
