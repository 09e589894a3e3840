package model

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Export is an export job, and its link where the viewer may have one.
type Export struct {
	*db.Export
	Link wire.Download
}

// Filters returns what was asked for.
func (e *Export) Filters() *ExportFilters {
	f := &ExportFilters{CreatedFrom: e.CreatedFrom, CreatedTo: e.CreatedTo, Status: e.FilterStatus,
		FinancialStatus: e.FilterFinancialStatus, FulfillmentStatus: e.FilterFulfillmentStatus}
	if e.FilterCustomerID != nil {
		f.CustomerID = new(xid.Customer.Format(*e.FilterCustomerID))
	}
	f.Ids = wire.FilterIDs(e.Export)
	return f
}

// Progress returns how far it has come.
func (e *Export) Progress() *ExportProgress {
	return &ExportProgress{RowsDone: e.RowsDone, RowsEstimated: wire.RowsEstimated(e.Export)}
}

// RowCount returns the rows of the whole file.
func (e *Export) RowCount() *int64 { return e.whole(e.RowsDone) }

// FileSizeBytes returns the size of the whole file.
func (e *Export) FileSizeBytes() *int64 { return e.whole(e.SizeBytes) }

func (e *Export) whole(n int64) *int64 {
	if !wire.Whole(e.Export) {
		return nil
	}
	return &n
}

// Error returns why there is no file.
func (e *Export) Error() *ExportError {
	if e.ErrorCode == nil || e.ErrorMessage == nil {
		return nil
	}
	return &ExportError{Code: *e.ErrorCode, Message: *e.ErrorMessage}
}

// RequestedBy is who started it, by the name of that time.
func (e *Export) RequestedBy() *Author {
	return &Author{Type: e.RequesterType, ID: wire.ActorID(e.RequesterType, e.RequesterID), Name: e.RequesterName}
}

// DownloadURL returns the link to the file.
func (e *Export) DownloadURL() *string { return e.Link.URL }

// DownloadURLExpiresAt returns until when the link serves.
func (e *Export) DownloadURLExpiresAt() *micros.Time { return e.Link.ExpiresAt }
