package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Download is a temporary link to the file of an export.
type Download struct {
	URL       *string
	ExpiresAt *micros.Time
}

// AppendExport appends an export job. The representation of a single job has its link; lists and
// events leave it out, with a nil link.
func AppendExport(b []byte, e *db.Export, link *Download) []byte {
	o := Open(b)
	o.ID("id", xid.Export, e.ID)
	o.Plain("kind", string(e.Kind))
	o.Plain("format", string(e.Format))
	o.Plain("compression", string(e.Compression))
	o.IDOpt("webhook_id", xid.WebhookEndpoint, e.EndpointID)
	o.Name("filters")
	f := Open(o.B)
	f.TimeOpt("created_from", e.CreatedFrom)
	f.TimeOpt("created_to", e.CreatedTo)
	f.StrOpt("status", e.FilterStatus)
	f.StrOpt("financial_status", (*string)(e.FilterFinancialStatus))
	f.StrOpt("fulfillment_status", (*string)(e.FilterFulfillmentStatus))
	f.IDOpt("customer_id", xid.Customer, e.FilterCustomerID)
	if ids := FilterIDs(e); ids != nil {
		f.Strings("ids", ids)
	} else {
		f.Null("ids")
	}
	f.StrOpt("marketing_consent", (*string)(e.FilterConsent))
	o.B = f.Close()
	o.Plain("status", string(e.Status))
	o.Name("progress")
	p := Open(o.B)
	p.Int("rows_done", e.RowsDone)
	p.IntOpt("rows_estimated", RowsEstimated(e))
	o.B = p.Close()
	o.appendFile(e)
	o.Name("requested_by")
	by := Open(o.B)
	by.Plain("type", string(e.RequesterType))
	by.Str("id", ActorID(e.RequesterType, e.RequesterID))
	by.Str("name", e.RequesterName)
	o.B = by.Close()
	o.Time("created_at", e.ID.Time())
	o.TimeOpt("started_at", e.StartedAt)
	o.TimeOpt("sync_from", e.SyncFrom)
	o.TimeOpt("completed_at", e.CompletedAt)
	o.TimeOpt("expires_at", e.ExpiresAt)
	if link != nil {
		o.StrOpt("download_url", link.URL)
		o.TimeOpt("download_url_expires_at", link.ExpiresAt)
	}
	return o.Close()
}

// FilterIDs returns the ids that the export is restricted to, in public form; nil for no
// restriction.
func FilterIDs(e *db.Export) (ids []string) {
	for _, id := range xid.Unpack(e.FilterIds) {
		ids = append(ids, e.Kind.Resource().Format(id))
	}
	return ids
}

// appendFile writes the members of the file, and why there is none.
func (o *Object) appendFile(e *db.Export) {
	if Whole(e) {
		o.Int("row_count", e.RowsDone)
		o.Int("file_size_bytes", e.SizeBytes)
	} else {
		o.Null("row_count")
		o.Null("file_size_bytes")
	}
	o.StrOpt("sha256", e.Sha256)
	if e.ErrorCode == nil || e.ErrorMessage == nil {
		o.Null("error")
		return
	}
	o.Name("error")
	r := Open(o.B)
	r.Plain("code", *e.ErrorCode)
	r.Str("message", *e.ErrorMessage)
	o.B = r.Close()
}

// Whole reports whether the export's file was completed. It may have been removed since.
func Whole(e *db.Export) bool {
	return e.Status == state.ExportCompleted || e.Status == state.ExportExpired
}

// RowsEstimated returns how many rows the file will have, nil if unknown. It assumes that the
// remaining resources have as many rows each as the finished ones.
func RowsEstimated(e *db.Export) *int64 {
	switch {
	case Whole(e):
		return &e.RowsDone
	case e.ResourcesTotal == nil:
		return nil
	case e.ResourcesDone == 0:
		return e.ResourcesTotal
	}
	perResource := float64(e.RowsDone) / float64(e.ResourcesDone)
	return new(max(e.RowsDone, int64(float64(*e.ResourcesTotal)*perResource)))
}

// ActorID returns the id of an actor in public form, "" for the operator, who has none.
func ActorID(kind viewer.Kind, id xid.ID) string {
	switch kind {
	case viewer.APIKey:
		return xid.APIKey.Format(id)
	case viewer.OAuthApp:
		return xid.App.Format(id)
	case viewer.Staff:
		return xid.User.Format(id)
	}
	return "system"
}
