package lease

import (
	"context"
	"errors"
	"time"
)

// Keep renews the lease in the background until its context ends. If renew returns [ErrLost], the
// work ends at once. Any other error is passed to failed, and renew is called again soon, until the
// lease is too old. The context of renew ends with the lease, so that a renewal that hangs blocks
// nothing.
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

func (h *Held) renew(renew func(context.Context) error, failed func(error)) time.Duration {
	asked := time.Now()
	err := renew(h.ctx)
	switch {
	case err == nil:
		h.Renewed(asked)
		return h.terms.Every
	case errors.Is(err, ErrLost):
		h.Lose(err)
	case h.ctx.Err() == nil: // otherwise the lease is over
		failed(err)
	}
	return h.terms.Every / 4
}
