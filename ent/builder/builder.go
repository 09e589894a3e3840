// Package builder is the code that the generated builders of all entities share. In ent's own
// templates each builder contains all of it, with a branch for every field: two megabytes of
// program.
package builder

import (
	"context"
	"errors"
	"slices"

	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/sqlgraph"
	"entgo.io/ent/schema/field"
)

// ErrOne is returned for every update by id alone, which the tenant filter cannot restrict.
var ErrOne = errors.New("update by id alone: use Update().Where(…) and check the count")

// Update copies to spec what m sets, adds and clears, and the rows selected by where. Immutable
// fields keep their values, even if a hook has set them.
func Update[P ~func(*sql.Selector)](spec *sqlgraph.UpdateSpec, m ent.Mutation, where []P, immutable ...string) {
	if len(where) > 0 {
		spec.Predicate = func(s *sql.Selector) {
			for _, p := range where {
				p(s)
			}
		}
	}
	// The type of a column only matters for JSON columns, of which there are none.
	for _, name := range m.Fields() {
		if value, ok := m.Field(name); ok && !slices.Contains(immutable, name) {
			spec.SetField(name, field.TypeOther, value)
		}
	}
	for _, name := range m.AddedFields() {
		if value, ok := m.AddedField(name); ok && !slices.Contains(immutable, name) {
			spec.AddField(name, field.TypeOther, value)
		}
	}
	for _, name := range m.ClearedFields() {
		spec.ClearField(name, field.TypeOther)
	}
}

// Select scans into v, a pointer to a slice, the columns of s and the results of the functions, or
// only the latter if columns is empty.
func Select[F ~func(*sql.Selector) string](
	ctx context.Context, d dialect.Driver, s *sql.Selector, columns []string, functions []F, v any,
) error {
	if results := apply(s, functions); len(results) > 0 && len(columns) > 0 {
		s.AppendSelect(results...)
	} else if len(results) > 0 {
		s.Select(results...)
	}
	return scan(ctx, d, s, v)
}

// Group scans into v, a pointer to a slice, the columns that s is grouped by and the results of the
// functions for each group, unless a function has selected other columns.
func Group[F ~func(*sql.Selector) string](
	ctx context.Context, d dialect.Driver, s *sql.Selector, columns []string, functions []F, v any,
) error {
	s.Select()
	results := apply(s, functions)
	qualified := s.Columns(columns...)
	if len(s.SelectedColumns()) == 0 {
		s.Select(slices.Concat(qualified, results)...)
	}
	s.GroupBy(qualified...)
	if err := s.Err(); err != nil {
		return err
	}
	return scan(ctx, d, s, v)
}

// apply calls the functions with s, and returns their select expressions.
func apply[F ~func(*sql.Selector) string](s *sql.Selector, functions []F) []string {
	results := make([]string, 0, len(functions))
	for _, f := range functions {
		results = append(results, f(s))
	}
	return results
}

func scan(ctx context.Context, d dialect.Driver, s *sql.Selector, v any) error {
	rows := &sql.Rows{}
	query, args := s.Query()
	if err := d.Query(ctx, query, args, rows); err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // the rows are complete by then, or another error is returned
	return sql.ScanSlice(rows, v)
}
