package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSoakGoesOn counts requests that fail and answers that say so, and goes on behind
// a connection that is closed.
func TestSoakGoesOn(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := asked.Add(1); {
		case n%10 == 1:
			panic(http.ErrAbortHandler)
		case n%10 == 2:
			w.WriteHeader(http.StatusInternalServerError)
		case n%10 == 3:
			w.Write([]byte(`{"errors":[]}`))
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusCreated)
		}
	}))
	defer server.Close()
	read := func(b []byte, _, _ int) []byte { return append(b, get("/", "key")...) }
	write := func(b []byte, _, _ int) []byte { return post(b, "/", "key", "", nil) }
	s := &soak{addr: server.Listener.Addr().String(), mix: []step{{read, http.StatusOK}, {write, http.StatusCreated}}}
	s.run(t.Context(), func(turns chan<- turn) {
		for n := range 200 {
			turns <- turn{n, time.Now()}
		}
	})
	x := s.take()
	if x.requests != 200 || len(x.latency) != 200 || asked.Load() != 200 {
		t.Errorf("%d requests, %d latencies, %d asked; want 200", x.requests, len(x.latency), asked.Load())
	}
	// Every tenth is refused, every tenth closed; what says errors does so where a read
	// was asked and is of another status where a write was.
	if s.errors != 60 || s.first == "" || s.made == 0 || s.made > 100 {
		t.Errorf("%d errors, the first %q, %d made; want 60", s.errors, s.first, s.made)
	}
	if again := s.take(); again.requests != 0 {
		t.Errorf("%d requests were taken twice", again.requests)
	}
}

func TestSoakIsJudged(t *testing.T) {
	good := soakResult{requests: 100, made: 10, exports: 1, deliveries: tally{distinct: 10, duplicates: 1}, growth: 1.1}
	if err := good.judge(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*soakResult){
		"1 requests failed, the first: x": func(f *soakResult) { f.errors, f.first = 1, "x" },
		"9 deliveries came":               func(f *soakResult) { f.deliveries.distinct = 9 },
		"1 of them out of order":          func(f *soakResult) { f.deliveries.disorder = 1 },
		"nothing was exported":            func(f *soakResult) { f.exports = 0 },
		"grew to 1.16":                    func(f *soakResult) { f.growth = 1.16 },
	} {
		f := good
		change(&f)
		if err := f.judge(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	var samples []soakSample
	for i := range 8 {
		samples = append(samples, soakSample{memory: int64(100 + 10*i)}) // 120 and 130, 160 and 170
	}
	if got := growth(samples); got < 1.319 || got > 1.321 {
		t.Errorf("growth %v", got)
	}
}
