package webhook

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dboutbox "github.com/storefront-go/storefront/ent/db/outbox"
	dbstore "github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// maxMarked bounds the events that a registration marks. If the backlog is larger, the new
	// endpoint receives its remaining events although they are older: nothing is lost.
	maxMarked = 10_000
	// markBatch is how many events one statement marks.
	markBatch = 500
)

// register returns the number of a new endpoint in the viewer's store, and marks the events that
// wait in the outbox with it. The numbers alone decide which events an endpoint receives, not a
// clock: those without a mark, and those whose mark is higher than its own number.
//
// The number is the store's updated_at, which every change of that row raises. Two registrations
// are serialized there, and no number is given twice, whatever was purged since.
func (e *Engine) register(ctx context.Context) (number int64, err error) {
	c, id := e.Store.DB(ctx), viewer.From(ctx).Store
	if err := c.Store.Update().Where(dbstore.ID(id)).AddUpdatedAt(1).Exec(ctx); err != nil {
		return 0, err
	}
	store, err := ent.Only(c.Store.Query().Where(dbstore.ID(id)).Load(ctx))
	if err != nil {
		return 0, err
	}
	number = int64(store.UpdatedAt)
	// A plain read takes no locks: events that commit from now on came after the endpoint.
	waiting, err := c.Outbox.Query().Where(dboutbox.Bucket(bucket.Of(id)), dboutbox.Generation(0)).
		Order(db.Asc(dboutbox.FieldID)).Limit(maxMarked).IDs(ctx)
	if err != nil {
		return 0, err
	}
	for some := range slices.Chunk(waiting, markBatch) {
		if err := mark(ctx, c, bucket.Of(id), some, number); err != nil {
			return 0, err
		}
	}
	return number, nil
}

// mark restricts events to the endpoints whose number is lower.
func mark(ctx context.Context, c *db.Client, shard int8, events []xid.ID, number int64) error {
	return c.Outbox.Update().Where(dboutbox.Bucket(shard), dboutbox.IDIn(events...), dboutbox.Generation(0)).
		SetGeneration(number).Exec(ctx)
}
