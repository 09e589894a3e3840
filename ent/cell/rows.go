package cell

import (
	"database/sql"
	"fmt"
)

// LongValue is the size in bytes from which a value counts as long.
const LongValue = 1 << 10

// Dest is where the columns of a row go.
type Dest struct {
	Scanners []any // for Scan of sql.Rows
	takers   []taker
	long     int
}

// NewDest returns the destination that scanners are.
func NewDest(scanners ...sql.Scanner) *Dest {
	d := new(Dest)
	for i, s := range scanners {
		d.Scanners = append(d.Scanners, &column{d, i, s})
		d.takers = append(d.takers, unboxed(s))
	}
	return d
}

// column is a scanner of one column of a Dest.
type column struct {
	dest *Dest
	at   int
	to   sql.Scanner
}

// Scan implements sql.Scanner.
func (c *column) Scan(src any) error {
	v, ok := valueOf(src)
	if !ok {
		return c.to.Scan(src)
	}
	return c.dest.Take(c.at, v)
}

// Long returns the bytes of the long values that were taken since it was called last.
func (d *Dest) Long() int {
	n := d.long
	d.long = 0
	return n
}

// Take takes the value of one column, of which 0 is the first.
func (d *Dest) Take(column int, v Value) error {
	if len(v.Bytes) >= LongValue {
		d.long += len(v.Bytes)
	}
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
