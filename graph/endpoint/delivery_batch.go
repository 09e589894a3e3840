package endpoint

import (
	"context"
	stdsql "database/sql"
	"encoding/binary"
	"fmt"
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
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
	"github.com/storefront-go/storefront/graph/webhook"
)

const (
	// reach is how many of an endpoint's newest deliveries are looked at, stride how
	// many of them in one statement.
	reach  = 1_000_000
	stride = 100_000
	// maxChosen is how long the lists of a filter may be.
	maxChosen = 100
)

// choice is a filter of ended deliveries as a condition on the log of one endpoint.
type choice struct {
	endpoint xid.ID
	where    string
	args     []any
}

// chosen checks a filter and makes its condition. Pings cannot be sent again.
func chosen(endpoint xid.ID, in model.WebhookDeliveryFilter) (*choice, error) {
	c, check := &choice{endpoint: endpoint}, &core.Check{}
	c.and("type <> ?", string(event.Ping))
	for i, s := range in.States {
		if s == state.DeliveryWaiting || s == state.DeliveryHeld {
			check.Add("filter/states/"+strconv.Itoa(i), fault.UnknownValue, "Such a delivery has not ended.")
		}
	}
	for i, t := range in.Types {
		if _, ok := event.Find(event.Type(t)); !ok {
			check.Add("filter/types/"+strconv.Itoa(i), fault.UnknownValue, "This is not an event of the catalogue.")
		}
	}
	list(c, check, "state", "filter/states", in.States)
	list(c, check, "type", "filter/types", in.Types)
	list(c, check, "outcome", "filter/outcomes", in.Outcomes)
	core.Opt(in.SettledFrom, func(t micros.Time) { c.and("settled_at >= ?", t) })
	core.Opt(in.SettledTo, func(t micros.Time) { c.and("settled_at < ?", t) })
	return c, check.Err()
}

// and adds a condition.
func (c *choice) and(condition string, args ...any) {
	c.where += " AND " + condition
	c.args = append(c.args, args...)
}

// list adds that a column is one of the values, where some are given.
func list[T ~string](c *choice, check *core.Check, column, name string, values []T) {
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
	c.and(column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", args...)
}

// text is the choice as cursors belong to it.
func (c *choice) text() string { return c.where + fmt.Sprint(c.args...) }

// read runs a statement on a part of the log, from a sequence on to before another.
func (r *Resolver) read(ctx context.Context, c *choice, columns, tail string, from, to int64, scan ...func() []any,
) (n int, err error) {
	query := "SELECT " + columns + " FROM delivery_logs" + ent.IndexHint(r.Store.Dialect(), ent.Primary) +
		" WHERE store_id = ? AND endpoint_id = ? AND sequence >= ? AND sequence < ?" + c.where + tail
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
		return 0, fmt.Errorf("read the delivery log: %w", err)
	}
	return n, nil
}

// ends returns the first sequence of an endpoint's log that is within reach, and the one
// behind its last.
func (r *Resolver) ends(ctx context.Context, endpoint xid.ID) (first, behind int64, err error) {
	err = ent.Read(ctx, r.Client(ctx), func(rows *stdsql.Rows) error { return rows.Scan(&first, &behind) },
		"SELECT COALESCE(MIN(sequence), 0), COALESCE(MAX(sequence), -1)"+
			" FROM delivery_logs WHERE store_id = ? AND endpoint_id = ?", viewer.From(ctx).Store, endpoint)
	if err != nil {
		return 0, 0, fmt.Errorf("read the delivery log: %w", err)
	}
	behind++
	return max(first, behind-reach), behind, nil
}

// DeliveryCount counts the deliveries of the endpoint that ended as the filter says, the
// newest first.
func (f Fields) DeliveryCount(ctx context.Context, e *model.WebhookEndpoint, filter model.WebhookDeliveryFilter,
) (int, error) {
	c, err := chosen(e.ID, filter)
	if err != nil {
		return 0, err
	}
	first, to, err := f.ends(ctx, e.ID)
	if err != nil {
		return 0, core.Explain("deliveryCount", err)
	}
	count := 0
	for ; to > first && count < maxWaiting; to -= stride {
		n, err := f.read(ctx, c, "sequence", " LIMIT "+strconv.Itoa(maxWaiting-count), max(first, to-stride), to)
		if err != nil {
			return 0, core.Explain("deliveryCount", err)
		}
		count += n
	}
	return count, nil
}

// WebhookDeliveriesRetry sends deliveries that have ended once more, in their old order
// and as new ones at the end of the queue. A cursor goes on behind what was looked at,
// up to what the log held at the beginning: what fails again is not found again.
func (m Mutation) WebhookDeliveriesRetry(ctx context.Context, endpointID string, filter model.WebhookDeliveryFilter,
	after *string, most int,
) (*model.WebhookDeliveriesPayload, error) {
	uid, err := core.ParseID(xid.WebhookEndpoint, endpointID)
	if err != nil {
		return nil, err
	}
	c, err := chosen(uid, filter)
	if err != nil {
		return nil, err
	}
	check := &core.Check{}
	check.Within("limit", int64(most), 1, limit.Retries)
	if err := check.Err(); err != nil {
		return nil, err
	}
	done := &model.WebhookDeliveriesPayload{}
	err = m.Commit(ctx, xid.WebhookEndpoint, func(ctx context.Context) (*core.Record, error) {
		e, err := m.endpoint(ctx, uid, ent.ForUpdate)
		if err != nil {
			return nil, err
		}
		if err := running(e); err != nil {
			return nil, err
		}
		if *done, err = m.retryNext(ctx, c, after, most); err != nil || done.Count == 0 {
			return nil, err
		}
		return m.endpoints().Made(e, "webhook_delivery.retry_all", strconv.Itoa(done.Count)), nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// retryNext sends the next part of a choice once more.
func (m Mutation) retryNext(ctx context.Context, c *choice, after *string, most int,
) (done model.WebhookDeliveriesPayload, err error) {
	from, behind, err := m.ends(ctx, c.endpoint)
	if err != nil {
		return done, err
	}
	of := page.List{Name: "webhook_deliveries_retry", Store: viewer.From(ctx).Store,
		Filters: page.Canonical("endpoint_id", xid.WebhookEndpoint.Format(c.endpoint), "filter", c.text())}
	if after != nil {
		p, ok := m.Pages.Open(of, *after)
		if !ok {
			return done, fault.Invalid(fault.Field{Pointer: "#/after", Code: fault.InvalidFormat,
				Detail: "This is no cursor of these deliveries."})
		}
		from, behind = max(from, int64(binary.BigEndian.Uint64(p.ID[8:]))), int64(p.Time)
	}
	to := min(from+stride, behind)
	var again []webhook.Again
	var last int64
	_, err = m.read(ctx, c, "sequence, event_id, resource_id", " ORDER BY sequence LIMIT "+strconv.Itoa(most), from, to,
		func() []any {
			again = append(again, webhook.Again{})
			a := &again[len(again)-1]
			return []any{&last, &a.Event, &a.Resource}
		})
	if err != nil {
		return done, err
	}
	if len(again) == most {
		to = last + 1
	}
	if done.Count = len(again); done.Count > 0 {
		if err := m.Webhooks.ResendAll(ctx, c.endpoint, again); err != nil {
			return done, err
		}
	}
	if done.HasNextPage = to < behind; done.HasNextPage {
		p := page.Position{Time: micros.Time(behind)}
		binary.BigEndian.PutUint64(p.ID[8:], uint64(to))
		done.EndCursor = new(m.Pages.Sign(of, p))
	}
	return done, nil
}
