package moment_test

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
)

// TestRaise checks that no time is before the start of the transaction, and that the latest one is
// remembered.
func TestRaise(t *testing.T) {
	tx := &moment.Tx{Start: 100}
	ctx := moment.Within(t.Context(), tx)
	for _, step := range []struct {
		name           string
		ctx            context.Context
		at, want, last micros.Time
	}{
		{"before the start", ctx, 50, 100, 100},
		{"after the start", ctx, 150, 150, 150},
		{"earlier than another", ctx, 120, 120, 150},
		{"outside of a transaction", context.Background(), 50, 50, 150},
	} {
		if got := moment.Raise(step.ctx, step.at); got != step.want || tx.Newest() != step.last {
			t.Errorf("%s: got %d, want %d; the newest is %d, want %d", step.name, got, step.want, tx.Newest(),
				step.last)
		}
	}
}
