package state

// DomainStatus is the state of a domain of a store.
type DomainStatus string

// The values of [DomainStatus].
const (
	DomainPending   DomainStatus = "pending" // not proved yet
	DomainConnected DomainStatus = "connected"
	DomainFailing   DomainStatus = "failing" // the latest check found no proof
)

// Known reports whether v is a value of the enumeration.
func (v DomainStatus) Known() bool { return oneOf(v, DomainPending, DomainConnected, DomainFailing) }
