package baseline

import (
	"context"
	"database/sql"
	"errors"
	"net/http"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// orderRow is a row of orders, in the order of its columns.
type orderRow struct {
	id, storeID              xid.ID
	version, sequence        int64
	updatedAt                int64
	number                   int64
	status, financial, goods string
	currency                 string
	subtotal, discount       int64
	shipping, tax, total     int64
	paid, refunded           int64
	customer                 []byte
	email                    sql.NullString
	billing, shippingAddress []byte
	notes                    int64
	external                 sql.NullString
	tags                     []byte
	source                   string
	placedAt                 int64
	paidAt, fulfilledAt      sql.NullInt64
	cancelledAt, completedAt sql.NullInt64
	includedTax              sql.NullInt64
	cart, discountID         []byte
	code, rate, method, lang sql.NullString
	set                      []byte
	setVersion               sql.NullInt64
	lines                    []*db.OrderLine
}

func (o *orderRow) fields() []any {
	return []any{&o.id, &o.storeID, &o.version, &o.sequence, &o.updatedAt, &o.number,
		&o.status, &o.financial, &o.goods, &o.currency, &o.subtotal, &o.discount, &o.shipping, &o.tax, &o.total,
		&o.paid, &o.refunded, &o.customer, &o.email, &o.billing, &o.shippingAddress, &o.notes, &o.external,
		&o.tags, &o.source, &o.placedAt, &o.paidAt, &o.fulfilledAt, &o.cancelledAt, &o.completedAt,
		&o.includedTax, &o.cart, &o.discountID, &o.code, &o.rate, &o.method, &o.lang,
		&o.set, &o.setVersion}
}

// unpack reads the lines from the order's row.
func (o *orderRow) unpack() (err error) {
	if o.setVersion.Int64 != o.version {
		return errors.New("the baseline reads orders whose rows hold their lines")
	}
	o.lines, err = lineset.Unpack(o.storeID, o.id, o.set)
	return err
}

// orders answers GET /orders.
func (h *handler) orders(w http.ResponseWriter, r *http.Request, v *viewer.Viewer) error {
	list := page.List{Name: "orders", Store: v.Store}
	limit, after := h.window(r, list)
	args := []any{v.Store[:]}
	if after != nil {
		args = []any{after.ID[:], v.Store[:]}
	}
	rows, err := h.scanOrders(r.Context(), h.sql.orders(after != nil, limit+1), args, limit+1)
	if err != nil {
		return err
	}
	more := len(rows) > limit
	if more {
		rows = rows[:limit]
	}
	b := h.buffer()
	*b = append(*b, `{"data":[`...)
	for i := range rows {
		if i > 0 {
			*b = append(*b, ',')
		}
		*b = appendOrder(*b, &rows[i])
	}
	var last page.Position
	if more {
		last = position(rows[limit-1].id)
	}
	*b = h.next(*b, list, more, last)
	return h.send(w, http.StatusOK, b)
}

func position(id xid.ID) page.Position { return page.Position{Time: id.Time(), ID: id} }

// order answers GET /orders/{id}.
func (h *handler) order(w http.ResponseWriter, r *http.Request, v *viewer.Viewer) error {
	id, err := xid.Order.Parse(r.PathValue("id"))
	if err != nil {
		return err
	}
	rows, err := h.scanOrders(r.Context(), h.sql.order, []any{id[:], v.Store[:]}, 1)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return sql.ErrNoRows
	}
	b := h.buffer()
	*b = appendOrder(*b, &rows[0])
	return h.send(w, http.StatusOK, b)
}

func (h *handler) scanOrders(ctx context.Context, query string, args []any, limit int) ([]orderRow, error) {
	rows, err := h.Store.Raw().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := make([]orderRow, 0, limit)
	var o orderRow
	fields := o.fields()
	for rows.Next() {
		if err := rows.Scan(fields...); err != nil {
			return nil, err
		}
		list = append(list, o)
		if err := list[len(list)-1].unpack(); err != nil {
			return nil, err
		}
	}
	return list, rows.Err()
}

func timeOf(us int64) micros.Time { return micros.Time(us) }
