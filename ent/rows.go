package ent

import (
	"context"
	stdsql "database/sql"
)

// Read runs a query and passes every row to scan, whose first error ends it. client is the client
// of the transaction in ctx, if there is one.
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
