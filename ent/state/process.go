package state

import "slices"

// ProcessRole is what a process of the program does.
type ProcessRole string

// The values of [ProcessRole].
const (
	ProcessServer     ProcessRole = "server"     // answers requests
	ProcessDispatcher ProcessRole = "dispatcher" // only delivers webhooks
)

var allProcessRole = []ProcessRole{ProcessServer, ProcessDispatcher}

// Known reports whether v is a value of the enumeration.
func (v ProcessRole) Known() bool { return slices.Contains(allProcessRole, v) }
