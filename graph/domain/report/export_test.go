package report

import (
	"context"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/model"
)

// Exports for the tests in package report_test.
const (
	LinkLife  = linkLife
	MaxReport = maxReport
)

var LastDays = lastDays

func (d day) First() micros.Time { return d.first }
func (d day) End() micros.Time   { return d.end }
func (d day) Date() string       { return d.date }

// SalesUntil returns the report as of a time.
func (q Query) SalesUntil(ctx context.Context, now time.Time, days int) (*model.SalesReport, error) {
	return q.salesUntil(ctx, now, days)
}
