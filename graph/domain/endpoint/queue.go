package endpoint

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/endpointstat"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// maxWaiting is the highest count of waiting deliveries.
	maxWaiting = 10_000
	// maxHours is how many hours of activity can be read. Up to fineHours, the slots are the stored
	// ones.
	maxHours  = 336
	fineHours = 6
	fineSlot  = 5 * time.Minute
)

// Queue returns the state of the endpoint's queue. It costs one statement for all endpoints of a
// page.
func (f Fields) Queue(ctx context.Context, e *model.WebhookEndpoint) (*model.WebhookQueueState, error) {
	s, err := e.Page.Queues.Get(ctx, e.ID)
	return s, core.Explain("queue", err)
}

// backlogs counts the waiting deliveries of each endpoint.
func (r *Resolver) backlogs(
	ctx context.Context, shown []*model.WebhookEndpoint,
) (map[xid.ID]*model.WebhookQueueState, error) {
	of := make(map[xid.ID]*model.WebhookQueueState, len(shown))
	query, args := backlogQuery(viewer.From(ctx).Store, shown)
	err := ent.Read(ctx, r.Client(ctx), func(rows *stdsql.Rows) error {
		var n int
		var s model.WebhookQueueState
		var oldest []byte
		if err := rows.Scan(&n, &s.Waiting, &oldest); err != nil {
			return err
		}
		if s.Waiting > 0 {
			s.OldestAt = new(xid.ID(oldest).Time())
		}
		e := shown[n] // are events of the log being added to its queue?
		s.CatchingUp = e.Status == state.EndpointActive && (e.Health.MissedFrom != nil || e.Health.ReplayFrom != nil)
		of[e.ID] = &s
		return nil
	}, query, args...)
	if err != nil {
		return nil, fmt.Errorf("count waiting deliveries: %w", err)
	}
	return of, nil
}

// backlogQuery has one part per endpoint, since no other form stops counting at the limit. Ids
// begin with their time, and within a queue they rise with the sequence.
func backlogQuery(store xid.ID, shown []*model.WebhookEndpoint) (query string, args []any) {
	var b strings.Builder
	for i, e := range shown {
		if i > 0 {
			b.WriteString(" UNION ALL ")
		}
		b.WriteString("SELECT " + strconv.Itoa(i) +
			", COUNT(*), MIN(id) FROM (SELECT id FROM deliveries WHERE store_id = ? AND endpoint_id = ?" +
			" AND sequence > ? AND NOT (failed = ? AND first_at >= ?) ORDER BY sequence LIMIT " +
			strconv.Itoa(maxWaiting) + ") AS part")
		args = append(args, store, e.ID, e.Health.FloorSequence, true, e.Health.ResumedAt)
	}
	return b.String(), args
}

// Activity counts the attempts of the last hours in slots, oldest first, including empty ones. It
// costs one statement for all endpoints of a page.
func (f Fields) Activity(
	ctx context.Context, e *model.WebhookEndpoint, hours int,
) ([]*model.WebhookActivity, error) {
	if hours < 1 || hours > maxHours {
		return nil, &fault.Error{Kind: fault.InvalidParameter,
			Detail: "Activity is kept for " + strconv.Itoa(maxHours) + " hours.",
			Fields: []fault.Field{{Parameter: "hours", Code: fault.OutOfRange,
				Detail: "1 to " + strconv.Itoa(maxHours) + "."}}}
	}
	slots, err := e.Page.Activity.Of(hours).Get(ctx, e.ID)
	return slots, core.Explain("activity", err)
}

// activity sums up the stored slots in the database.
func (r *Resolver) activity(
	ctx context.Context, endpoints []xid.ID, hours int,
) (map[xid.ID][]*model.WebhookActivity, error) {
	slot := micros.Time(time.Hour.Microseconds())
	if hours <= fineHours {
		slot = micros.Time(fineSlot.Microseconds())
	}
	count := hours * int(micros.Time(time.Hour.Microseconds())/slot)
	now := micros.Now()
	first := now - now%slot - slot*micros.Time(count-1)
	var rows []struct {
		ID                                      xid.ID
		At, Delivered, Failed, Latency, Slowest int64
	}
	err := r.Client(ctx).EndpointStat.Query().Where(endpointstat.IDIn(endpoints...), endpointstat.SlotGTE(first)).
		Modify(func(s *sql.Selector) {
			ent.ForceIndex(ent.Primary)(s)
			begin := fmt.Sprintf("%[1]s - %[1]s %% %[2]d", s.C(endpointstat.FieldSlot), slot)
			sum := func(column, name string) string { return sql.As(sql.Sum(s.C(column)), name) }
			s.Select(s.C(endpointstat.FieldID), sql.As(begin, "at"), sum(endpointstat.FieldDelivered, "delivered"),
				sum(endpointstat.FieldFailed, "failed"), sum(endpointstat.FieldLatencySum, "latency"),
				sql.As(sql.Max(s.C(endpointstat.FieldLatencyMax)), "slowest"))
			s.GroupBy(s.C(endpointstat.FieldID), begin)
		}).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read counters: %w", err)
	}
	of := make(map[xid.ID][]*model.WebhookActivity, len(endpoints))
	for _, id := range endpoints {
		slots := make([]*model.WebhookActivity, count)
		for i := range slots {
			slots[i] = &model.WebhookActivity{At: first + slot*micros.Time(i)}
		}
		of[id] = slots
	}
	for _, row := range rows {
		i := int((micros.Time(row.At) - first) / slot)
		if i >= count { // written by a process whose clock is ahead
			continue
		}
		a := of[row.ID][i]
		a.Delivered, a.Failed = row.Delivered, row.Failed
		if row.Delivered > 0 {
			a.LatencyMean, a.LatencyMax = new(row.Latency/row.Delivered), new(row.Slowest)
		}
	}
	return of, nil
}
