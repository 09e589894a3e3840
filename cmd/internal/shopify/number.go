package shopify

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/storefront-go/storefront/ent/db/store"
)

// maxContinued is the highest number that the numbering goes on above: longer ones are dates and
// the like.
const maxContinued = 99_999_999

// continueNumbers raises the number of the store's next order above those that orders of files
// have. Numbers that a server took before, up to 20, it still gives.
func (i *importer) continueNumbers(ctx context.Context, files []string) error {
	highest := int64(0)
	for _, name := range files {
		n, err := i.highest(name)
		if err != nil {
			return err
		}
		highest = max(highest, n)
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

// highest is the highest number of the orders of a file.
func (i *importer) highest(file string) (highest int64, err error) {
	f, err := openRegular(filepath.Join(i.Dir, file))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	t, err := newTable(file, f, []string{"name"})
	if err != nil {
		return 0, err
	}
	for c, err := range t.records("name") {
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		highest = max(highest, numberOf(c.key))
	}
	return highest, nil
}

// numberOf is the number that the name of an order ends with, as in #1007 and EN-1007; 0 for none.
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
