package webhook

import (
	"context"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

// Relay is the relay of an engine, round by round, for tests.
type Relay struct{ relay }

// NewRelay returns the relay of an engine that stands still.
func NewRelay(e *Engine) *Relay { return &Relay{relay{dispatcher: e.dispatcher, most: relayBatch}} }

// Round makes deliveries of the next events, as many as one transaction takes.
func (r *Relay) Round(ctx context.Context) (more bool, made int, err error) {
	err = r.Store.EachShard(ctx, func(ctx context.Context) (err error) {
		more, made, err = r.round(ctx)
		return err
	})
	return more, made, err
}

// MaxFanOut is how many deliveries one round makes at most.
const MaxFanOut = maxFanOut

// InspectTwice is [Engine.Inspect] with another pause between the two looks.
func (e *Engine) InspectTwice(ctx context.Context, pause time.Duration) ([]Breach, error) {
	return e.inspect(ctx, pause)
}

// CapacityOf is how many attempts fit.
var CapacityOf = capacityOf

// SetDay gives an engine that stands still another time of day.
func (e *Engine) SetDay(now func() micros.Time) { e.wallTime = now }

// OthersWrite reports whether there were events of late that were no backlog.
func (e *Engine) OthersWrite() bool { return e.dispatcher.othersWrite() }

// SawLive has an engine believe that it found live events at a time.
func (e *Engine) SawLive(at time.Time) { e.dispatcher.live.Store(&at) }
