package model

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Export is an export job. Link is empty if the viewer may not download the file.
type Export struct {
	*db.Export
	Link wire.Download
}

// Filters returns the requested filters.
func (e *Export) Filters() *ExportFilters {
	f := &ExportFilters{CreatedFrom: e.CreatedFrom, CreatedTo: e.CreatedTo, Status: e.FilterStatus,
		FinancialStatus: e.FilterFinancialStatus, FulfillmentStatus: e.FilterFulfillmentStatus,
		MarketingConsent: e.FilterConsent}
	if e.FilterCustomerID != nil {
		f.CustomerID = new(xid.Customer.Format(*e.FilterCustomerID))
	}
	f.Ids = wire.FilterIDs(e.Export)
	return f
}

// Progress returns the number of written rows and the estimate.
func (e *Export) Progress() *ExportProgress {
	return &ExportProgress{RowsDone: e.RowsDone, RowsEstimated: wire.RowsEstimated(e.Export)}
}

// RowCount returns the number of rows of the complete file, or nil.
func (e *Export) RowCount() *int64 { return e.whole(e.RowsDone) }

// FileSizeBytes returns the size of the complete file, or nil.
func (e *Export) FileSizeBytes() *int64 { return e.whole(e.SizeBytes) }

func (e *Export) whole(n int64) *int64 {
	if !wire.Whole(e.Export) {
		return nil
	}
	return &n
}

// Error returns why the export failed, or nil.
func (e *Export) Error() *ExportError {
	if e.ErrorCode == nil || e.ErrorMessage == nil {
		return nil
	}
	return &ExportError{Code: *e.ErrorCode, Message: *e.ErrorMessage}
}

// RequestedBy returns who started the export, with their name at that time.
func (e *Export) RequestedBy() *Author {
	return &Author{Type: e.RequesterType, ID: wire.ActorID(e.RequesterType, e.RequesterID), Name: e.RequesterName}
}

// DownloadURL returns the link to the file, or nil.
func (e *Export) DownloadURL() *string { return e.Link.URL }

// DownloadURLExpiresAt returns when the link expires, or nil.
func (e *Export) DownloadURLExpiresAt() *micros.Time { return e.Link.ExpiresAt }
