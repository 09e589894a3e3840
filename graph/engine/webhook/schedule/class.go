package schedule

import "time"

// Class is how the receiver of a queue answers.
type Class uint8

// The classes.
const (
	Unknown Class = iota // nothing was delivered under this lease
	Fast                 // within a quarter of a second
	Slow                 // later than that, or an attempt is overdue now
	Failing              // new deliveries failed since the last success
	classes
)

var classNames = [...]string{"unknown", "fast", "slow", "failing"}

// String returns the name of the class.
func (c Class) String() string { return classNames[c] }

func (q *Queue) class(at time.Time) Class {
	switch {
	case q.row.Streak > 0:
		return Failing
	case q.slow(at):
		return Slow
	case q.known:
		return Fast
	}
	return Unknown
}

// Load is the number of queues, attempts and deliveries of a class.
type Load struct {
	Queues, Inflight int
	Waiting          int // deliveries in memory that may be sent
}

// Loads returns the load of each class.
func (m *Machine) Loads(at time.Time) (list [classes]Load) {
	for _, q := range m.queues {
		l := &list[q.class(at)]
		l.Queues++
		l.Inflight += q.inflight
		l.Waiting += q.ready - q.inflight
	}
	return list
}
