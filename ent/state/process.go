package state

// ProcessRole is the role of a process of the program.
type ProcessRole string

// The values of [ProcessRole].
const (
	ProcessServer     ProcessRole = "server"     // answers requests
	ProcessDispatcher ProcessRole = "dispatcher" // only delivers webhooks
)

// Known reports whether v is a value of the enumeration.
func (v ProcessRole) Known() bool { return oneOf(v, ProcessServer, ProcessDispatcher) }
