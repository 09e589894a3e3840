package endpoint

import (
	"context"
	stdsql "database/sql"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// reach is how many of an endpoint's newest deliveries are searched, stride how many in one
	// statement.
	reach  = 1_000_000
	stride = 100_000
	// maxChosen is how long the lists of a filter may be.
	maxChosen = 100
)

// selection is a filter of one endpoint's deliveries as an SQL condition, either on the log or on
// the waiting ones.
type selection struct {
	endpoint xid.ID
	waits    bool
	where    string
	args     []any
}

// newSelection validates a filter and builds its condition. Pings cannot be resent.
func newSelection(ctx context.Context, endpoint xid.ID, in model.WebhookDeliveryFilter) (*selection, error) {
	c, check := &selection{endpoint: endpoint}, &core.Check{}
	if slices.Contains(in.States, state.DeliveryWaiting) {
		c.waiting(ctx, check, in)
	} else {
		c.ended(check, in)
	}
	return c, check.Err()
}

// ended selects deliveries that have ended.
func (c *selection) ended(check *core.Check, in model.WebhookDeliveryFilter) {
	c.and("d.type <> ?", string(event.Ping))
	for i, s := range in.States {
		if s == state.DeliveryHeld {
			check.Add("filter/states/"+strconv.Itoa(i), fault.UnknownValue,
				"Held deliveries continue when the endpoint is reactivated.")
		}
	}
	known(check, in.Types)
	list(c, check, "d.state IN ", "filter/states", in.States)
	list(c, check, "d.type IN ", "filter/types", in.Types)
	list(c, check, "d.outcome IN ", "filter/outcomes", in.Outcomes)
	core.Opt(in.SettledFrom, func(t micros.Time) { c.and("d.settled_at >= ?", t) })
	core.Opt(in.SettledTo, func(t micros.Time) { c.and("d.settled_at < ?", t) })
}

// waiting selects deliveries that failed and wait for their next attempt. Failures before the
// endpoint was last resumed do not count.
func (c *selection) waiting(ctx context.Context, check *core.Check, in model.WebhookDeliveryFilter) {
	c.waits = true
	if len(in.States) > 1 {
		check.Add("filter/states", fault.InvalidFormat, "WAITING cannot be combined with other states.")
	}
	notEnded := func(at string) func(micros.Time) {
		return func(micros.Time) { check.Add(at, fault.UnknownValue, "Waiting deliveries have no end time.") }
	}
	core.Opt(in.SettledFrom, notEnded("filter/settled_from"))
	core.Opt(in.SettledTo, notEnded("filter/settled_to"))
	known(check, in.Types)
	const ofQueue = " FROM webhook_queues q WHERE q.store_id = ? AND q.id = ?)"
	queue := []any{viewer.From(ctx).Store, c.endpoint}
	c.and("d.attempts > 0 AND d.failed = ?", false)
	c.and("d.due_at > ?", micros.Now())
	c.and("d.sequence > (SELECT q.floor_sequence"+ofQueue, queue...)
	c.and("d.first_at >= (SELECT q.resumed_at"+ofQueue, queue...)
	list(c, check, "(SELECT e.type FROM events e WHERE e.store_id = d.store_id AND e.id = d.event_id) IN ",
		"filter/types", in.Types)
	list(c, check, "(SELECT a.outcome FROM attempts a WHERE a.store_id = d.store_id AND a.endpoint_id = d.endpoint_id"+
		" AND a.sequence = d.sequence AND a.number = d.attempts) IN ", "filter/outcomes", in.Outcomes)
}

func known(check *core.Check, types []string) {
	for i, t := range types {
		if _, ok := event.Find(event.Type(t)); !ok {
			check.Add("filter/types/"+strconv.Itoa(i), fault.UnknownValue, "Unknown event.")
		}
	}
}

func (c *selection) table() string {
	if c.waits {
		return "deliveries"
	}
	return "delivery_logs"
}

func (c *selection) and(condition string, args ...any) {
	c.where += " AND " + condition
	c.args = append(c.args, args...)
}

// list adds the condition that an expression is one of some values, if any are given.
func list[T ~string](c *selection, check *core.Check, isOneOf, name string, values []T) {
	switch {
	case values == nil:
		return
	case len(values) == 0:
		check.Add(name, fault.TooShort, "The list is empty.")
		return
	case len(values) > maxChosen:
		check.Add(name, fault.TooLong, "There are more than "+strconv.Itoa(maxChosen)+" values.")
		return
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = string(v)
	}
	c.and(isOneOf+"(?"+strings.Repeat(", ?", len(values)-1)+")", args...)
}

// textOf returns a filter as cursors encode it.
func textOf(in model.WebhookDeliveryFilter) string {
	from, to := micros.Time(-1), micros.Time(-1)
	core.Opt(in.SettledFrom, func(t micros.Time) { from = t })
	core.Opt(in.SettledTo, func(t micros.Time) { to = t })
	return fmt.Sprintf("%q %q %q %d %d", in.States, in.Types, in.Outcomes, from, to)
}

// read runs a statement on the rows whose sequence is at least from and below to.
func (r *Resolver) read(ctx context.Context, c *selection, columns, tail string, from, to int64, scan ...func() []any,
) (n int, err error) {
	query := "SELECT " + columns + " FROM " + c.table() + " d" +
		ent.IndexHint(r.Store.Dialect(), c.table(), ent.Primary) +
		" WHERE d.store_id = ? AND d.endpoint_id = ? AND d.sequence >= ? AND d.sequence < ?" + c.where + tail
	args := append([]any{viewer.From(ctx).Store, c.endpoint, from, to}, c.args...)
	err = ent.Read(ctx, r.Client(ctx), func(rows *stdsql.Rows) error {
		n++
		for _, place := range scan {
			if err := rows.Scan(place()...); err != nil {
				return err
			}
		}
		return nil
	}, query, args...)
	if err != nil {
		return 0, fmt.Errorf("read deliveries: %w", err)
	}
	return n, nil
}

// ends returns the first sequence within reach, and the one after the last.
func (r *Resolver) ends(ctx context.Context, c *selection) (first, behind int64, err error) {
	err = ent.Read(ctx, r.Client(ctx), func(rows *stdsql.Rows) error { return rows.Scan(&first, &behind) },
		"SELECT COALESCE(MIN(sequence), 0), COALESCE(MAX(sequence), -1)"+
			" FROM "+c.table()+" WHERE store_id = ? AND endpoint_id = ?", viewer.From(ctx).Store, c.endpoint)
	if err != nil {
		return 0, 0, fmt.Errorf("read deliveries: %w", err)
	}
	behind++
	return max(first, behind-reach), behind, nil
}

// DeliveryCount counts the endpoint's deliveries that match a filter, the newest first.
func (f Fields) DeliveryCount(ctx context.Context, e *model.WebhookEndpoint, filter model.WebhookDeliveryFilter,
) (int, error) {
	c, err := newSelection(ctx, e.ID, filter)
	if err != nil {
		return 0, err
	}
	first, to, err := f.ends(ctx, c)
	if err != nil {
		return 0, core.Explain("deliveryCount", err)
	}
	count := 0
	for ; to > first && count < maxWaiting; to -= stride {
		n, err := f.read(ctx, c, "d.sequence", " LIMIT "+strconv.Itoa(maxWaiting-count), max(first, to-stride), to)
		if err != nil {
			return 0, core.Explain("deliveryCount", err)
		}
		count += n
	}
	return count, nil
}

// WebhookDeliveriesRetry resends ended deliveries, in their old order and as new deliveries at the
// end of the queue, or makes the next attempts of waiting ones due now. A cursor continues after
// the rows already read, and ends where the first call saw the end, so that deliveries that fail
// again are not selected again.
func (m Mutation) WebhookDeliveriesRetry(ctx context.Context, endpointID string, filter model.WebhookDeliveryFilter,
	after *string, most int,
) (*model.WebhookDeliveriesPayload, error) {
	uid, err := core.ParseID(xid.WebhookEndpoint, endpointID)
	if err != nil {
		return nil, err
	}
	c, err := newSelection(ctx, uid, filter)
	if err != nil {
		return nil, err
	}
	check := &core.Check{}
	check.Within("limit", int64(most), 1, limit.Retries)
	if err := check.Err(); err != nil {
		return nil, err
	}
	done := &model.WebhookDeliveriesPayload{}
	err = m.Commit(ctx, xid.WebhookEndpoint, func(ctx context.Context) (*change.Record, error) {
		e, err := m.endpoint(ctx, uid, ent.ForUpdate)
		if err != nil {
			return nil, err
		}
		if err := running(e); err != nil {
			return nil, err
		}
		if *done, err = m.retryNext(ctx, c, textOf(filter), after, most); err != nil || done.Count == 0 {
			return nil, err
		}
		return m.endpoints().Created(e, "webhook_delivery.retry_all", strconv.Itoa(done.Count)), nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (m Mutation) retryNext(ctx context.Context, c *selection, text string, after *string, most int,
) (done model.WebhookDeliveriesPayload, err error) {
	from, behind, err := m.ends(ctx, c)
	if err != nil {
		return done, err
	}
	of := page.List{Name: "webhook_deliveries_retry", Store: viewer.From(ctx).Store,
		Filters: page.Canonical("endpoint_id", xid.WebhookEndpoint.Format(c.endpoint), "filter", text)}
	if after != nil {
		p, ok := m.Pages.Open(of, *after)
		if !ok {
			return done, fault.Invalid(fault.Field{Pointer: "#/after", Code: fault.InvalidFormat,
				Detail: "This cursor does not belong to these deliveries."})
		}
		from, behind = max(from, int64(binary.BigEndian.Uint64(p.ID[8:]))), int64(p.Time)
	}
	to := min(from+stride, behind)
	found, last, err := m.next(ctx, c, from, to, most)
	if err != nil {
		return done, err
	}
	if len(found) == most {
		to = last + 1
	}
	if done.Count, err = m.retryAll(ctx, c, found); err != nil {
		return done, err
	}
	if done.HasNextPage = to < behind; done.HasNextPage {
		p := page.Position{Time: micros.Time(behind)}
		binary.BigEndian.PutUint64(p.ID[8:], uint64(to))
		done.EndCursor = new(m.Pages.Sign(of, p))
	}
	return done, nil
}

// next reads the first deliveries of a selection, and the sequence of the last one.
func (m Mutation) next(ctx context.Context, c *selection, from, to int64, most int,
) (found []webhook.DeliveryRef, last int64, err error) {
	_, err = m.read(ctx, c, "d.sequence, d.event_id, d.resource_id", " ORDER BY d.sequence LIMIT "+strconv.Itoa(most),
		from, to, func() []any {
			found = append(found, webhook.DeliveryRef{})
			a := &found[len(found)-1]
			return []any{&a.Sequence, &a.Event, &a.Resource}
		})
	if len(found) > 0 {
		last = found[len(found)-1].Sequence
	}
	return found, last, err
}

// retryAll resends ended deliveries or makes waiting ones due now, and returns how many.
func (m Mutation) retryAll(ctx context.Context, c *selection, found []webhook.DeliveryRef) (int, error) {
	switch {
	case len(found) == 0:
		return 0, nil
	case c.waits:
		return m.Webhooks.RetryAllNow(ctx, c.endpoint, found)
	}
	return len(found), m.Webhooks.ResendAll(ctx, c.endpoint, found)
}
