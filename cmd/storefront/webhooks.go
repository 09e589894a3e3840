package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
)

type webhooksCmd struct {
	Listen  webhooksListenCmd  `cmd:"" help:"Receive deliveries on this machine, verify and print them."`
	Test    webhooksTestCmd    `cmd:"" help:"Test a receiver: send what it must accept and what it must refuse."`
	Requeue webhooksRequeueCmd `cmd:"" help:"Retry the events that could not be relayed."`
}

type webhooksListenCmd struct {
	Addr      string        `default:"127.0.0.1:4242" help:"Where to listen; port 0 picks one."`
	Secret    []string      `env:"STOREFRONT_WEBHOOK_SECRET" placeholder:"WHSEC" help:"The endpoint's secret, whsec_...; give both during a rotation."`
	Body      bool          `help:"Also print bodies."`
	FailWith  int           `placeholder:"STATUS" help:"Answer with this status, to watch retries."`
	FailFirst int           `placeholder:"N" help:"Fail only the first N attempts of each delivery."`
	Delay     time.Duration `placeholder:"TIME" help:"Wait before each response, such as 6s; the sender waits 5 s."`
	JSON      bool          `name:"json" help:"Print one line of JSON for each delivery."`
	registration
}

func (c *webhooksListenCmd) Run(s *session) error {
	if err := c.check(); err != nil {
		return &usageError{err}
	}
	listener, err := (&net.ListenConfig{}).Listen(s.ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	at := "http://" + listener.Addr().String()
	secrets := c.Secret
	var made *endpoint
	if len(c.Events) > 0 {
		if made, err = c.register(s.ctx, at); err != nil {
			return errors.Join(err, listener.Close())
		}
		secrets = append(secrets, made.Secret)
	}
	tap := &tap{options: c, secrets: secrets, out: s.out}
	err = tap.announce(at, made)
	if err == nil {
		err = serveUntil(s.ctx, listener, tap)
	}
	if made != nil {
		err = errors.Join(err, c.remove(s.ctx, made.ID))
	}
	return errors.Join(err, tap.failed())
}

// check returns argument errors that the parser cannot detect.
func (c *webhooksListenCmd) check() error {
	switch {
	case slices.Contains(c.Secret, ""):
		return errors.New("--secret: the secret is empty")
	case c.FailWith != 0 && (c.FailWith < 300 || c.FailWith > 599):
		return errors.New("--fail-with: want a status from 300 to 599")
	case c.FailFirst < 0 || c.FailFirst > 0 && c.FailWith == 0:
		return errors.New("--fail-first: want a number above 0, and --fail-with")
	case c.Delay < 0:
		return errors.New("--delay: want a time above 0")
	}
	return c.registration.check()
}

// serveUntil serves until ctx ends and lets running requests finish briefly.
func serveUntil(ctx context.Context, listener net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }, // ends --delay
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return fmt.Errorf("drain: %w", err)
	}
	return nil
}

// answer returns the status for a delivery. problem is why it was not verified.
func (c *webhooksListenCmd) answer(problem error, attempt int) int {
	switch {
	case errors.Is(problem, hook.ErrBody):
		return http.StatusBadRequest
	case errors.Is(problem, hook.ErrTooLarge):
		return http.StatusRequestEntityTooLarge
	case problem != nil:
		return http.StatusUnauthorized
	case c.FailWith != 0 && (c.FailFirst == 0 || attempt <= c.FailFirst):
		return c.FailWith
	}
	return http.StatusNoContent
}
