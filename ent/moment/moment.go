// Package moment provides the times of changes: none is before the start of its transaction,
// whatever the machine's clock does meanwhile.
package moment

import (
	"context"

	"github.com/storefront-go/storefront/ent/micros"
)

// Tx is the time of one transaction.
type Tx struct {
	// Start is the start of the transaction.
	Start micros.Time
	// newest is the latest time provided in it.
	newest micros.Time
}

type key struct{}

// Within returns the context of a transaction.
func Within(ctx context.Context, t *Tx) context.Context { return context.WithValue(ctx, key{}, t) }

// Now returns the time for a change made now.
func Now(ctx context.Context) micros.Time { return Raise(ctx, micros.Now()) }

// Raise returns at, or the start of the transaction of ctx if that is later.
func Raise(ctx context.Context, at micros.Time) micros.Time {
	t, ok := ctx.Value(key{}).(*Tx)
	if !ok {
		return at
	}
	at = max(at, t.Start)
	t.newest = max(t.newest, at)
	return at
}

// Newest returns the latest time provided, or the start.
func (t *Tx) Newest() micros.Time { return max(t.Start, t.newest) }
