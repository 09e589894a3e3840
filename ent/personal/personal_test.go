package personal_test

import (
	"slices"
	"testing"

	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent/db/migrate"
	"github.com/storefront-go/storefront/ent/personal"
)

// TestEveryColumn checks that each column of text or bytes has one class, and that each name in the
// map is such a column.
func TestEveryColumn(t *testing.T) {
	kinds := []field.Type{field.TypeString, field.TypeBytes, field.TypeJSON, field.TypeEnum, field.TypeOther}
	known := map[string]bool{}
	for _, table := range migrate.Tables {
		for _, c := range table.Columns {
			if !slices.Contains(kinds, c.Type) {
				continue
			}
			known[table.Name+"."+c.Name] = true
			if _, ok := personal.ClassOf(table.Name, c.Name); !ok {
				t.Errorf("%s.%s: say in the map whether it can hold a person's data, and what erases it, once",
					table.Name, c.Name)
			}
		}
	}
	for table, column := range func(yield func(string, string) bool) {
		personal.Columns(func(table, column string, _ personal.Class) bool { return yield(table, column) })
	} {
		if !known[table+"."+column] {
			t.Errorf("%s.%s is no column of text or bytes", table, column)
		}
	}
}
