package storefront

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/download"
	dborder "github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/engine/change"
)

// Fetch is how a request for a file counts.
type Fetch int

// The values of [Fetch].
const (
	// FetchWhole counts as a download.
	FetchWhole Fetch = iota
	// FetchRest continues a download. It counts if the latest one began too long ago.
	FetchRest
	// FetchNothing asks what there is, and does not count.
	FetchNothing
)

// restTime is how long a download may be continued.
const restTime = time.Hour

// Download counts a download of the file of an order's line and returns the file. Without a file
// that the shopper may have it is NotFound, and beyond their number a conflict.
func (s Storefront) Download(ctx context.Context, order, line xid.ID, as Fetch) (*db.ProductFile, error) {
	return core.Commit(ctx, s.Core, xid.Order, func(ctx context.Context) (*db.ProductFile, *change.Record, error) {
		// The lock makes concurrent downloads count one after the other.
		o, err := core.Row(ctx, s.Client(ctx).Order.Query().Where(dborder.ID(order)), ent.ForUpdate)
		if err != nil {
			return nil, nil, err
		}
		lines, err := s.lines(ctx, o)
		if err != nil {
			return nil, nil, err
		}
		list, err := sales.Downloads(ctx, s.Client(ctx), o, lines)
		if err != nil {
			return nil, nil, err
		}
		i := slices.IndexFunc(list, func(d sales.Download) bool { return d.Line.ID == line && d.Allowed > 0 })
		if i < 0 {
			return nil, nil, fault.Missing("file")
		}
		return list[i].File, nil, s.count(ctx, list[i], order, as)
	})
}

func (s Storefront) count(ctx context.Context, d sales.Download, order xid.ID, as Fetch) error {
	now := micros.Now()
	switch {
	case as == FetchNothing || as == FetchRest && d.Count != nil && d.Count.LastAt.Add(restTime) > now:
		return nil
	case d.Left() == 0:
		return fault.State(fault.LimitReached, "All downloads of this file are used.")
	case d.Count == nil:
		return s.Client(ctx).Download.Create().SetID(d.Line.ID).SetOrderID(order).SetUsed(1).SetLastAt(now).Exec(ctx)
	}
	return s.Client(ctx).Download.Update().Where(download.ID(d.Line.ID)).SetUsed(d.Count.Used + 1).SetLastAt(now).
		Exec(ctx)
}

// OpenFile returns the bytes of a file, which are read within ctx.
func (s Storefront) OpenFile(ctx context.Context, f *db.ProductFile) (io.ReadSeekCloser, error) {
	return s.images.OpenFile(ctx, f)
}
