package ent

import (
	"context"
	stdsql "database/sql"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/cell"
)

// Meter is called with the size in bytes of the long values of each row that a read loads into
// memory. Its error ends the read.
type Meter interface{ Read(bytes int) error }

type meterKey struct{}

// WithMeter returns a context whose reads of entities are counted by m; nil counts nothing.
func WithMeter(ctx context.Context, m Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// MeterOf returns the meter of a context, or nil.
func MeterOf(ctx context.Context) Meter {
	m, _ := ctx.Value(meterKey{}).(Meter)
	return m
}

// meterRow counts the long values of the row that was scanned last.
func meterRow(m Meter, of *cell.Dest) error {
	long := of.Long()
	if long == 0 || m == nil {
		return nil
	}
	return m.Read(long)
}

type metered struct {
	entsql.ColumnScanner
	meter Meter
}

func (r metered) Scan(dest ...any) error {
	if err := r.ColumnScanner.Scan(dest...); err != nil {
		return err
	}
	long := 0
	for _, d := range dest {
		n := 0
		switch d := d.(type) {
		case *stdsql.NullString:
			n = len(d.String)
		case *[]byte:
			n = len(*d)
		case *string:
			n = len(*d)
		}
		if n >= cell.LongValue {
			long += n
		}
	}
	if long == 0 {
		return nil
	}
	return r.meter.Read(long)
}
