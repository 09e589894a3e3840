package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// MaxBody is the largest body that is read, in bytes. Bodies have at most 256 KiB; the rest is room
// for future members.
const MaxBody = 320 << 10

// ErrTooLarge means that a body is larger than [MaxBody].
var ErrTooLarge = errors.New("body is too large")

// DefaultTimeout leaves the sender, which waits 5 s, time to receive the answer.
const DefaultTimeout = 4 * time.Second

// Config is the configuration of a [Handler].
type Config struct {
	// Verifier has at least one secret.
	Verifier Verifier
	// Seen drops events that were handled before. If nil, nothing is dropped, and the function has
	// to tolerate duplicates.
	Seen Seen
	// Timeout bounds one delivery as a whole; default [DefaultTimeout].
	Timeout time.Duration
	// Logger logs deliveries that are refused or fail, without bodies and signatures; default none.
	Logger *slog.Logger
}

// Func handles one event. After an error the sender tries again later. The context ends with the
// delivery's time; long work belongs in a queue.
type Func func(context.Context, Event) error

// Handler receives deliveries. It answers 204 (handled, now or before), 400 (not an event), 401
// (not verified), 405 (not a POST), 413 (too large), 500 (the function failed) or 503 (the same
// event is still being handled). The sender tries again after all but the first.
type Handler struct {
	config Config
	handle Func
	gate   gate
}

// NewHandler returns a handler that calls f for each event. It fails if there is no secret.
func NewHandler(c Config, f Func) (*Handler, error) {
	if err := c.Verifier.ready(); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, errors.New("no function to handle events")
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Handler{config: c, handle: f, gate: gate{running: map[string]chan struct{}{}}}, nil
}

// ServeHTTP receives one delivery.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), h.config.Timeout)
	defer cancel()
	e, status, err := h.receive(w, r)
	if err == nil {
		status, err = h.once(ctx, e)
	}
	if err != nil {
		h.config.Logger.LogAttrs(ctx, slog.LevelWarn, "webhook delivery", slog.Int("status", status),
			slog.Any("error", err), slog.String("event_id", e.ID), slog.String("type", e.Type),
			slog.String("delivery_id", e.DeliveryID))
	}
	switch status {
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", HeaderSignature) // RFC 9110, section 15.5.2
	}
	w.WriteHeader(status)
}

// receive verifies and reads a delivery. Headers are checked before the body is read.
func (h *Handler) receive(w http.ResponseWriter, r *http.Request) (Event, int, error) {
	if r.Method != http.MethodPost {
		return Event{}, http.StatusMethodNotAllowed, errors.New("not a POST")
	}
	claim, err := h.config.Verifier.read(r.Header, time.Now())
	if err != nil {
		return Event{}, http.StatusUnauthorized, err
	}
	body, err := ReadBody(w, r)
	switch {
	case errors.Is(err, ErrTooLarge):
		return Event{}, http.StatusRequestEntityTooLarge, err
	case err != nil:
		return Event{}, http.StatusBadRequest, err
	}
	if err := claim.check(body); err != nil {
		return Event{}, http.StatusUnauthorized, err
	}
	e, err := Parse(r.Header, body)
	if err != nil {
		return e, http.StatusBadRequest, err
	}
	return e, 0, nil
}

// once calls the function unless the event was handled before, and marks the event as handled only
// after success. A concurrent duplicate waits for the outcome.
func (h *Handler) once(ctx context.Context, e Event) (int, error) {
	leave, err := h.gate.enter(ctx, e.ID)
	if err != nil {
		return http.StatusServiceUnavailable, fmt.Errorf("wait for the same event: %w", err)
	}
	defer leave()
	if h.config.Seen != nil {
		switch known, err := h.config.Seen.Has(ctx, e.ID); {
		case err != nil:
			return http.StatusInternalServerError, fmt.Errorf("look the event up: %w", err)
		case known:
			return http.StatusNoContent, nil
		}
	}
	if err := h.handle(ctx, e); err != nil {
		return http.StatusInternalServerError, fmt.Errorf("handle the event: %w", err)
	}
	if h.config.Seen != nil {
		// The event has been handled even if the sender has disconnected; an error here would only
		// make the sender deliver it again.
		if err := h.config.Seen.Mark(context.WithoutCancel(ctx), e.ID); err != nil {
			return http.StatusNoContent, fmt.Errorf("mark the event: %w", err)
		}
	}
	return http.StatusNoContent, nil
}

// ReadBody reads the raw body of a delivery, up to [MaxBody] bytes. The error of a larger one wraps
// [ErrTooLarge].
func ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > MaxBody {
		return nil, ErrTooLarge // without reading a byte
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, ErrTooLarge
	}
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	return body, nil
}

// gate admits one caller per key at a time.
type gate struct {
	mu      sync.Mutex
	running map[string]chan struct{}
}

func (g *gate) enter(ctx context.Context, key string) (leave func(), err error) {
	for {
		free, mine := g.take(key)
		if mine {
			return func() { g.leave(key) }, nil
		}
		select {
		case <-free:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take takes the key, or returns a channel that is closed when the key is released.
func (g *gate) take(key string) (free <-chan struct{}, mine bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, held := g.running[key]; held {
		return c, false
	}
	g.running[key] = make(chan struct{})
	return nil, true
}

func (g *gate) leave(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.running[key])
	delete(g.running, key)
}
