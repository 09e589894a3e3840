package cell

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
)

// Target is where the rows of a query go: the values of each into Dest, which [Dest]
// makes, and then Row is called.
type Target struct {
	Dest []any // every one is a sql.Scanner
	Row  func()
}

// Take takes one row, with its bytes: nobody else may hold them.
func (t *Target) Take(row []driver.Value) error {
	for i, v := range row {
		dest := t.Dest[i]
		if blob, ok := v.([]byte); ok {
			if to, ok := dest.(*Bytes); ok {
				to.Take(blob)
				continue
			}
		}
		if err := dest.(sql.Scanner).Scan(v); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	t.Row()
	return nil
}

// Dest returns scanners as database/sql takes them.
func Dest(scanners ...sql.Scanner) []any {
	dest := make([]any, len(scanners))
	for i, s := range scanners {
		dest[i] = s
	}
	return dest
}

// Rows is how many rows to make room for behind n that were read. Those of one row, and of
// a page of 20 or 100 and the one behind it, leave no room over: lists of them are most of
// what is read.
func Rows(n int) int {
	switch {
	case n < 1:
		return 1
	case n < 1+4:
		return 4
	case n < 1+4+16:
		return 16
	}
	return 40
}
