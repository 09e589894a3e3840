package webhook

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// strainTime is how long a trouble of this machine counts as present, while no
// receiver answers.
const strainTime = 10 * time.Second

// strain is what this machine could not do of late.
type strain struct {
	last     atomic.Pointer[trouble]
	answered atomic.Int64 // when a receiver last did, in nanoseconds
}

// trouble is an attempt that this machine could not begin.
type trouble struct {
	kind egress.Trouble
	at   time.Time
}

// troubles say what is wrong, for an operator. That there is no route for one kind of
// addresses is none of the process's: whoever registers an endpoint chooses it.
var troubles = map[egress.Trouble]string{
	egress.Descriptors: "no file descriptor is left",
	egress.Memory:      "the system has no memory for connections",
	egress.Ports:       "no local port is left",
	egress.Route:       "this machine has no route",
	egress.Resolver:    "no name can be looked up",
}

// Strain says why webhooks cannot be sent from here at present, or "".
func (e *Engine) Strain() string {
	last := e.strain.last.Load()
	if last == nil || time.Since(last.at) >= strainTime || e.strain.answered.Load() >= last.at.UnixNano() ||
		troubles[last.kind] == "" {
		return ""
	}
	return "webhooks cannot be sent: " + troubles[last.kind]
}

// feel takes notice of what an attempt says about this machine.
func (d *dispatcher) feel(ctx context.Context, r attempt.Result) {
	switch {
	case r.Outcome == attempt.Unable:
		d.strained(ctx, egress.Trouble(r.Detail))
	case r.Status != 0:
		d.strain.answered.Store(time.Now().UnixNano())
	}
}

// strained notes an attempt that could not begin. Its delivery waits, and no receiver
// is blamed.
func (d *dispatcher) strained(ctx context.Context, kind egress.Trouble) {
	d.metrics.troubles.WithLabelValues(string(kind)).Inc()
	if kind != egress.Family {
		d.strain.last.Store(&trouble{kind: kind, at: time.Now()})
		d.mu.Lock()
		d.schedule.Strain(d.now())
		d.unlock()
	}
	if d.seldom("begin an attempt: " + string(kind)) {
		d.Logger.ErrorContext(ctx, "webhooks wait: this machine cannot begin an attempt, and no receiver is blamed",
			"trouble", string(kind))
	}
}
