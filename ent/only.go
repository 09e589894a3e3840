package ent

import "fmt"

// Only returns the only row of a query, and an error if there are none or several.
func Only[T any](rows []T, err error) (row T, _ error) {
	switch {
	case err != nil:
		return row, err
	case len(rows) != 1:
		return row, fmt.Errorf("%d rows in place of one", len(rows))
	}
	return rows[0], nil
}
