// Package erase takes a customer out of what is kept beside their rows: stored events,
// kept answers, the files of exports and what receivers of webhooks answered.
//
// The mutation changes the customer, as many orders as fit into its transaction, and
// writes a row: what is left to do. [Engine.Round] does it in small batches, each of
// which may be repeated, and notes after each how far it has come; so one who was
// killed is followed by another. Meanwhile nothing of the customer leaves: every
// process watches for redactions, and [Engine.Veil] takes the person out of what is
// about to be sent, wherever it was read.
package erase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/redaction"
	dbstore "github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

const (
	// pause is how long the others leave a redaction alone that somebody works on.
	pause = time.Minute
	// Kept is how long the row of a redaction stays when all is done, so that every
	// process has seen it.
	Kept = time.Hour
	// settled is how long after the mutation an attempt that was under way has been
	// written down: it takes 9 s at most.
	settled = 15 * time.Second
	// skew is more than the clocks of two processes differ by.
	skew = 5 * time.Second
	// window is how many redactions are looked at once.
	window = 100
	// batch bounds the rows of a transaction.
	batch = 90
)

// Config is what the engine needs.
type Config struct {
	Store *ent.Store
	// Notifier tells people of exports that were removed; a nil one on the dashboard
	// alone.
	Notifier *notify.Notifier
	Logger   *slog.Logger
}

// Engine is the redactions of one process.
type Engine struct {
	Config
	woken chan struct{}
	veil  veil
}

// New makes an engine.
func New(c Config) *Engine {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return &Engine{Config: c, woken: make(chan struct{}, 1)}
}

// Woken receives when there is something to do.
func (e *Engine) Woken() <-chan struct{} { return e.woken }

// Begin notes that a customer of the viewer's store was redacted, in the transaction
// that does it. clean says that all their orders were too. When it has committed, this
// process sends nothing more of them, and others do not within a moment.
func (e *Engine) Begin(ctx context.Context, customer xid.ID, clean bool) error {
	store, now := viewer.From(ctx).Store, micros.Now()
	row := e.Store.DB(ctx).Redaction.Create().SetID(customer).SetBucket(bucket.Of(store)).SetDueAt(now).
		SetStep(state.RedactCustomer).SetBegunAt(now)
	if clean {
		number, err := e.count(ctx)
		if err != nil {
			return err
		}
		row.SetCleanAt(now).SetNumber(number)
	}
	if err := row.Exec(ctx); err != nil {
		return fmt.Errorf("begin redaction: %w", err)
	}
	ent.OnCommit(ctx, func() {
		e.veil.add(store, customer, time.Now())
		select {
		case e.woken <- struct{}{}:
		default:
		}
	})
	return nil
}

// count counts a redaction of the viewer's store, in the transaction that cleans its last rows or
// a later one, and returns its number. An export that began with this count or a higher one has
// read clean rows.
func (e *Engine) count(ctx context.Context) (int64, error) {
	c := e.Store.DB(ctx)
	err := c.Store.Update().Where(dbstore.ID(viewer.From(ctx).Store)).AddRedactions(1).Exec(ctx)
	if err != nil {
		return 0, fmt.Errorf("count the redaction: %w", err)
	}
	return export.Redactions(ctx, c)
}

// task is a redaction that this process works on.
type task struct {
	*db.Redaction
}

// errLost says that another process works on a redaction.
var errLost = errors.New("the redaction is another one's")

// Round goes on with every redaction that is due, to its end. One that meets an error
// waits and does not hold up the others.
func (e *Engine) Round(ctx context.Context) error { return e.Store.EachShard(ctx, e.round) }

// round is [Engine.Round] on one shard.
func (e *Engine) round(ctx context.Context) error {
	var failed error
	for ctx.Err() == nil {
		due, err := e.due(ctx)
		if err != nil || len(due) == 0 {
			return errors.Join(failed, err)
		}
		for _, row := range due {
			err := e.work(viewer.Operator(ctx, row.StoreID), &task{row})
			if err != nil && !errors.Is(err, errLost) {
				failed = errors.Join(failed, fmt.Errorf("redact %s: %w", xid.Customer.Format(row.ID), err))
			}
		}
	}
	return errors.Join(failed, ctx.Err())
}

// due reads the redactions that somebody should go on with: also those that are put off
// for longer than anybody does it, since the clock was put back.
func (e *Engine) due(ctx context.Context) ([]*db.Redaction, error) {
	now := micros.Now()
	rows, err := e.Store.Seek(ctx).Redaction.Query().
		Where(redaction.BucketIn(bucket.All()...), redaction.Or(redaction.DueAtLTE(now),
			redaction.And(redaction.DueAtGT(now.Add(pause+skew)), redaction.StepNEQ(state.RedactDone)))).
		Order(redaction.ByDueAt()).Limit(window).Load(viewer.Everywhere(ctx))
	if err != nil {
		return nil, fmt.Errorf("find redactions: %w", err)
	}
	return rows, nil
}

// steps are what a redaction consists of, in their order.
func (e *Engine) steps() []step {
	return []step{
		{name: state.RedactCustomer, run: e.customer, then: state.RedactOrders},
		{name: state.RedactOrders, run: e.orders, then: state.RedactAnswers},
		{name: state.RedactAnswers, run: e.answers, then: state.RedactFiles},
		{name: state.RedactFiles, run: e.files, then: state.RedactResponses},
		{name: state.RedactResponses, run: e.responses, then: state.RedactDone},
	}
}

// step is a part of a redaction: run does one batch, and returns where the next one
// begins, nil behind the last.
type step struct {
	name, then state.RedactionStep
	run        func(ctx context.Context, t *task) (next *place, err error)
}

// place is where a step goes on.
type place struct {
	position xid.ID
	sequence int64
}

// work goes on with a redaction until all is done, or ctx ends.
func (e *Engine) work(ctx context.Context, t *task) error {
	if t.Step == state.RedactDone {
		return e.forget(ctx, t)
	}
	if err := e.advance(ctx, t, t.Step, t.at(), pause); err != nil {
		return err
	}
	for _, s := range e.steps() {
		for t.Step == s.name {
			if wait := t.wait(); wait > 0 {
				return e.advance(ctx, t, t.Step, t.at(), wait)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			next, err := s.run(ctx, t)
			if err != nil {
				return err
			}
			if err := e.finish(ctx, t, s, next); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish notes a batch of a step: where the next one begins, or the step that follows.
func (e *Engine) finish(ctx context.Context, t *task, s step, next *place) error {
	switch {
	case next != nil:
		return e.advance(ctx, t, s.name, *next, pause)
	case s.then == state.RedactDone:
		return e.advance(ctx, t, s.then, place{}, Kept)
	}
	return e.advance(ctx, t, s.then, place{}, pause)
}

// at is where the task stands in its step.
func (t *task) at() (p place) {
	if t.Position != nil {
		p.position = *t.Position
	}
	p.sequence = t.Place
	return p
}

// wait is how long the step has to wait: what receivers answered is complete only when
// every attempt from before the mutation was written down.
func (t *task) wait() time.Duration {
	if t.Step != state.RedactResponses {
		return 0
	}
	return time.Duration(t.BegunAt.Add(settled)-micros.Now()) * time.Microsecond
}

// advance notes how far a redaction has come, if it is still this process's.
func (e *Engine) advance(
	ctx context.Context, t *task, name state.RedactionStep, at place, until time.Duration,
) error {
	now := micros.Now()
	next := *t.Redaction
	next.DueAt, next.BegunAt = now.Add(until), min(t.BegunAt, now) // whatever the clock said, it was not begun later
	if next.DueAt == t.DueAt {
		next.DueAt++
	}
	cleaned := t.CleanAt == nil && t.Step == state.RedactOrders && name != t.Step
	next.Step, next.Position, next.Place = name, &at.position, at.sequence
	err := e.Store.InTx(ctx, func(ctx context.Context) error {
		if cleaned {
			number, err := e.count(ctx)
			if err != nil {
				return err
			}
			next.CleanAt, next.Number = &now, &number
		}
		n, err := e.Store.DB(ctx).Redaction.Update().Where(redaction.ID(t.ID), redaction.DueAt(t.DueAt)).
			SetDueAt(next.DueAt).SetBegunAt(next.BegunAt).SetStep(name).SetPosition(at.position).SetPlace(at.sequence).
			SetNillableCleanAt(next.CleanAt).SetNillableNumber(next.Number).Save(ctx)
		if err == nil && n == 0 {
			err = errLost
		}
		return err
	})
	if err == nil {
		*t.Redaction = next
	}
	return err
}

// forget deletes the row of a redaction that is long done.
func (e *Engine) forget(ctx context.Context, t *task) error {
	return e.Store.InTx(ctx, func(ctx context.Context) error {
		_, err := e.Store.DB(ctx).Redaction.Delete().
			Where(redaction.ID(t.ID), redaction.StepEQ(state.RedactDone)).Exec(ctx)
		return err
	})
}

// before is the time before which something may show the customer: what began later found clean
// rows. Files are judged by it only where an earlier release counted nothing.
func (t *task) before() micros.Time {
	if t.CleanAt == nil {
		return micros.Never
	}
	return t.CleanAt.Add(skew)
}
