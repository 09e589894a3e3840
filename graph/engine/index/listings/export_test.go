package listings

import (
	"context"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// What the tests, which stand outside of the package, see of its inside.
var (
	Alike     = similar
	ASCII     = ascii
	Spellings = spellings
)

// Steps takes steps in the store of ctx.
func (k *Keeper) Steps(ctx context.Context, n int) error {
	for range n {
		if err := k.store.InTx(ctx, k.step); err != nil {
			return err
		}
	}
	return nil
}

// Words are those of a text.
func Words(text string) []string { return wordsIn(text) }

// JudgeSteps takes steps with the collection of the store of ctx.
func (k *Keeper) JudgeSteps(ctx context.Context, id xid.ID, n int) error {
	for range n {
		if _, err := k.updateBatch(ctx, id, micros.Now()); err != nil {
			return err
		}
	}
	return nil
}
