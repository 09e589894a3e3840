package state

import (
	"strings"

	"github.com/storefront-go/storefront/ent/xid"
)

// ExportKind is the kind of resource that an export job reads.
type ExportKind string

// The values of [ExportKind].
const (
	ExportOrders          ExportKind = "orders"
	ExportProducts        ExportKind = "products"
	ExportCustomers       ExportKind = "customers"
	ExportWebhookAttempts ExportKind = "webhook_attempts" // of one endpoint
)

// Known reports whether v is a value of the enumeration.
func (v ExportKind) Known() bool {
	return oneOf(v, ExportOrders, ExportProducts, ExportCustomers, ExportWebhookAttempts)
}

// Words returns the kind as words in a sentence.
func (v ExportKind) Words() string { return strings.ReplaceAll(string(v), "_", " ") }

// Resource returns the kind of the exported ids; "" for attempts.
func (v ExportKind) Resource() xid.Kind {
	switch v {
	case ExportOrders:
		return xid.Order
	case ExportProducts:
		return xid.Product
	case ExportCustomers:
		return xid.Customer
	}
	return ""
}

// ExportFormat is the format of an export's file.
type ExportFormat string

// The values of [ExportFormat].
const (
	ExportCSV   ExportFormat = "csv"
	ExportJSONL ExportFormat = "jsonl"
	// ExportSpreadsheet is CSV that spreadsheet programs open correctly.
	ExportSpreadsheet ExportFormat = "spreadsheet"
)

// Known reports whether v is a value of the enumeration.
func (v ExportFormat) Known() bool { return oneOf(v, ExportCSV, ExportJSONL, ExportSpreadsheet) }

// ExportCompression is the compression of an export's file.
type ExportCompression string

// The values of [ExportCompression].
const (
	ExportPlain ExportCompression = "none"
	ExportGzip  ExportCompression = "gzip"
)

// Known reports whether v is a value of the enumeration.
func (v ExportCompression) Known() bool { return oneOf(v, ExportPlain, ExportGzip) }

// ExportStatus is the state of an export job (contract, section 6).
type ExportStatus string

// The values of [ExportStatus].
const (
	ExportQueued    ExportStatus = "queued"
	ExportRunning   ExportStatus = "running"
	ExportCompleted ExportStatus = "completed"
	ExportFailed    ExportStatus = "failed"
	ExportCancelled ExportStatus = "cancelled"
	ExportExpired   ExportStatus = "expired" // its file was deleted
)

// Known reports whether v is a value of the enumeration.
func (v ExportStatus) Known() bool {
	return oneOf(v, ExportQueued, ExportRunning, ExportCompleted, ExportFailed, ExportCancelled, ExportExpired)
}
