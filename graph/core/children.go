package core

import (
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/xid"
)

// IDs returns the ids of rows in key order, each once. Rows whose id is nil are skipped.
func IDs[T any](rows []T, id func(T) *xid.ID) []xid.ID {
	all := make([]xid.ID, 0, len(rows))
	for _, row := range rows {
		Opt(id(row), func(id xid.ID) { all = append(all, id) })
	}
	slices.SortFunc(all, xid.ID.Compare)
	return slices.Compact(all)
}

// FirstOfEach selects the first rows of each parent: a UNION ALL of one limited part per parent, because no
// other form stops reading at the limit on every engine. The index holds (store_id, parent, id), so
// a part reads only the rows that it returns.
type FirstOfEach struct {
	Store   xid.ID
	Parent  string // the column: order_id for the children of orders
	Parents []xid.ID
	Columns []string
	Index   string
	Limit   int
	Newest  bool
	// Only is a condition on the rows; nil selects all.
	Only func() *sql.Predicate
}

// Apply makes the selector read from the parts. The tenant policy still adds its condition to the
// outer query.
func (f FirstOfEach) Apply(s *sql.Selector) {
	table := s.TableName()
	hint := ent.IndexHint(s.Dialect(), table, f.Index)
	before, after := ent.Part(s.Dialect())
	s.FromExpr(sql.ExprFunc(func(b *sql.Builder) {
		b.WriteByte('(')
		for i, id := range f.Parents {
			if i > 0 {
				b.WriteString(" UNION ALL ")
			}
			b.WriteString(before)
			f.part(b, table, hint, id)
			b.WriteString(after)
		}
		b.WriteString(") AS ").Ident(table)
	}))
	s.As(table)
	s.OrderBy(s.C(f.Parent), f.order(s.C("id")))
}

func (f FirstOfEach) part(b *sql.Builder, table, hint string, parent xid.ID) {
	b.WriteString("SELECT ").IdentComma(f.Columns...).WriteString(" FROM ").Ident(table).WriteString(hint)
	b.WriteString(" WHERE ").Ident("store_id").WriteString(" = ").Arg(f.Store)
	b.WriteString(" AND ").Ident(f.Parent).WriteString(" = ").Arg(parent)
	if f.Only != nil {
		b.WriteString(" AND ").Join(f.Only())
	}
	b.WriteString(" ORDER BY ").WriteString(f.order("`id`")).WriteString(" LIMIT ").Arg(f.Limit)
}

func (f FirstOfEach) order(column string) string {
	if f.Newest {
		return sql.Desc(column)
	}
	return sql.Asc(column)
}
