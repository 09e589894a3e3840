package baseline

import (
	"context"
	"database/sql"
	"net/http"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// productRow is a row of products, in the order of its columns.
type productRow struct {
	id, storeID         xid.ID
	version, sequence   int64
	updatedAt           int64
	title, handle       string
	description         sql.NullString
	status              string
	price               int64
	comparePrice        sql.NullInt64
	currency            string
	sku                 sql.NullString
	vendor, productType sql.NullString
	tags                []byte
	inventory           sql.NullInt64
	image               sql.NullString
	publishedAt         sql.NullInt64
	options             []byte // the corpus has no product with any
	weight, maxPrice    sql.NullInt64
	ships               bool
	pictures            int64 // the corpus has none
}

func (p *productRow) fields() []any {
	return []any{&p.id, &p.storeID, &p.version, &p.sequence, &p.updatedAt, &p.title, &p.handle, &p.description,
		&p.status, &p.price, &p.comparePrice, &p.currency, &p.sku, &p.vendor, &p.productType, &p.tags,
		&p.inventory, &p.image, &p.publishedAt, &p.options, &p.weight, &p.maxPrice, &p.ships,
		&p.pictures}
}

// products answers GET /products.
func (h *handler) products(w http.ResponseWriter, r *http.Request, v *viewer.Viewer) error {
	list := page.List{Name: "products", Store: v.Store}
	limit, after := h.window(r, list)
	args := []any{v.Store[:]}
	if after != nil {
		args = []any{after.ID[:], v.Store[:]}
	}
	b := h.buffer()
	*b = append(*b, `{"data":[`...)
	n, last, err := h.appendProducts(r.Context(), b, h.sql.products(after != nil, limit+1), args, limit)
	if err != nil {
		return err
	}
	*b = h.next(*b, list, n > limit, position(last))
	return h.send(w, http.StatusOK, b)
}

// appendProducts writes up to limit rows while it reads them and returns how many
// there were and the last one written.
func (h *handler) appendProducts(
	ctx context.Context, b *[]byte, query string, args []any, limit int,
) (n int, last xid.ID, err error) {
	rows, err := h.Store.Raw().QueryContext(ctx, query, args...)
	if err != nil {
		return 0, last, err
	}
	defer rows.Close()
	var p productRow
	fields := p.fields()
	for ; rows.Next(); n++ {
		if n == limit {
			continue
		}
		if err := rows.Scan(fields...); err != nil {
			return 0, last, err
		}
		if n > 0 {
			*b = append(*b, ',')
		}
		*b = appendProduct(*b, &p)
		last = p.id
	}
	return n, last, rows.Err()
}
