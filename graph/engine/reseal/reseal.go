// Package reseal re-encrypts stored values with the first root secret, so that older secrets can be
// removed, and counts the values that still need them.
package reseal

import (
	"context"
	"errors"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// batch is how many values one transaction writes. An answer has up to a few MiB.
const batch = 20

// ErrAmbiguous reports that two root secrets have the same identifying byte, so that their values
// cannot be distinguished without opening them.
var ErrAmbiguous = errors.New("the first root secret cannot be distinguished from an older one: rotate again")

// Count holds the counts of a column's values.
type Count struct {
	Column string `json:"column"`
	// Older values are sealed with an older secret; the secret of Lost values is gone.
	Older int `json:"older"`
	Lost  int `json:"lost"`
}

// Counts returns how many values of each column need an older secret than the ring's first. It may
// return [ErrAmbiguous].
func Counts(ctx context.Context, s *ent.Store, ring *keyring.Ring) ([]Count, error) {
	ids := ring.KeyIDs()
	if slices.Contains(ids[1:], ids[0]) {
		return nil, ErrAmbiguous
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

// Done is the progress on a column.
type Done struct {
	Column string `json:"column"`
	// Resealed values were re-encrypted, Changed values were written by others meanwhile, and Lost
	// values do not open with any secret of the ring.
	Resealed int `json:"resealed"`
	Changed  int `json:"changed"`
	Lost     int `json:"lost"`
}

// Run re-encrypts every value that needs an older secret with the ring's first, in batches by key,
// and calls report after each batch. Servers with the same ring may run meanwhile: values that they
// change are left alone. After an interruption Run can be repeated; it skips finished values. It
// may return [ErrAmbiguous].
func Run(ctx context.Context, s *ent.Store, ring *keyring.Ring, report func(Done)) ([]Done, error) {
	ids := ring.KeyIDs()
	if slices.Contains(ids[1:], ids[0]) {
		return nil, ErrAmbiguous
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

type walk struct {
	column
	store  *ent.Store
	sealer *keyring.Sealer
	first  byte
	report func(Done)
	done   Done
}

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
		if err := w.resealSome(ctx, list); err != nil {
			return err
		}
		w.report(w.done)
		after = list[len(list)-1]
	}
}

func (w *walk) resealSome(ctx context.Context, list []*value) error {
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
