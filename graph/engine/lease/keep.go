package lease

import (
	"context"
	"errors"
	"time"
)

// Keep renews the lease beside the work until its context ends. An error of renew
// leaves the lease as old as it was, whatever it is: [ErrLost] ends the work at
// once, any other is handed to failed and renew is called again soon, until the
// lease is too old. The context of renew ends with the lease, so that one that
// hangs keeps nothing.
func (h *Held) Keep(renew func(context.Context) error, failed func(error)) {
	h.keeper.Go(func() {
		timer := time.NewTimer(h.terms.Every)
		defer timer.Stop()
		for {
			select {
			case <-h.ctx.Done():
				return
			case <-timer.C:
			}
			timer.Reset(h.renew(renew, failed))
		}
	})
}

// renew renews once and returns the time until the next renewal.
func (h *Held) renew(renew func(context.Context) error, failed func(error)) time.Duration {
	asked := time.Now()
	err := renew(h.ctx)
	switch {
	case err == nil:
		h.Renewed(asked)
		return h.terms.Every
	case errors.Is(err, ErrLost):
		h.Lose(err)
	case h.ctx.Err() == nil: // or else nobody needs it any more
		failed(err)
	}
	return h.terms.Every / 4
}
