package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestConnReads(t *testing.T) {
	long := strings.Repeat("chunked ", 5000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/length":
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, "short")
		case "/chunks":
			fmt.Fprint(w, long)
		}
	}))
	defer s.Close()
	c, err := dial(t.Context(), s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, tc := range []struct {
		target, want string
		status       int
	}{{"/length", "short", 201}, {"/chunks", long, 200}, {"/empty", "", 200}, {"/length", "short", 201}} {
		status, body, err := c.do(get(tc.target, "key"))
		if err != nil || status != tc.status || string(body) != tc.want {
			t.Errorf("%s: got %d and %d bytes, %v, want %d and %d bytes", tc.target, status,
				len(body), err, tc.status, len(tc.want))
		}
	}
}

func TestLoad(t *testing.T) {
	var served atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer key" {
			t.Errorf("got %q for the credential", r.Header.Get("Authorization"))
		}
		served.Add(1)
		fmt.Fprint(w, "{}")
	}))
	defer s.Close()
	l := load{addr: s.Listener.Addr().String(), conns: 3, duration: 50 * time.Millisecond, status: 200,
		next: series{get("/a", "key"), get("/b", "key")}.next}
	out, err := l.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(out.latency); int64(n) != served.Load() || n < 3 {
		t.Errorf("counted %d requests, served %d", n, served.Load())
	}
	if percentile(out.latency, 0.5) > percentile(out.latency, 0.99) || out.rate() <= 0 {
		t.Errorf("p50 %v, p99 %v, rate %v", percentile(out.latency, 0.5), percentile(out.latency, 0.99), out.rate())
	}
	l.status = 201
	if _, err := l.run(t.Context()); err == nil || !strings.Contains(err.Error(), "answered 200") {
		t.Errorf("another status: got %v, want an error that names it", err)
	}
}
