package listings

import (
	"context"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Internals for the external tests.
var (
	Alike     = similar
	ASCII     = ascii
	Spellings = spellings
)

// Words returns the words of a text.
func Words(text string) []string { return wordsIn(text) }

// JudgeSteps processes n batches of a collection in the store of ctx.
func (k *Keeper) JudgeSteps(ctx context.Context, id xid.ID, n int) error {
	for range n {
		if _, err := k.updateBatch(ctx, id, micros.Now()); err != nil {
			return err
		}
	}
	return nil
}
