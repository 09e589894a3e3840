package graph

import (
	"context"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/fulfillment"
	"github.com/storefront-go/storefront/ent/db/note"
	"github.com/storefront-go/storefront/ent/db/payment"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// maxChildren is how many payments and fulfilments an order shows.
const maxChildren = 100

// few replaces a table by the first rows of each parent: one limited part for
// each, since no other form stops reading at the limit on every engine. The
// index holds (store_id, parent, id), so a part reads what it returns.
type few struct {
	store   xid.ID
	parent  string // the column: order_id for the children of orders
	parents []xid.ID
	columns []string
	index   string
	limit   int
	newest  bool
	// only is a condition on the rows; without it all count.
	only func() *sql.Predicate
}

// apply makes the selector read the parts. The tenant policy adds its condition
// to the whole besides.
func (f few) apply(s *sql.Selector) {
	table := s.TableName()
	mysql := s.Dialect() == dialect.MySQL
	s.FromExpr(sql.ExprFunc(func(b *sql.Builder) {
		b.WriteByte('(')
		for i, id := range f.parents {
			if i > 0 {
				b.WriteString(" UNION ALL ")
			}
			b.WriteString("SELECT * FROM (")
			f.part(b, table, mysql, id)
			b.WriteString(") AS `part`")
		}
		b.WriteString(") AS ").Ident(table)
	}))
	s.As(table)
	s.OrderBy(s.C(f.parent), f.order(s.C("id")))
}

func (f few) part(b *sql.Builder, table string, mysql bool, parent xid.ID) {
	b.WriteString("SELECT ").IdentComma(f.columns...).WriteString(" FROM ").Ident(table)
	if mysql {
		b.WriteString(" FORCE INDEX (").Ident(f.index).WriteByte(')')
	}
	b.WriteString(" WHERE ").Ident("store_id").WriteString(" = ").Arg(f.store)
	b.WriteString(" AND ").Ident(f.parent).WriteString(" = ").Arg(parent)
	if f.only != nil {
		b.WriteString(" AND ").Join(f.only())
	}
	b.WriteString(" ORDER BY ").WriteString(f.order("`id`")).WriteString(" LIMIT ").Arg(f.limit)
}

func (f few) order(column string) string {
	if f.newest {
		return sql.Desc(column)
	}
	return sql.Asc(column)
}

// notes loads the newest notes of each order.
func (s *siblings) notes(first int) func(context.Context, []xid.ID) (map[xid.ID][]*model.OrderNote, error) {
	return func(ctx context.Context, ids []xid.ID) (map[xid.ID][]*model.OrderNote, error) {
		of := make(map[xid.ID][]*model.OrderNote, len(ids))
		if len(ids) == 0 {
			return of, nil
		}
		q := s.client(ctx).Note.Query()
		q.Modify(few{store: viewer.From(ctx).Store, parent: note.FieldOrderID, parents: ids, columns: note.Columns, index: noteIndex, limit: first, newest: true}.apply)
		rows, err := q.Load(ctx)
		for _, n := range rows {
			of[n.OrderID] = append(of[n.OrderID], &model.OrderNote{Note: n})
		}
		return of, err
	}
}

// payments loads the first rows of each order's ledger.
func (s *siblings) payments(ctx context.Context, ids []xid.ID) (map[xid.ID][]*db.Payment, error) {
	q := s.client(ctx).Payment.Query()
	q.Modify(few{store: viewer.From(ctx).Store, parent: payment.FieldOrderID, parents: ids, columns: payment.Columns, index: paymentIndex, limit: maxChildren}.apply)
	rows, err := q.Load(ctx)
	of := make(map[xid.ID][]*db.Payment, len(ids))
	for _, p := range rows {
		of[p.OrderID] = append(of[p.OrderID], p)
	}
	return of, err
}

// fulfillments loads the first shipments of each order.
func (s *siblings) fulfillments(ctx context.Context, ids []xid.ID) (map[xid.ID][]*db.Fulfillment, error) {
	q := s.client(ctx).Fulfillment.Query()
	q.Modify(few{store: viewer.From(ctx).Store, parent: fulfillment.FieldOrderID, parents: ids, columns: fulfillment.Columns, index: fulfillmentIndex, limit: maxChildren}.apply)
	rows, err := q.Load(ctx)
	of := make(map[xid.ID][]*db.Fulfillment, len(ids))
	for _, f := range rows {
		of[f.OrderID] = append(of[f.OrderID], f)
	}
	return of, err
}
