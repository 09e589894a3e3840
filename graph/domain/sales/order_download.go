package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/download"
	"github.com/storefront-go/storefront/ent/db/productfile"
	"github.com/storefront-go/storefront/ent/db/returnfile"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/images"
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

// labelPosition is the position of the label among the files of a return. Photos follow.
const labelPosition = 0

// KeepReturnLabel decodes and stores a base64 label for the input of [Mutation.OrderReturnApprove]. Callers use
// it before a transaction, which should not last as long. It returns nil if the text is malformed; the mutation
// then reports it.
func (r *Resolver) KeepReturnLabel(ctx context.Context, text string) *images.Upload {
	c := &core.Check{}
	body := c.File("label", "label", text, limit.LabelBytes)
	if c.Err() != nil {
		return nil
	}
	return r.Images.KeepLabel(ctx, body)
}

// labelOf returns the stored label of an input, nil for none. ours says that the caller discards it after an
// error.
func (m Mutation) labelOf(ctx context.Context, in model.ReturnApproveInput) (up *images.Upload, ours bool, err error) {
	if in.Label == nil {
		return nil, false, nil
	}
	c := &core.Check{}
	if in.LabelURL != nil {
		c.Add("label_url", fault.OutOfRange, "Send either a label or its address.")
	}
	if up = in.Upload; up == nil {
		c.File("label", "label", *in.Label, limit.LabelBytes)
	}
	if err := c.Err(); err != nil {
		return nil, false, err
	}
	if ours = up == nil; ours {
		up = m.KeepReturnLabel(ctx, *in.Label)
	}
	if errors.Is(up.Err, images.ErrLabel) {
		return nil, false, core.Invalid("label", fault.InvalidFormat, "The label is neither a PDF nor a PNG nor a JPEG.")
	}
	return up, ours, core.Explain("label", up.Err)
}

// KeepPhotos stores the photos of a shopper for [Mutation.OrderReturnRequest]. After an error it keeps none: a
// [pixel.Fault] if one is refused.
func (r *Resolver) KeepPhotos(ctx context.Context, bodies [][]byte) (list []*images.Upload, err error) {
	for _, body := range bodies {
		up := r.Images.KeepPhoto(ctx, body)
		if up.Err != nil {
			r.DiscardPhotos(ctx, list)
			return nil, up.Err
		}
		list = append(list, up)
	}
	return list, nil
}

// DiscardPhotos removes the photos of a request that failed.
func (r *Resolver) DiscardPhotos(ctx context.Context, list []*images.Upload) {
	for _, up := range list {
		r.Images.Discard(ctx, up)
	}
}

// addFiles adds files to a return from a position on, if the store has room for their bytes.
func (m Mutation) addFiles(ctx context.Context, row *db.OrderReturn, from int, files []*images.Upload) error {
	if len(files) == 0 {
		return nil
	}
	if !ent.Writes(ctx, ent.CustomFields) { // both came with the same release, and an earlier one would keep them
		return fault.State(fault.InvalidTransition,
			"Files of returns are available once the upgrade is finished (storefront migrate finalize).")
	}
	more := int64(0)
	for _, f := range files {
		more += f.Size
	}
	if err := m.PictureRoom(ctx, m.Images.Used, more); err != nil {
		return err
	}
	for i, f := range files {
		err := m.Client(ctx).ReturnFile.Create().SetReturnID(row.ID).SetPosition(from + i).SetOrderID(row.OrderID).
			SetObjectID(f.ObjectID).SetContentType(f.ContentType).SetSizeBytes(f.Size).Exec(ctx)
		if err != nil {
			return fmt.Errorf("add a file of a return: %w", err)
		}
	}
	return nil
}

// dropLabel removes the uploaded label of a return.
func (m Mutation) dropLabel(ctx context.Context, row *db.OrderReturn) error {
	_, err := m.Client(ctx).ReturnFile.Delete().Where(returnfile.ReturnID(row.ID),
		returnfile.Position(labelPosition)).Exec(ctx)
	return fault.Wrap("remove the label of a return", err)
}

// filesOf reads the files of returns, each sorted by position.
func (r *Resolver) filesOf(ctx context.Context, returns []xid.ID) (map[xid.ID][]*db.ReturnFile, error) {
	if len(returns) == 0 {
		return nil, nil
	}
	rows, err := r.Client(ctx).ReturnFile.Query().Where(returnfile.ReturnIDIn(returns...)).
		Order(returnfile.ByReturnID(), returnfile.ByPosition()).Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the files of returns: %w", err)
	}
	of := map[xid.ID][]*db.ReturnFile{}
	for _, row := range rows {
		of[row.ReturnID] = append(of[row.ReturnID], row)
	}
	return of, nil
}

// withFiles adds the files to returns that are shown, if GraphQL asks for them.
func (r *Resolver) withFiles(ctx context.Context, list []*model.Return) error {
	if !core.Selects(ctx, "label") && !core.Selects(ctx, "photos") {
		return nil
	}
	of, err := r.filesOf(ctx, core.Map(list, func(r *model.Return) xid.ID { return r.ID }))
	for _, row := range list {
		row.Files = of[row.ID]
	}
	return err
}

// ReturnFile returns a file of a return and its bytes, for staff.
func (q Query) ReturnFile(ctx context.Context, id string, position int) (*db.ReturnFile, []byte, error) {
	uid, err := core.ParseID(xid.Return, id)
	if err != nil {
		return nil, nil, err
	}
	return q.returnFile(ctx, uid, position, nil)
}

// ReturnLabel returns the uploaded label of a return of an order and its bytes, for the shopper.
func (r *Resolver) ReturnLabel(ctx context.Context, order, id xid.ID) (*db.ReturnFile, []byte, error) {
	return r.returnFile(ctx, id, labelPosition, &order)
}

func (r *Resolver) returnFile(
	ctx context.Context, id xid.ID, position int, order *xid.ID,
) (*db.ReturnFile, []byte, error) {
	query := r.Client(ctx).ReturnFile.Query().Where(returnfile.ReturnID(id), returnfile.Position(position))
	if order != nil {
		query.Where(returnfile.OrderID(*order))
	}
	row, err := core.Only(query.Load(ctx))
	if err != nil {
		return nil, nil, core.Explain("file", err)
	}
	body, err := r.Images.OpenReturnFile(ctx, row)
	return row, body, core.Explain("file", err)
}

// LabelPath returns where the host of a store serves the uploaded label of a return to the holder of the
// order's token.
func LabelPath(links *link.Signer, row *db.OrderReturn) string {
	return link.OrderRoot + links.OrderToken(row.StoreID, row.OrderID) + link.LabelRoot + row.PublicID()
}

// addLabel adds the address of the uploaded label, if there is one, to what an email says about a return.
func (m Mutation) addLabel(ctx context.Context, row *db.OrderReturn, of *mailDetails) error {
	n, err := m.Client(ctx).ReturnFile.Query().Where(returnfile.ReturnID(row.ID),
		returnfile.Position(labelPosition)).Count(ctx)
	if err != nil || n == 0 {
		return err
	}
	s, err := m.CurrentStore(ctx)
	if err != nil {
		return err
	}
	of.trackingURL = m.ShopOrigin(s.Handle, s.Domain) + LabelPath(m.Links, row)
	return nil
}
