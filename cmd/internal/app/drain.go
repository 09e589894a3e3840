package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// stack holds what has to be undone, latest first.
type stack []undo

type undo struct {
	what string
	f    func(context.Context) error
}

func (s *stack) push(what string, f func(context.Context) error) { *s = append(*s, undo{what, f}) }

// run undoes everything once, whatever fails on the way.
func (s *stack) run(ctx context.Context) error {
	var errs []error
	for _, u := range slices.Backward(*s) {
		if err := u.f(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", u.what, err))
		}
	}
	*s = nil
	return errors.Join(errs...)
}

// Run serves until ctx ends or a server fails, then drains. It calls announce when it has started.
func Run(ctx context.Context, c Config, r Runtime, announce func(*Server) error) error {
	s, err := Start(ctx, c, r)
	if err != nil {
		return err
	}
	return s.run(ctx, announce)
}

// run waits until ctx ends or a server fails, then drains.
func (s *Server) run(ctx context.Context, announce func(*Server) error) error {
	err := announce(s)
	if err == nil {
		select {
		case <-ctx.Done():
		case err = <-s.failed:
		}
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), DrainTimeout)
	defer cancel()
	return errors.Join(err, s.Shutdown(bounded))
}

// Shutdown stops the server in the reverse order of its start: it refuses new requests, lets
// running ones finish until ctx ends, then stops the loops and closes the database. /readyz shows
// it from the start of the shutdown.
//
// When the time runs out, the rest is cut off. That is safe: a transaction commits completely or
// not at all.
func (s *Server) Shutdown(ctx context.Context) error {
	s.log.InfoContext(ctx, "draining")
	s.admin.phase.Store(draining)
	err := s.closer.run(ctx)
	s.log.InfoContext(ctx, "stopped", "error", err)
	return err
}
