package sales

import (
	"context"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/download"
	"github.com/storefront-go/storefront/ent/db/productfile"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/model"
)

// downloadLife is how long a link to a file works. The page of the order shows a new one each time.
const downloadLife = 7 * 24 * time.Hour

// Download is the file of a line of an order.
type Download struct {
	Line *db.OrderLine
	File *db.ProductFile
	// Allowed is how often the line's file may be downloaded, 0 while it may not be at all.
	Allowed int64
	// Count is how often it was; nil for never.
	Count *db.Download
}

// Used returns how many downloads count.
func (d Download) Used() int64 {
	if d.Count == nil {
		return 0
	}
	return d.Count.Used
}

// Left returns how many downloads are left.
func (d Download) Left() int64 { return max(d.Allowed-d.Used(), 0) }

// Downloads returns the files of an order's lines, in the order of the lines.
func Downloads(ctx context.Context, c *db.Client, o *db.Order, lines []*db.OrderLine) ([]Download, error) {
	var variants, ids []xid.ID
	for _, l := range lines {
		if id := soldAs(l); !id.IsNil() {
			variants, ids = append(variants, id), append(ids, l.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	files, err := c.ProductFile.Query().Where(productfile.IDIn(variants...)).Load(ctx)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	counts, err := c.Download.Query().Where(download.IDIn(ids...)).Load(ctx)
	if err != nil {
		return nil, err
	}
	fileOf, countOf := map[xid.ID]*db.ProductFile{}, map[xid.ID]*db.Download{}
	for _, f := range files {
		fileOf[f.ID] = f
	}
	for _, n := range counts {
		countOf[n.ID] = n
	}
	var list []Download
	for _, l := range lines {
		if f := fileOf[soldAs(l)]; f != nil {
			list = append(list, Download{Line: l, File: f, Allowed: delivered(o, l) * limit.Downloads,
				Count: countOf[l.ID]})
		}
	}
	return list, nil
}

// soldAs returns the variant of a line. That of a product without options has the product's id.
func soldAs(l *db.OrderLine) xid.ID {
	switch {
	case l.VariantID != nil:
		return *l.VariantID
	case l.ProductID != nil:
		return *l.ProductID
	}
	return xid.Nil
}

// delivered returns how many units of a line have a file that the shopper may have: those that are
// paid and not refunded, until the order is canceled or its customer redacted.
func delivered(o *db.Order, l *db.OrderLine) int64 {
	if o.Email == nil || o.Status == state.OrderCancelled || o.FinancialStatus == state.FinancialRefunded ||
		o.PaidMinor < o.TotalMinor {
		return 0
	}
	return max(l.Quantity-l.RefundedQuantity, 0)
}

// DownloadPath returns a signed link to the file of an order's line, at the host of the store.
func DownloadPath(links *link.Signer, o *db.Order, line xid.ID) string {
	return links.Sign(link.FileRoot+xid.OrderLine.Format(line), micros.Now().Add(downloadLife),
		"store", xid.Store.Format(o.StoreID), "order", xid.Order.Format(o.ID))
}

// OrderDownloads returns the files of an order, as staff see them.
func (q Query) OrderDownloads(ctx context.Context, orderID string) ([]*model.OrderDownload, error) {
	id, err := core.ParseID(xid.Order, orderID)
	if err != nil {
		return nil, err
	}
	return q.orderDownloads(ctx, id)
}

func (r *Resolver) orderDownloads(ctx context.Context, id xid.ID) ([]*model.OrderDownload, error) {
	o, err := r.orderWithLines(ctx, id)
	if err != nil {
		return nil, core.Explain("order", err)
	}
	list, err := Downloads(ctx, r.Client(ctx), o.Order, lineRows(o))
	if err != nil {
		return nil, core.Explain("order", err)
	}
	return core.Map(list, func(d Download) *model.OrderDownload {
		shown := &model.OrderDownload{LineItemID: d.Line.PublicID(), Title: d.Line.Title, Filename: d.File.Filename,
			Used: d.Used(), Allowed: d.Allowed}
		if d.Count != nil {
			shown.LastAt = &d.Count.LastAt
		}
		return shown
	}), nil
}

// OrderDownloadsReset counts the downloads of an order from 0 again.
func (m Mutation) OrderDownloadsReset(ctx context.Context, orderID string) (*model.OrderDownloadsPayload, error) {
	id, err := core.ParseID(xid.Order, orderID)
	if err != nil {
		return nil, err
	}
	err = m.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
		if _, err := m.order(ctx, id); err != nil {
			return nil, err
		}
		n, err := m.Client(ctx).Download.Delete().Where(download.OrderID(id)).Exec(ctx)
		if err != nil {
			return nil, fmt.Errorf("reset downloads: %w", err)
		}
		return &change.Record{Action: "order.downloads_reset", Kind: xid.Order, ID: id,
			Detail: fmt.Sprintf("%d files", n)}, nil
	})
	if err != nil {
		return nil, err
	}
	list, err := m.orderDownloads(ctx, id)
	return &model.OrderDownloadsPayload{Downloads: list}, err
}
