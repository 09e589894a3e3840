package webhook

import (
	"context"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// Relay runs the relay of an engine round by round, for tests.
type Relay struct{ *relay }

// NewRelay returns the relay of an engine that is not started.
func NewRelay(e *Engine) *Relay { return &Relay{e.newRelay()} }

// Round creates deliveries of the next events, as many as one transaction takes.
func (r *Relay) Round(ctx context.Context) (more bool, made int, err error) {
	err = r.Store.EachShard(ctx, func(ctx context.Context) (err error) {
		more, made, err = r.round(ctx)
		return err
	})
	return more, made, err
}

// MaxFanOut is the most deliveries that one round creates.
const MaxFanOut = maxFanOut

// InspectTwice is [Engine.Inspect] with another pause between the two passes.
func (e *Engine) InspectTwice(ctx context.Context, pause time.Duration) ([]Violation, error) {
	return e.inspect(ctx, pause)
}

// CapacityOf computes a capacity from its limits.
var CapacityOf = capacityOf

// SetDay sets the wall clock of an engine that is not started.
func (e *Engine) SetDay(now func() micros.Time) { e.wallTime = now }

// OthersWrite reports whether recent events were no backlog.
func (e *Engine) OthersWrite() bool { return e.traffic.othersWrite() }

// SawLive sets when the engine last found live events.
func (e *Engine) SawLive(at time.Time) { e.traffic.live.Store(&at) }
