package state

// ReportStatus is the state of a report of sales.
type ReportStatus string

// The values of [ReportStatus].
const (
	ReportQueued    ReportStatus = "queued"
	ReportCompleted ReportStatus = "completed"
	ReportFailed    ReportStatus = "failed"
)

// Known reports whether v is a value of the enumeration.
func (v ReportStatus) Known() bool { return oneOf(v, ReportQueued, ReportCompleted, ReportFailed) }
