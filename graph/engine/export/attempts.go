package export

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/cell"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/delivery"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// place is the position of an attempt in the log of its endpoint, the order of files.
type place struct{ sequence, number int64 }

var farthest = place{math.MaxInt64, math.MaxInt64}

func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.sequence, o.sequence), cmp.Compare(p.number, o.number))
}

// position returns the place as checkpoints store it.
func (p place) position() (id xid.ID) {
	binary.BigEndian.PutUint64(id[:8], uint64(p.sequence))
	binary.BigEndian.PutUint64(id[8:], uint64(p.number))
	return id
}

// placeOf returns the place of a position; nil is before every attempt.
func placeOf(position *xid.ID) place {
	if position == nil {
		return place{}
	}
	return place{int64(binary.BigEndian.Uint64(position[:8])), int64(binary.BigEndian.Uint64(position[8:]))}
}

// placed is an attempt with its place. An attempt without a delivery is in no file: its delivery
// was given up with others, and no list shows it.
type placed struct {
	place
	wire.WebhookAttempt
}

// attemptReader reads a batch of attempts. They lie in two tables with nearly the same key:
// attempts after which a delivery went on waiting, and, in the log of deliveries, the attempts that
// ended one.
type attemptReader struct {
	*source
	after place
	// until is the place up to which the batch has all attempts.
	until  place
	more   bool
	early  []*placed
	ending []*placed
}

func (s *source) attempts(ctx context.Context, after *xid.ID, b *builder) (*xid.ID, bool, error) {
	r := &attemptReader{source: s, after: placeOf(after), until: farthest}
	if err := r.read(ctx); err != nil {
		return after, false, fmt.Errorf("read attempts: %w", err)
	}
	for _, a := range r.merged() {
		if s.row != nil {
			b.body = end(cells(s.row, b.body, attemptColumns, &a.WebhookAttempt))
		} else {
			b.body = append(wire.AppendWebhookAttempt(b.body, &a.WebhookAttempt), '\n')
		}
		if err := b.added(1); err != nil {
			return after, false, err
		}
	}
	return new(r.until.position()), r.more, nil
}

// read reads the attempts after a place. The log is read last: a delivery that ends meanwhile is
// then in both reads, and the log is right.
func (r *attemptReader) read(ctx context.Context) error {
	if err := r.readEarly(ctx); err != nil {
		return err
	}
	of, err := r.waiting(ctx)
	if err != nil {
		return err
	}
	if err := r.readLog(ctx, of); err != nil {
		return err
	}
	for _, a := range r.early {
		if d := of[a.sequence]; d != nil {
			a.Delivery, a.State, a.SettledAt, a.Event = d.Delivery, d.State, d.SettledAt, d.Event
			a.Type, a.ResourceType, a.Resource = d.Type, d.ResourceType, d.Resource
		}
	}
	return nil
}

// merged returns the attempts that the batch emits, in order. Two attempts can have the same place
// if a process had lost its lease; one of them ended the delivery.
func (r *attemptReader) merged() []*placed {
	from, to := times(r.job)
	all := slices.DeleteFunc(slices.Concat(r.early, r.ending), func(a *placed) bool {
		return a.place.compare(r.after) <= 0 || a.place.compare(r.until) > 0 || a.Delivery.IsNil() ||
			a.BeganAt < from || a.BeganAt >= to
	})
	slices.SortStableFunc(all, func(a, b *placed) int { return a.place.compare(b.place) })
	return all
}

// times bounds the begin of the attempts; to is excluded.
func times(job *db.Export) (from, to micros.Time) {
	to = *job.StartedAt + 1
	if job.CreatedFrom != nil {
		from = *job.CreatedFrom
	}
	if job.CreatedTo != nil {
		to = min(to, *job.CreatedTo)
	}
	return from, to
}

func (r *attemptReader) rows(
	ctx context.Context, table, columns, tail string, args []any, scan func(*stdsql.Rows) error,
) error {
	return ent.Read(ctx, r.store.DB(ctx), scan, "SELECT "+columns+" FROM "+table+
		ent.IndexHint(r.store.Dialect(), table, ent.Primary)+" WHERE store_id = ? AND endpoint_id = ? AND sequence >= ?"+tail+
		" LIMIT "+strconv.Itoa(batchSize),
		append([]any{r.job.StoreID, *r.job.EndpointID, r.after.sequence}, args...)...)
}

const resultColumns = "attempt_id, outcome, status, duration, detail"

func results(a *placed, own **xid.ID) []any {
	return []any{cell.PointerOf(own), &a.Outcome, cell.NumberOf(&a.HTTPStatus), (*cell.Int64)(&a.Duration),
		cell.TextOf(&a.Detail)}
}

// scanned completes a scanned attempt. An attempt without an answer has the stored status 0.
func (a *placed) scanned(own *xid.ID) {
	a.WebhookAttempt.Number = a.number
	if own != nil {
		a.ID = *own
	}
	if a.HTTPStatus != nil && *a.HTTPStatus == 0 {
		a.HTTPStatus = nil
	}
}

func (r *attemptReader) readEarly(ctx context.Context) error {
	err := r.rows(ctx, "attempts", "sequence, number, id, began_at, next_at, "+resultColumns,
		" AND (sequence > ? OR number > ?) ORDER BY sequence, number", []any{r.after.sequence, r.after.number},
		func(rows *stdsql.Rows) error {
			a, own := new(placed), (*xid.ID)(nil)
			err := rows.Scan(append([]any{&a.sequence, &a.number, &a.ID, &a.BeganAt, &a.NextAt},
				results(a, &own)...)...)
			a.scanned(own)
			r.early = append(r.early, a)
			return err
		})
	if len(r.early) == batchSize {
		r.until, r.more = r.early[batchSize-1].place, true
	}
	return err
}

// readLog reads the deliveries that have ended, as far as the other attempts were read, and the
// attempts that ended them.
func (r *attemptReader) readLog(ctx context.Context, of map[int64]*wire.WebhookAttempt) error {
	n, sequence := 0, int64(0)
	err := r.rows(ctx, "delivery_logs", "sequence, attempts, id, event_id, type, resource_id, state, settled_at, "+
		"began_at, "+resultColumns, " AND sequence <= ? ORDER BY sequence", []any{r.until.sequence},
		func(rows *stdsql.Rows) error {
			a, own, began := new(placed), (*xid.ID)(nil), (*micros.Time)(nil)
			a.SettledAt = new(micros.Time)
			err := rows.Scan(append([]any{&a.sequence, &a.number, &a.Delivery, &a.Event, &a.Type, &a.Resource, &a.State,
				a.SettledAt, &began}, results(a, &own)...)...)
			a.ID, a.ResourceType = a.Delivery, event.About(a.Type).Resource()
			a.scanned(own)
			of[a.sequence] = &a.WebhookAttempt
			if began != nil { // otherwise it ended without an attempt
				a.BeganAt = *began
				r.ending = append(r.ending, a)
			}
			n, sequence = n+1, a.sequence
			return err
		})
	if whole := (place{sequence, math.MaxInt64}); n == batchSize && whole.compare(r.until) < 0 {
		r.until, r.more = whole, true
	}
	return err
}

// waiting returns, by sequence, the deliveries that have not ended among those with read attempts.
func (r *attemptReader) waiting(ctx context.Context) (map[int64]*wire.WebhookAttempt, error) {
	of := map[int64]*wire.WebhookAttempt{}
	var sequences []int64
	for _, a := range r.early {
		if n := len(sequences); n == 0 || sequences[n-1] != a.sequence {
			sequences = append(sequences, a.sequence)
		}
	}
	if len(sequences) == 0 {
		return of, nil
	}
	floor, stands, err := r.standing(ctx)
	if err != nil || stands == nil {
		return of, err
	}
	query := r.store.DB(ctx).Delivery.Query().Where(delivery.EndpointID(*r.job.EndpointID),
		delivery.SequenceIn(sequences...), delivery.SequenceGT(floor))
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, err
	}
	types, err := r.types(ctx, rows)
	for _, row := range rows {
		a := &wire.WebhookAttempt{Delivery: row.ID, State: stands(row), Event: row.EventID, Resource: row.ResourceID}
		if e := types[row.EventID]; e != nil {
			a.Type, a.ResourceType = e.Type, e.ResourceType
		}
		of[row.Sequence] = a
	}
	return of, err
}

// standing returns the sequence up to which the endpoint's queue was canceled, and a function for
// the state of a later delivery, which is nil if the endpoint is gone.
func (r *attemptReader) standing(ctx context.Context) (
	floor int64, stands func(*db.Delivery) state.DeliveryState, err error,
) {
	err = ent.Read(ctx, r.store.DB(ctx), func(rows *stdsql.Rows) error {
		var status state.EndpointStatus
		var resumed micros.Time
		err := rows.Scan(&status, &floor, &resumed)
		stands = func(row *db.Delivery) state.DeliveryState { return wire.StateOf(row, status, resumed) }
		return err
	}, "SELECT e.status, q.floor_sequence, q.resumed_at"+
		" FROM webhook_endpoints e JOIN webhook_queues q ON q.store_id = e.store_id AND q.id = e.id"+
		" WHERE e.store_id = ? AND e.id = ?", r.job.StoreID, *r.job.EndpointID)
	return floor, stands, err
}

// types returns the events of deliveries without their bodies. Expired events are missing.
func (r *attemptReader) types(ctx context.Context, rows []*db.Delivery) (map[xid.ID]*db.Event, error) {
	of := make(map[xid.ID]*db.Event, len(rows))
	if len(rows) == 0 {
		return of, nil
	}
	ids := make([]xid.ID, len(rows))
	for i, row := range rows {
		ids[i] = row.EventID
	}
	query := r.store.DB(ctx).Event.Query().Where(dbevent.IDIn(ids...))
	query.Modify(ent.ForceIndex(ent.Primary))
	query.Select(dbevent.FieldStoreID, dbevent.FieldID, dbevent.FieldType, dbevent.FieldResourceType)
	events, err := query.All(ctx)
	for _, e := range events {
		of[e.ID] = e
	}
	return of, err
}

func (s *source) totalAttempts(ctx context.Context) (int64, error) {
	const of = " WHERE store_id = ? AND endpoint_id = ? AND began_at >= ? AND began_at < ?"
	from, to := times(s.job)
	args := []any{s.job.StoreID, *s.job.EndpointID, from, to}
	return s.number(ctx, "SELECT (SELECT COUNT(*) FROM attempts"+of+") + (SELECT COUNT(*) FROM delivery_logs"+of+")",
		slices.Concat(args, args)...)
}
