package erase

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/attempt"
	"github.com/storefront-go/storefront/ent/db/delivery"
	"github.com/storefront-go/storefront/ent/db/deliverylog"
	"github.com/storefront-go/storefront/ent/db/webhookqueue"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
)

// responses erases what webhook receivers answered to events about the customer, because an answer
// may repeat the event. It walks the sequence of each queue.
func (e *Engine) responses(ctx context.Context, t *task) (*place, error) {
	at := t.at()
	q, err := e.queue(ctx, at.position)
	if err != nil || q == nil {
		return nil, err
	}
	if q.ID != at.position {
		at = place{position: q.ID}
	}
	first, err := e.firstAfter(ctx, q.ID, at.sequence)
	if err != nil {
		return nil, err
	}
	if first == 0 { // the queue is done: continue with the next
		return &place{position: following(q.ID)}, nil
	}
	last := first + scan - 1
	of, err := e.delivered(ctx, q.ID, first, last)
	if err != nil {
		return nil, err
	}
	theirs, err := e.ofCustomer(ctx, t, slices.Collect(maps.Values(of)))
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(of, func(_ int64, resource xid.ID) bool { return !theirs[resource] })
	return &place{position: q.ID, sequence: last}, e.clearResponses(ctx, q, slices.Sorted(maps.Keys(of)))
}

func following(id xid.ID) xid.ID {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i]++; id[i] != 0 {
			break
		}
	}
	return id
}

// queue returns the store's first queue at or after an id, or nil.
func (e *Engine) queue(ctx context.Context, from xid.ID) (*db.WebhookQueue, error) {
	query := e.Store.DB(ctx).WebhookQueue.Query().Where(webhookqueue.IDGTE(from)).Order(webhookqueue.ByID()).Limit(1)
	query.Modify(ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// firstAfter returns the sequence of the first delivery of a queue after a sequence, or 0.
func (e *Engine) firstAfter(ctx context.Context, queue xid.ID, sequence int64) (int64, error) {
	c := e.Store.DB(ctx)
	waiting, err := c.Delivery.Query().Where(delivery.EndpointID(queue), delivery.SequenceGT(sequence)).
		Order(delivery.BySequence()).Limit(1).
		Select(delivery.FieldStoreID, delivery.FieldID, delivery.FieldSequence).All(ctx)
	if err != nil {
		return 0, fmt.Errorf("read deliveries: %w", err)
	}
	ended, err := c.DeliveryLog.Query().Where(deliverylog.EndpointID(queue), deliverylog.SequenceGT(sequence)).
		Order(deliverylog.BySequence()).Limit(1).
		Select(deliverylog.FieldStoreID, deliverylog.FieldID, deliverylog.FieldSequence).All(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the log of deliveries: %w", err)
	}
	var first int64
	if len(waiting) > 0 {
		first = waiting[0].Sequence
	}
	if len(ended) > 0 && (first == 0 || ended[0].Sequence < first) {
		first = ended[0].Sequence
	}
	return first, nil
}

// delivered returns the resource of every delivery in a range of a queue. Waiting deliveries are
// read first, so one that ends meanwhile appears in both reads rather than in neither.
func (e *Engine) delivered(ctx context.Context, queue xid.ID, first, last int64) (map[int64]xid.ID, error) {
	c, of := e.Store.DB(ctx), map[int64]xid.ID{}
	waiting, err := c.Delivery.Query().
		Where(delivery.EndpointID(queue), delivery.SequenceGTE(first), delivery.SequenceLTE(last)).
		Select(delivery.FieldStoreID, delivery.FieldID, delivery.FieldSequence, delivery.FieldResourceID).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read deliveries: %w", err)
	}
	ended, err := c.DeliveryLog.Query().
		Where(deliverylog.EndpointID(queue), deliverylog.SequenceGTE(first), deliverylog.SequenceLTE(last)).
		Select(deliverylog.FieldStoreID, deliverylog.FieldID, deliverylog.FieldSequence, deliverylog.FieldResourceID).
		All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the log of deliveries: %w", err)
	}
	for _, row := range waiting {
		of[row.Sequence] = row.ResourceID
	}
	for _, row := range ended {
		of[row.Sequence] = row.ResourceID
	}
	return of, nil
}

func (e *Engine) clearResponses(ctx context.Context, q *db.WebhookQueue, sequences []int64) error {
	for some := range slices.Chunk(sequences, batch) {
		err := e.Store.InTx(ctx, func(ctx context.Context) error {
			c := e.Store.DB(ctx)
			_, err := c.Attempt.Update().Where(attempt.EndpointID(q.ID), attempt.SequenceIn(some...)).
				ClearResponse().Save(ctx)
			if err != nil {
				return fmt.Errorf("erase the answers to attempts: %w", err)
			}
			_, err = c.DeliveryLog.Update().Where(deliverylog.EndpointID(q.ID), deliverylog.SequenceIn(some...)).
				ClearResponse().Save(ctx)
			return fault.Wrap("erase the answers to deliveries", err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
