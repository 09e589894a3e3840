package ent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/db/mailsender"
	"github.com/storefront-go/storefront/ent/db/migrate"
	"github.com/storefront-go/storefront/ent/xid"
)

// ownedTables are the store-owned tables of the schema.
func ownedTables() (owned []*schema.Table) {
	for _, t := range migrate.Tables {
		i := slices.IndexFunc(t.Columns, func(c *schema.Column) bool { return c.Name == "store_id" })
		if i >= 0 && t.PrimaryKey[0].Name == "id" {
			owned = append(owned, t)
		}
	}
	return owned
}

// fill inserts a minimal and a full row of a store into every store-owned table.
func fill(t *testing.T, ctx context.Context, s *ent.Store, store xid.ID) {
	t.Helper()
	err := s.InTx(ctx, func(ctx context.Context) error {
		for _, table := range ownedTables() {
			for _, full := range []bool{false, true} {
				if full && table.Name == mailsender.Table { // a store has at most one
					continue
				}
				if err := insert(ctx, s, table, store, full); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func insert(ctx context.Context, s *ent.Store, table *schema.Table, store xid.ID, full bool) error {
	var names, marks []string
	var values []any
	for i, c := range table.Columns {
		if c.Nullable && !full {
			continue
		}
		v := value(c, i, full)
		if c.Name == "store_id" {
			v = store[:]
		}
		names, marks, values = append(names, "`"+c.Name+"`"), append(marks, "?"), append(values, v)
	}
	_, err := s.DB(ctx).ExecContext(ctx, "INSERT INTO `"+table.Name+"` ("+strings.Join(names, ", ")+") VALUES ("+
		strings.Join(marks, ", ")+")", values...)
	return err
}

// value returns different values for different columns, and for the minimal and the full row.
func value(c *schema.Column, i int, full bool) any {
	seed := byte(i + 1)
	if full {
		seed += 100
	}
	switch c.Type {
	case field.TypeUUID:
		if c.SchemaType["mysql"] == "binary(32)" {
			return slices.Repeat([]byte{seed}, 32)
		}
		return slices.Repeat([]byte{seed}, 16)
	case field.TypeBytes:
		if c.Name == dbevent.FieldBody {
			return fmt.Appendf(nil, "{%d}", seed) // a readable form of a body
		}
		if !full {
			return []byte{} // empty is not absent
		}
		return slices.Repeat([]byte{seed}, 32)
	case field.TypeString:
		text := string([]byte{'a' + seed%26, 'é' & 0x7f, 'z'})
		switch c.SchemaType["mysql"] {
		case "varbinary(1)":
			return text[:1]
		case "varbinary(2)":
			return text[:2]
		}
		return text
	case field.TypeBool:
		return full
	}
	return int64(seed)
}
