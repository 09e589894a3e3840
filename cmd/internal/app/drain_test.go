package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
)

func TestStackUndoesInReverse(t *testing.T) {
	var s stack
	var order []string
	broken := errors.New("no luck")
	for _, name := range []string{"a", "b", "c"} {
		s.push(name, func(context.Context) error {
			order = append(order, name)
			if name == "b" {
				return broken
			}
			return nil
		})
	}
	if err := s.run(t.Context()); !errors.Is(err, broken) || !strings.Contains(err.Error(), "b: ") {
		t.Errorf("run = %v, want %v of b", err, broken)
	}
	if !slices.Equal(order, []string{"c", "b", "a"}) {
		t.Errorf("undone in the order %v", order)
	}
	if err := s.run(t.Context()); err != nil || len(order) != 3 {
		t.Errorf("a second run undid again: %v, %v", err, order)
	}
}

// TestShutdownLetsRequestsFinish has one request running when the signal arrives: it gets its
// answer, /readyz reports the shutdown at once, and no new requests are accepted.
func TestShutdownLetsRequestsFinish(t *testing.T) {
	s := &Server{
		log: slog.New(slog.DiscardHandler), failed: make(chan error, 1), admin: &admin{store: storetest.Open(t)},
	}
	s.admin.phase.Store(serving)
	l, err := s.bind(t.Context(), "127.0.0.1:0", "--addr")
	if err != nil {
		t.Fatal(err)
	}
	entered, release := make(chan struct{}), make(chan struct{})
	signal, cancel := context.WithCancel(t.Context())
	s.serve(s.server(signal, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-release
		if r.Context().Err() != nil {
			t.Error("the signal cancelled a running request")
		}
		io.WriteString(w, "done")
	}), writeTimeout), l, "public")

	answered := make(chan string, 1)
	go func() {
		res, err := (&http.Client{Timeout: 10 * time.Second}).Get("http://" + l.Addr().String())
		if err != nil {
			answered <- err.Error()
			return
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		answered <- string(b)
	}()
	<-entered
	cancel()
	stopped := make(chan error, 1)
	stopping := make(chan struct{})
	s.closer.push("observe", func(context.Context) error { close(stopping); return nil })
	go func() { stopped <- s.Shutdown(t.Context()) }()
	<-stopping

	w := httptest.NewRecorder()
	s.admin.readyz(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "draining") {
		t.Errorf("readyz while draining: %d %s", w.Code, w.Body)
	}
	close(release)
	if got := <-answered; got != "done" {
		t.Errorf("the running request got %q", got)
	}
	if err := <-stopped; err != nil {
		t.Errorf("Shutdown = %v", err)
	}
	if _, err := (&http.Client{Timeout: time.Second}).Get("http://" + l.Addr().String()); err == nil {
		t.Error("a stopped server answered")
	}
}

func TestShutdownIsBounded(t *testing.T) {
	s := &Server{log: slog.New(slog.DiscardHandler), failed: make(chan error, 1), admin: &admin{}}
	l, err := s.bind(t.Context(), "127.0.0.1:0", "--addr")
	if err != nil {
		t.Fatal(err)
	}
	entered := make(chan struct{})
	s.serve(s.server(t.Context(), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done() // a request that never ends
	}), writeTimeout), l, "public")
	go func() {
		if res, err := (&http.Client{Timeout: 10 * time.Second}).Get("http://" + l.Addr().String()); err == nil {
			res.Body.Close()
		}
	}()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the time is up
	if err := s.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown = %v, want it to report that the time ran out", err)
	}
}

func TestReadyz(t *testing.T) {
	a := &admin{store: storetest.Open(t)}
	probe := func(phase int32) (int, string) {
		a.phase.Store(phase)
		w := httptest.NewRecorder()
		a.readyz(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		return w.Code, w.Body.String()
	}
	for phase, want := range map[int32]string{starting: "starting", draining: "draining"} {
		if status, body := probe(phase); status != http.StatusServiceUnavailable || !strings.Contains(body, want) {
			t.Errorf("phase %s: %d %s", want, status, body)
		}
	}
	if status, body := probe(serving); status != http.StatusOK {
		t.Errorf("serving: %d %s", status, body)
	}
	closed, cancel := context.WithCancel(t.Context())
	cancel()
	if reason := a.trouble(closed); reason != "the database does not answer" {
		t.Errorf("a database that does not answer in time: %q", reason)
	}
}
