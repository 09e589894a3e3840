package model

import "github.com/storefront-go/storefront/ent/db"

// Report is a report of sales with its decoded result, which is nil until it is completed.
type Report struct {
	*db.Report
	Result *ReportResult
}
