package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
)

// endpoint is a token endpoint that takes each code and each token once and
// answers a refresh with the next token.
type endpoint struct {
	mu   sync.Mutex
	seen map[string]int
	n    int
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	shown := r.PostFormValue("code") + r.PostFormValue("refresh_token")
	if e.seen[shown]++; shown == "" || e.seen[shown] > 1 {
		http.Error(w, "shown before: "+shown, http.StatusBadRequest)
		return
	}
	e.n++
	fmt.Fprintf(w, `{"access_token":"sfa_","refresh_token":"next-%d","scope":""}`, e.n)
}

// registered is an app in a small database.
func registered(t *testing.T) *corpus.App {
	t.Helper()
	s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c, err := corpus.Fill(t.Context(), s, corpus.Size{Orders: 300, Stores: 2, Share: 60, Products: 10}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := corpus.Register(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Nothing is shown twice, in one turn or in two, or the server would end the
// grant and the figure.
func TestTokensAreShownOnce(t *testing.T) {
	a, e := registered(t), &endpoint{seen: map[string]int{}}
	s := httptest.NewServer(e)
	defer s.Close()
	at := &child{addr: s.Listener.Addr().String()}
	for _, f := range tokenFigures(a, at, at) {
		for _, side := range f.sides {
			for range 2 {
				// The endpoint has no database to wait for: it takes far more than perSecond.
				if err := side.fill(t.Context(), time.Second); err != nil {
					t.Fatal(err)
				}
				l := load{addr: at.addr, conns: f.conns, duration: 100 * time.Millisecond,
					status: 200, next: side.next, took: side.took}
				if out, err := l.run(t.Context()); err != nil || out.requests < 1 {
					t.Fatalf("%s, %s: %v", f.name, side.name, err)
				}
			}
		}
	}
}

func TestStock(t *testing.T) {
	s := &stock{app: registered(t)}
	if err := s.fill(t.Context(), 10*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	full := len(s.codes)
	if want := perSecond/100 + tokenConns; full != want {
		t.Errorf("a turn of 10 ms: got %d codes, want %d", full, want)
	}
	last := s.codes[full-1]
	for range full - 1 {
		s.next(nil, 0, 0)
	}
	if err := s.fill(t.Context(), 10*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if len(s.codes) != full || s.codes[0] != last {
		t.Errorf("filled again: got %d codes, want %d with the one that was left", len(s.codes), full)
	}
	s.codes = nil
	l := load{addr: serve(t), conns: 1, duration: time.Second, status: 200, next: s.next}
	if _, err := l.run(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing is left") {
		t.Errorf("an empty stock: got %v, want an error", err)
	}
}

// serve starts a server that is never asked and returns its address.
func serve(t *testing.T) string {
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func TestAlike(t *testing.T) {
	a := registered(t)
	start := func(answer string) *child {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, answer)
		}))
		t.Cleanup(s.Close)
		return &child{addr: s.Listener.Addr().String()}
	}
	secret := func(c string) string { return "sfr_" + strings.Repeat(c, 38) }
	one := start(`{"refresh_token":"` + secret("a") + `","scope":"orders.read"}`)
	two := start(`{"refresh_token":"` + secret("b") + `","scope":"orders.read"}`)
	other := start(`{"refresh_token":"` + secret("c") + `","scope":""}`)
	if err := alike(t.Context(), tokenFigures(a, one, two)); err != nil {
		t.Errorf("other secrets: %v", err)
	}
	if err := alike(t.Context(), tokenFigures(a, one, other)); err == nil {
		t.Error("another scope went unnoticed")
	}
}
