// Package moment gives the times of changes: none lies before the start of the transaction that
// makes the change, whatever the clock of the machine does meanwhile.
package moment

import (
	"context"

	"github.com/storefront-go/storefront/ent/micros"
)

// Tx is the time of one transaction.
type Tx struct {
	// Start is its first moment.
	Start micros.Time
	// newest is the newest time that was given out in it.
	newest micros.Time
}

type key struct{}

// Within returns the context of a transaction.
func Within(ctx context.Context, t *Tx) context.Context { return context.WithValue(ctx, key{}, t) }

// Now returns the time of a change that is made now.
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

// Newest returns the newest time that was given out, or the start.
func (t *Tx) Newest() micros.Time { return max(t.Start, t.newest) }
