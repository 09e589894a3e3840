package webhook

import (
	"context"
	"time"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// troubleTime is how long a trouble of this machine counts as present while no receiver answers.
const troubleTime = 10 * time.Second

// trouble is an attempt that this machine could not begin.
type trouble struct {
	kind egress.Trouble
	at   time.Time
}

// troubles describe the problem for an operator. A missing route for one address family is not
// listed, since the owner of an endpoint chooses its address.
var troubles = map[egress.Trouble]string{
	egress.Descriptors: "no file descriptor is left",
	egress.Memory:      "the system has no memory for connections",
	egress.Ports:       "no local port is left",
	egress.Route:       "this machine has no route",
	egress.Resolver:    "no name can be looked up",
}

// SenderTrouble returns why webhooks cannot be sent from this machine at present, or "".
func (e *Engine) SenderTrouble() string {
	last := e.sender.lastTrouble.Load()
	if last == nil || time.Since(last.at) >= troubleTime || e.sender.answered.Load() >= last.at.UnixNano() ||
		troubles[last.kind] == "" {
		return ""
	}
	return "webhooks cannot be sent: " + troubles[last.kind]
}

// noteResult records what an attempt shows about this machine.
func (s *sender) noteResult(ctx context.Context, r attempt.Result) {
	switch {
	case r.Outcome == attempt.Unable:
		s.noteTrouble(ctx, egress.Trouble(r.Detail))
	case r.Status != 0:
		s.answered.Store(time.Now().UnixNano())
	}
}

// noteTrouble records an attempt that could not begin. Its delivery waits, and the receiver is not
// blamed.
func (s *sender) noteTrouble(ctx context.Context, kind egress.Trouble) {
	s.metrics.troubles.WithLabelValues(string(kind)).Inc()
	if kind != egress.Family {
		s.lastTrouble.Store(&trouble{kind: kind, at: time.Now()})
		m := s.machine.lock()
		m.ReduceLimit(s.now())
		s.machine.unlock()
	}
	if s.shouldLog("begin an attempt: " + string(kind)) {
		s.Logger.ErrorContext(ctx, "webhooks wait: this machine cannot begin an attempt; no receiver is counted as failing",
			"trouble", string(kind))
	}
}
