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
	// maxMarked bounds the events that a registration marks. Of a larger backlog the
	// new endpoint gets the rest, though it is older: nothing is lost.
	maxMarked = 10_000
	// markBatch is how many events one statement marks.
	markBatch = 500
)

// register returns the number of a new endpoint among those of the viewer's store,
// and marks with it the events that wait in the outbox. Which events an endpoint
// gets is decided by that alone, and by no clock: those without a mark, and those
// whose mark is higher than its own number.
//
// The number is the store's updated_at, which every change of the row raises: two
// registrations wait for each other there, and none gets a number that was given
// before, whatever was purged since.
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
	// A plain read waits for nobody: what commits from now on came after the endpoint.
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

// mark says of events that only endpoints with a lower number get them.
func mark(ctx context.Context, c *db.Client, shard int8, events []xid.ID, number int64) error {
	return c.Outbox.Update().Where(dboutbox.Bucket(shard), dboutbox.IDIn(events...), dboutbox.Generation(0)).
		SetGeneration(number).Exec(ctx)
}
