// Package erase removes a redacted customer from everything stored outside their own rows: events,
// kept answers, files of exports, and the responses of webhook receivers.
//
// The mutation changes the customer and as many orders as fit into its transaction, and writes a
// redaction row for the rest. [Engine.Round] does the rest in small batches. Each batch may be
// repeated and records its progress, so another process continues when one is killed. Meanwhile
// nothing about the customer leaves: every process watches for redactions, and [Engine.RedactEvent]
// redacts whatever is about to be sent, wherever it was read.
//
// A redaction is not claimed with graph/engine/lease: its token is due_at, which each batch moves in
// the transaction that records its progress, so that a lease would be one more write for each batch.
// A process that is overtaken only repeats a batch, which changes nothing.
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
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

const (
	// pause is how long other processes leave a redaction alone after a process worked on it.
	pause = time.Minute
	// Kept is how long the row of a finished redaction stays, so that every process has seen it.
	Kept = time.Hour
	// settled is how long after the mutation every attempt that was in flight has been recorded. An
	// attempt takes at most 9 s.
	settled = 15 * time.Second
	// skew exceeds the difference between the clocks of two processes.
	skew = 5 * time.Second
	// window is how many due redactions are read at once.
	window = 100
	// batch bounds the rows of a transaction.
	batch = 90
)

// Config holds the dependencies of an [Engine].
type Config struct {
	Store *ent.Store
	// Notifier announces exports that were removed. A nil notifier writes to the dashboard only.
	Notifier *notify.Notifier
	Logger   *slog.Logger
}

// Engine runs the redactions of one process.
type Engine struct {
	Config
	wakeups chan struct{}
	recent  redactedSet
}

// New returns an engine.
func New(c Config) *Engine {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	return &Engine{Config: c, wakeups: make(chan struct{}, 1)}
}

// Wakeups receives when a redaction was begun in this process.
func (e *Engine) Wakeups() <-chan struct{} { return e.wakeups }

// Begin records, in the transaction that redacts a customer of the viewer's store, that the rest
// has to follow. clean reports that all their orders are redacted already. After the commit this
// process sends nothing about the customer any more; the others stop when they next run
// [Engine.Watch].
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
		e.recent.add(store, customer, time.Now())
		select {
		case e.wakeups <- struct{}{}:
		default:
		}
	})
	return nil
}

// count increments the redaction counter of the viewer's store and returns the redaction's number.
// It runs in the transaction that cleans the customer's last rows, or in a later one, so an export
// that began at this count or a higher one has read clean rows.
func (e *Engine) count(ctx context.Context) (int64, error) {
	c := e.Store.DB(ctx)
	err := c.Store.Update().Where(dbstore.ID(viewer.From(ctx).Store)).AddRedactions(1).Exec(ctx)
	if err != nil {
		return 0, fmt.Errorf("count the redaction: %w", err)
	}
	return export.Redactions(ctx, c)
}

type task struct{ *db.Redaction }

var errLost = errors.New("another process owns the redaction")

// Round works on every due redaction until it is done. A redaction that fails is retried later and
// does not hold up the others.
func (e *Engine) Round(ctx context.Context) error { return e.Store.EachShard(ctx, e.round) }

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

// due returns the due redactions. It includes redactions that are scheduled further ahead than any
// pause, which happens when the clock is set back.
func (e *Engine) due(ctx context.Context) ([]*db.Redaction, error) {
	now := micros.Now()
	rows, err := e.Store.Seek(ctx).Redaction.Query().
		Where(redaction.BucketIn(bucket.All()...), redaction.Or(redaction.DueAtLTE(now),
			redaction.And(redaction.DueAtGT(now.Add(pause+skew)), redaction.StepNEQ(state.RedactDone)))).
		Order(redaction.ByDueAt()).Limit(window).Load(viewer.Everywhere(ctx))
	return rows, fault.Wrap("find redactions", err)
}

func (e *Engine) steps() []step {
	return []step{
		{name: state.RedactCustomer, run: e.customer, then: state.RedactOrders},
		{name: state.RedactOrders, run: e.orders, then: state.RedactAnswers},
		{name: state.RedactAnswers, run: e.answers, then: state.RedactFiles},
		{name: state.RedactFiles, run: e.files, then: state.RedactResponses},
		{name: state.RedactResponses, run: e.responses, then: state.RedactDone},
	}
}

// step is a part of a redaction. run does one batch and returns where the next begins, if any.
type step struct {
	name, then state.RedactionStep
	run        func(ctx context.Context, t *task) (next *place, err error)
}

type place struct {
	position xid.ID
	sequence int64
}

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
			switch {
			case next != nil:
				err = e.advance(ctx, t, s.name, *next, pause)
			case s.then == state.RedactDone:
				err = e.advance(ctx, t, s.then, place{}, Kept)
			default:
				err = e.advance(ctx, t, s.then, place{}, pause)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *task) at() (p place) {
	if t.Position != nil {
		p.position = *t.Position
	}
	p.sequence = t.Place
	return p
}

// wait returns how long the step has to wait: the responses of receivers are complete only when
// every attempt that began before the mutation has been recorded.
func (t *task) wait() time.Duration {
	if t.Step != state.RedactResponses {
		return 0
	}
	return time.Duration(t.BegunAt.Add(settled)-micros.Now()) * time.Microsecond
}

// advance records the progress of a redaction; errLost if another process has taken it over.
func (e *Engine) advance(
	ctx context.Context, t *task, name state.RedactionStep, at place, until time.Duration,
) error {
	now := micros.Now()
	next := *t.Redaction
	// BegunAt is never in the future, even if the clock was set back.
	next.DueAt, next.BegunAt = now.Add(until), min(t.BegunAt, now)
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

func (e *Engine) forget(ctx context.Context, t *task) error {
	return e.Store.InTx(ctx, func(ctx context.Context) error {
		_, err := e.Store.DB(ctx).Redaction.Delete().
			Where(redaction.ID(t.ID), redaction.StepEQ(state.RedactDone)).Exec(ctx)
		return err
	})
}

// before returns the time before which something may show the customer: what began later read clean
// rows. Export files are judged by it only if an earlier release did not count the redaction.
func (t *task) before() micros.Time {
	if t.CleanAt == nil {
		return micros.Max
	}
	return t.CleanAt.Add(skew)
}
