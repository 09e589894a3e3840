package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// stack is what has to be undone, the latest first.
type stack []undo

type undo struct {
	what string
	f    func(context.Context) error
}

func (s *stack) push(what string, f func(context.Context) error) { *s = append(*s, undo{what, f}) }

// run undoes everything, whatever fails on the way, and only once.
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

// Run serves until ctx ends or a server fails, and drains. announce is called
// once requests are answered.
func Run(ctx context.Context, c Config, r Runtime, announce func(*Server) error) error {
	spare(ctx, r.Logger)
	s, err := Start(ctx, c, r)
	if err != nil {
		return err
	}
	return s.run(ctx, announce)
}

// run waits for the end of ctx, or for a server to fail, and drains.
func (s *Server) run(ctx context.Context, announce func(*Server) error) error {
	err := announce(s)
	if err == nil {
		settle(ctx, s.log)
		select {
		case <-ctx.Done():
		case err = <-s.failed:
		}
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), DrainTimeout)
	defer cancel()
	return errors.Join(err, s.Shutdown(bounded))
}

// Shutdown takes the server down in the reverse order of its start: no new
// requests, the running ones finish until ctx ends, then the loops, then the
// database. /readyz shows it from its first moment.
//
// Whatever the time runs out for is cut off, and that is safe: a transaction
// commits whole or not at all.
func (s *Server) Shutdown(ctx context.Context) error {
	s.log.InfoContext(ctx, "draining")
	s.admin.phase.Store(draining)
	err := s.closer.run(ctx)
	s.log.InfoContext(ctx, "stopped", "error", err)
	return err
}
