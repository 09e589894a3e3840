package shopify

import (
	"context"
	"fmt"
	"strconv"

	"github.com/storefront-go/storefront/ent/db/store"
)

// maxContinued is the highest number that is continued: longer ones are dates and the like.
const maxContinued = 99_999_999

// continueNumbers raises the number of the store's next order above those in the files. A server
// may still use up to 20 numbers that it reserved before.
func (i *importer) continueNumbers(ctx context.Context, files []string) error {
	highest := int64(0)
	for _, name := range files {
		err := i.each(name, "name", []string{"name"}, func(c *record) error {
			highest = max(highest, numberOf(c.key))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return i.Core.Store.InTx(ctx, func(ctx context.Context) error {
		err := i.Core.Store.DB(ctx).Store.Update().Where(store.ID(i.Store.ID), store.NextNumberLTE(highest)).
			SetNextNumber(highest + 1).Exec(ctx)
		if err != nil {
			return fmt.Errorf("continue the numbering of orders: %w", err)
		}
		return nil
	})
}

// numberOf returns the number at the end of an order's name, as in #1007 and EN-1007, or 0.
func numberOf(name string) int64 {
	at := len(name)
	for at > 0 && name[at-1] >= '0' && name[at-1] <= '9' {
		at--
	}
	n, err := strconv.ParseInt(name[at:], 10, 64)
	if err != nil || n > maxContinued {
		return 0
	}
	return n
}
