package builder_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/sqlgraph"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/builder"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/xid"
)

func TestUpdate(t *testing.T) {
	m := db.NewClient().Order.Update().SetNumber(7).SetCurrency("EUR").AddVersion(1).ClearEmail().Mutation()
	m.SetStoreID(xid.ID{1}) // as a hook may
	spec := sqlgraph.NewUpdateSpec(order.Table, order.Columns, sqlgraph.NewFieldSpec(order.FieldID, field.TypeUUID))
	builder.Update(spec, m, []predicate.Order{order.Number(6)}, order.FieldStoreID)

	list := func(fields []*sqlgraph.FieldSpec) string {
		var all []string
		for _, f := range fields {
			all = append(all, fmt.Sprint(f.Column, "=", f.Value))
		}
		return strings.Join(all, " ")
	}
	if got, want := list(spec.Fields.Set), "number=7 currency=EUR"; got != want {
		t.Errorf("set %q, want %q", got, want)
	}
	if got, want := list(spec.Fields.Add), "version=1"; got != want {
		t.Errorf("added %q, want %q", got, want)
	}
	if got, want := list(spec.Fields.Clear), "email=<nil>"; got != want {
		t.Errorf("cleared %q, want %q", got, want)
	}
	s := sql.Dialect(dialect.SQLite).Select("id").From(sql.Table(order.Table))
	spec.Predicate(s)
	query, args := s.Query()
	if !strings.HasSuffix(query, "WHERE `orders`.`number` = ?") || !slices.Equal(args, []any{int64(6)}) {
		t.Errorf("predicate: %s %v", query, args)
	}
}
