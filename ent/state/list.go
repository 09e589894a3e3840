package state

// ListSort is the order of a list in the dashboard.
type ListSort string

// The values of [ListSort].
const (
	ListNewest ListSort = "newest"
	ListOldest ListSort = "oldest"
	// ListUpdated sorts by the latest change first.
	ListUpdated ListSort = "updated"
)

// Known reports whether v is a value of the enumeration.
func (v ListSort) Known() bool { return oneOf(v, ListNewest, ListOldest, ListUpdated) }
