package invoice

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbinvoice "github.com/storefront-go/storefront/ent/db/invoice"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	invoicesByOrder  = "invoice_store_id_order_id_id"
	invoicesByNumber = "invoice_store_id_series_number"
	// invoiceLife is how long the link to an invoice is valid.
	invoiceLife = 15 * time.Minute
)

// The paths of invoices at the API host.
const (
	PrintPath = "/invoices/print"
	XMLPath   = "/invoices/xml"
)

// Invoices lists the invoices and credit notes of the viewer's store, newest first.
func (q Query) Invoices(
	ctx context.Context, first *int, after *string, filter *model.InvoiceFilter,
) (*model.InvoiceConnection, error) {
	f := model.InvoiceFilter{}
	if filter != nil {
		f = *filter
	}
	query, index := q.Client(ctx).Invoice.Query, ent.Primary
	var names []string
	var where []func(*db.InvoiceQuery)
	if f.OrderID != nil {
		id, err := core.ParseID(xid.Order, *f.OrderID)
		if err != nil {
			return nil, err
		}
		index, names = invoicesByOrder, append(names, "order_id", id.String())
		where = append(where, func(q *db.InvoiceQuery) { q.Where(dbinvoice.OrderID(id)) })
	}
	if f.Number != nil {
		series, number := splitNumber(*f.Number)
		index, names = invoicesByNumber, append(names, "number", *f.Number)
		where = append(where, func(q *db.InvoiceQuery) { q.Where(dbinvoice.Series(series), dbinvoice.Number(number)) })
	}
	core.Opt(f.CreatedFrom, func(t micros.Time) {
		names = append(names, "created_from", t.String())
		where = append(where, func(q *db.InvoiceQuery) { q.Where(dbinvoice.IDGTE(xid.First(t))) })
	})
	core.Opt(f.CreatedTo, func(t micros.Time) {
		names = append(names, "created_to", t.String())
		where = append(where, func(q *db.InvoiceQuery) { q.Where(dbinvoice.IDLT(xid.First(t))) })
	})
	return core.Connect(ctx, q.Core, core.List[*model.Invoice]{
		Name: "invoices", Filters: names,
		At: func(i *model.Invoice) page.Position { return core.ByID(i.ID) },
		Read: core.ReadNewest(index, func() *db.InvoiceQuery {
			rows := query()
			for _, w := range where {
				w(rows)
			}
			return rows
		}, q.shownInvoice),
	}, first, after)
}

// splitNumber splits the whole number of an invoice into its series, which does not end with a digit,
// and the number in it. A text that is no such number gives -1, which no invoice has.
func splitNumber(text string) (series string, number int64) {
	series = strings.TrimRight(text, "0123456789")
	number, err := strconv.ParseInt(text[len(series):], 10, 64)
	if err != nil {
		return series, -1
	}
	return series, number
}

// Invoice returns one invoice of the viewer's store.
func (q Query) Invoice(ctx context.Context, id string) (*model.Invoice, error) {
	row, err := core.Get(ctx, xid.Invoice, id, func(ctx context.Context, id xid.ID) (*db.Invoice, error) {
		return core.Only(q.Client(ctx).Invoice.Query().Where(dbinvoice.ID(id)).Load(ctx))
	})
	if err != nil {
		return nil, err
	}
	return q.shownInvoice(row), nil
}

// InvoicesPrintURL returns the address of a page with several invoices.
func (q Query) InvoicesPrintURL(ctx context.Context, ids []string) (string, error) {
	c := &core.Check{}
	c.Required("ids", len(ids) > 0)
	list := c.IDs("ids", xid.Invoice, ids, limit.Invoices)
	if err := c.Err(); err != nil {
		return "", err
	}
	found, err := q.InvoicesByID(ctx, list)
	if err != nil {
		return "", core.Explain("invoice", err)
	}
	c.Found("ids", xid.Invoice, list, core.Map(found, func(i *db.Invoice) xid.ID { return i.ID }))
	if err := c.Err(); err != nil {
		return "", err
	}
	return q.invoiceLink(viewer.From(ctx).Store, PrintPath, list...), nil
}

// InvoicesByID returns the invoices of the viewer's store with these ids, in their order.
func (r *Resolver) InvoicesByID(ctx context.Context, ids []xid.ID) ([]*db.Invoice, error) {
	rows, err := r.Client(ctx).Invoice.Query().Where(dbinvoice.IDIn(ids...)).Load(ctx)
	slices.SortFunc(rows, func(a, b *db.Invoice) int {
		return slices.Index(ids, a.ID) - slices.Index(ids, b.ID)
	})
	return rows, err
}

func (r *Resolver) shownInvoice(row *db.Invoice) *model.Invoice {
	return &model.Invoice{Invoice: row, PrintURL: r.invoiceLink(row.StoreID, PrintPath, row.ID),
		XMLURL: r.invoiceLink(row.StoreID, XMLPath, row.ID)}
}

// invoiceLink signs the address of invoices.
func (r *Resolver) invoiceLink(store xid.ID, path string, ids ...xid.ID) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = id.String()
	}
	return r.APIHost + r.Links.Sign(path, micros.Now().Add(invoiceLife), "store", xid.Store.Format(store),
		"ids", strings.Join(list, "."))
}

// InvoicesIssue issues the invoices and credit notes that orders lack.
func (m Mutation) InvoicesIssue(ctx context.Context, orderIDs []string) (*model.InvoicesIssuePayload, error) {
	c := &core.Check{}
	c.Required("order_ids", len(orderIDs) > 0)
	ids := c.IDs("order_ids", xid.Order, orderIDs, limit.Invoices)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Order, func(ctx context.Context) (
		*model.InvoicesIssuePayload, *change.Record, error,
	) {
		all, err := m.issueAll(ctx, ids)
		if err != nil {
			return nil, nil, err
		}
		p, issued := &model.InvoicesIssuePayload{}, 0
		for _, of := range all {
			p.Invoices = append(p.Invoices, core.Map(of.all, m.shownInvoice)...)
			issued += of.issued
		}
		if issued == 0 {
			return p, nil, nil
		}
		return p, &change.Record{Action: "invoice.issue", Kind: xid.Store, ID: viewer.From(ctx).Store,
			Detail: strconv.Itoa(issued) + " issued"}, nil
	})
}

// papers are the invoices and credit notes of one order, and how many of them are new.
type papers struct {
	all    []*db.Invoice
	issued int
}

// lockedOrder is an order whose row the transaction has locked.
type lockedOrder struct {
	*db.Order
	lines []*db.OrderLine
}

// issueAll issues what orders lack. It locks all orders before a counter of numbers, as each change of an
// order does, so that no refund escapes its credit note and nobody waits in a circle.
func (m Mutation) issueAll(ctx context.Context, ids []xid.ID) ([]papers, error) {
	by, err := m.issuer(ctx)
	if err != nil {
		return nil, err
	}
	if by == nil {
		return nil, fault.State(fault.InvalidTransition,
			"Enter the seller of your invoices first, under Settings, Invoices.")
	}
	all, c := make([]papers, len(ids)), &core.Check{}
	name := func(id xid.ID) string { return "order_ids/" + strconv.Itoa(slices.Index(ids, id)) }
	var orders []lockedOrder
	for _, id := range slices.SortedFunc(slices.Values(ids), xid.ID.Compare) {
		o, lines, err := m.orderLocked(ctx, id)
		switch {
		case errors.Is(err, core.ErrNoRow):
			c.Add(name(id), fault.UnknownValue, "There is no such order.")
		case err != nil:
			return nil, err
		default:
			orders = append(orders, lockedOrder{o, lines})
		}
	}
	for _, of := range orders {
		p, err := by.issue(ctx, of.Order, of.lines)
		if err != nil {
			return nil, err
		}
		if len(p.all) == 0 {
			c.Add(name(of.ID), fault.InvalidTransition, "The order #"+strconv.FormatInt(of.Number, 10)+
				" is cancelled and has no invoice.")
		}
		all[slices.Index(ids, of.ID)] = p
	}
	return all, c.Err()
}

// orderLocked reads an order with its lines, and locks it.
func (m Mutation) orderLocked(ctx context.Context, id xid.ID) (*db.Order, []*db.OrderLine, error) {
	o, err := core.Row(ctx, m.Client(ctx).Order.Query().Where(order.ID(id)), ent.ForUpdate)
	if err != nil {
		return nil, nil, err
	}
	lines, err := lineset.Of(o)
	if err != nil || lines != nil {
		return o, lines, err
	}
	lines, err = m.Client(ctx).OrderLine.Query().Where(orderline.OrderID(id)).Load(ctx)
	slices.SortFunc(lines, func(a, b *db.OrderLine) int { return a.Position - b.Position })
	return o, lines, err
}
