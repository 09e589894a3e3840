// Package reseal seals what is stored encrypted anew with the first root secret, so
// that older ones may go, and counts what still needs them.
package reseal

import (
	"context"
	"errors"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// batch is how many values one transaction writes: an answer has up to a few MiB.
const batch = 20

// ErrTwins says that two root secrets are named by the same byte, so that what they
// sealed cannot be told apart without opening it.
var ErrTwins = errors.New("the first root secret cannot be told from an older one: rotate once more")

// Count is how many values of a column there are.
type Count struct {
	Column string `json:"column"`
	// Older are sealed with an older secret; of Lost the secret is gone.
	Older int `json:"older"`
	Lost  int `json:"lost"`
}

// Counts returns what needs an older secret than the ring's first.
func Counts(ctx context.Context, s *ent.Store, ring *keyring.Ring) ([]Count, error) {
	ids := ring.KeyIDs()
	if slices.Contains(ids[1:], ids[0]) {
		return nil, ErrTwins
	}
	list := make([]Count, len(columns))
	for i, c := range columns {
		marks := map[byte]int{}
		err := c.each(ctx, s, func(ctx context.Context, store *xid.ID) error { return c.marks(ctx, s, store, marks) })
		if err != nil {
			return nil, err
		}
		list[i].Column = c.name
		for mark, n := range marks {
			switch {
			case mark == ids[0]:
			case slices.Contains(ids, mark):
				list[i].Older += n
			default:
				list[i].Lost += n
			}
		}
	}
	return list, nil
}

// Done is what was done with a column so far.
type Done struct {
	Column string `json:"column"`
	// Resealed were sealed anew; Changed were written by others meanwhile, and Lost do
	// not open with any secret of the ring.
	Resealed int `json:"resealed"`
	Changed  int `json:"changed"`
	Lost     int `json:"lost"`
}

// Run seals every value that needs an older secret with the ring's first, batch by
// batch in the order of the keys, and calls report after each. Servers may run
// meanwhile that have the same ring: a value that one of them writes is left to it. It
// may be stopped, and run again: what is done is passed over.
func Run(ctx context.Context, s *ent.Store, ring *keyring.Ring, report func(Done)) ([]Done, error) {
	ids := ring.KeyIDs()
	if slices.Contains(ids[1:], ids[0]) {
		return nil, ErrTwins
	}
	var list []Done
	for _, c := range columns {
		w := &walk{column: c, store: s, sealer: ring.Sealer(c.purpose), first: ids[0], report: report,
			done: Done{Column: c.name}}
		err := c.each(ctx, s, w.owner)
		list = append(list, w.done)
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// walk is the work on one column.
type walk struct {
	column
	store  *ent.Store
	sealer *keyring.Sealer
	first  byte
	report func(Done)
	done   Done
}

// owner seals the values of a store anew, or those of all owners.
func (w *walk) owner(ctx context.Context, store *xid.ID) error {
	after := new(value)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		list, err := w.older(ctx, w.store, store, after, w.first, batch)
		if err != nil || len(list) == 0 {
			return err
		}
		if err := w.some(ctx, list); err != nil {
			return err
		}
		w.report(w.done)
		after = list[len(list)-1]
	}
}

// some seals some values anew in one transaction.
func (w *walk) some(ctx context.Context, list []*value) error {
	var now Done
	err := w.store.InTx(ctx, func(ctx context.Context) error {
		now = w.done
		for _, v := range list {
			fresh, err := w.sealer.Reseal(v.sealed, w.of(v))
			if err != nil {
				now.Lost++
				continue
			}
			switch done, err := w.swap(ctx, w.store, v, fresh); {
			case err != nil:
				return err
			case done:
				now.Resealed++
			default:
				now.Changed++
			}
		}
		return nil
	})
	if err == nil {
		w.done = now
	}
	return err
}
