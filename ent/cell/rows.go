package cell

import (
	"database/sql"
	"fmt"
)

// Dest is where the columns of a row go.
type Dest struct {
	Scanners []any // for Scan of sql.Rows
	takers   []taker
}

// NewDest returns the destination that scanners are.
func NewDest(scanners ...sql.Scanner) *Dest {
	d := new(Dest)
	for _, s := range scanners {
		d.Scanners = append(d.Scanners, s)
		d.takers = append(d.takers, unboxed(s))
	}
	return d
}

// Take takes the value of one column, of which 0 is the first.
func (d *Dest) Take(column int, v Value) error {
	if err := d.takers[column].Take(v); err != nil {
		return fmt.Errorf("column %d: %w", column+1, err)
	}
	return nil
}

// Target is where the rows of a query go: the values of each into Dest, and then Row is
// called.
type Target struct {
	Dest *Dest
	Row  func()
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
