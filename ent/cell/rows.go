package cell

import (
	"database/sql"
	"fmt"
)

// LongValue is the size in bytes from which a value counts as long.
const LongValue = 1 << 10

// Dest is the destination of the columns of a row.
type Dest struct {
	Scanners []any // for Scan of sql.Rows
	takers   []taker
	long     int
}

// NewDest returns a destination made of scanners.
func NewDest(scanners ...sql.Scanner) *Dest {
	d := new(Dest)
	for i, s := range scanners {
		d.Scanners = append(d.Scanners, &column{d, i, s})
		d.takers = append(d.takers, unboxed(s))
	}
	return d
}

type column struct {
	dest *Dest
	at   int
	to   sql.Scanner
}

func (c *column) Scan(src any) error {
	v, ok := valueOf(src)
	if !ok {
		return c.to.Scan(src)
	}
	return c.dest.Take(c.at, v)
}

// Long returns the bytes of the long values since the last call.
func (d *Dest) Long() int {
	n := d.long
	d.long = 0
	return n
}

// Take sets the value of one column, counted from 0.
func (d *Dest) Take(column int, v Value) error {
	if len(v.Bytes) >= LongValue {
		d.long += len(v.Bytes)
	}
	if err := d.takers[column].Take(v); err != nil {
		return fmt.Errorf("column %d: %w", column+1, err)
	}
	return nil
}

// Target is the destination of the rows of a query: the values of each row go to Dest, then Row is
// called.
type Target struct {
	Dest *Dest
	Row  func()
}

// Rows returns how many rows to allocate after n rows were read. One row, and pages of 20 and 100
// plus one row, leave no unused space: most reads are lists of these sizes.
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
