package plan

import (
	"slices"

	"ariga.io/atlas/sql/schema"
	"ariga.io/atlas/sql/sqlite"
	entschema "entgo.io/ent/dialect/sql/schema"
)

// primaryKey is the name of the unique index that becomes a table's primary key.
const primaryKey = "primary_key"

// Hook changes the tables in ways that ent cannot declare: the primary key of a store-owned table
// starts with the store, and no table has a foreign key.
func Hook() entschema.MigrateOption {
	return entschema.WithDiffHook(func(next entschema.Differ) entschema.Differ {
		return entschema.DiffFunc(func(current, desired *schema.Schema) ([]schema.Change, error) {
			for _, t := range desired.Tables {
				shape(t)
			}
			return next.Diff(current, desired)
		})
	})
}

// keyOnly are tables with short rows that are written together with other rows. On SQLite such a
// table is stored in its primary key, without a separate tree; InnoDB stores every table like that.
var keyOnly = []string{"outbox", "sales_intervals", "sales_pendings", "search_pendings", "search_terms"}

func withoutRowID(a schema.Attr) bool { _, ok := a.(*sqlite.WithoutRowID); return ok }

// shape adjusts a table. It is idempotent, since it may be called twice for a table.
func shape(t *schema.Table) {
	t.ForeignKeys = nil
	if slices.Contains(keyOnly, t.Name) && !slices.ContainsFunc(t.Attrs, withoutRowID) {
		t.AddAttrs(&sqlite.WithoutRowID{})
	}
	for _, c := range t.Columns {
		c.ForeignKeys = nil
	}
	columns := keyColumns(t)
	if columns == nil {
		return
	}
	setKey(t, columns)
	// SQLite lists the columns of a key in the order of the table's columns, so they go first.
	rest := slices.DeleteFunc(slices.Clone(t.Columns),
		func(c *schema.Column) bool { return slices.Contains(columns, c) })
	t.Columns = append(slices.Clone(columns), rest...)
}

// keyColumns returns the key that t should have, or nil for ent's own.
func keyColumns(t *schema.Table) []*schema.Column {
	if i, ok := t.Index(primaryKey); ok {
		var columns []*schema.Column
		for _, p := range i.Parts {
			columns = append(columns, p.C)
		}
		return columns
	}
	store, owned := t.Column("store_id")
	id, ok := t.Column("id")
	if !owned || !ok || t.PrimaryKey == nil || len(t.PrimaryKey.Parts) != 1 || t.PrimaryKey.Parts[0].C != id {
		return nil // a table of no store, or a directory
	}
	return []*schema.Column{store, id}
}

// setKey replaces the primary key, and drops the index that represented it.
func setKey(t *schema.Table, columns []*schema.Column) {
	t.Indexes = slices.DeleteFunc(t.Indexes, func(i *schema.Index) bool { return i.Name == primaryKey })
	for _, c := range t.Columns {
		c.Indexes = slices.DeleteFunc(c.Indexes, func(i *schema.Index) bool {
			return i == t.PrimaryKey || i.Name == primaryKey
		})
	}
	t.SetPrimaryKey(schema.NewPrimaryKey(columns...))
}
