package ent

import (
	"context"
	stdsql "database/sql"
)

// Read runs a query and hands every row to scan, whose first error ends it. The client
// is that of the transaction in ctx, or none.
func Read(ctx context.Context, client querier, scan func(*stdsql.Rows) error, query string, args ...any) error {
	rows, err := client.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
