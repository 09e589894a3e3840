package conformance_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
	"github.com/storefront-go/storefront/rest/hook/conformance"
)

const (
	secret = "whsec_DG9kWUOGvb/E3uvdhwpwfO/xyvbsO/+5Jsg87K+fMVw="
	former = "whsec_Zm9ybWVyIHNlY3JldCBvZiB0aGUgZW5kcG9pbnQ="
)

// run returns the names of the failed checks, and the number of all.
func run(t *testing.T, h http.Handler) (failed []string, all int) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	for r := range conformance.Run(t.Context(), conformance.Config{URL: server.URL, Secret: secret, Former: former,
		Timeout: time.Second}) {
		if all++; r.Problem != "" {
			failed = append(failed, r.Name)
		}
	}
	return failed, all
}

func handler(t *testing.T, standard bool, secrets ...string) http.Handler {
	t.Helper()
	h, err := hook.NewHandler(hook.Config{Verifier: hook.Verifier{Secrets: secrets, Standard: standard},
		Seen: hook.NewMemory(1000, time.Hour)}, func(context.Context, hook.Event) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Receivers of this project pass.
func TestRun(t *testing.T) {
	for name, standard := range map[string]bool{"service": false, "Standard Webhooks": true} {
		if failed, all := run(t, handler(t, standard, secret, former)); len(failed) > 0 || all < 60 {
			t.Errorf("%s: of %d checks these failed: %q", name, all, failed)
		}
	}
}

// A receiver that asks to wait gets the delivery again.
func TestWait(t *testing.T) {
	good := handler(t, false, secret, former)
	var mu sync.Mutex
	busy := 0
	failed, _ := run(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		wait := r.Header.Get(hook.HeaderEvent) == "theme.activated" && busy == 0
		if wait {
			busy++
		}
		mu.Unlock()
		if wait {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		good.ServeHTTP(w, r)
	}))
	if len(failed) > 0 || busy != 1 {
		t.Errorf("these failed: %q", failed)
	}
}

// Each fault that receivers have is found.
func TestFaults(t *testing.T) {
	good := handler(t, false, secret, former)
	status := func(code int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(code)
		})
	}
	// verified is a receiver that verifies a delivery after a change.
	verified := func(change func(r *http.Request, body []byte) []byte) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(change(r, body))))
			good.ServeHTTP(w, r)
		})
	}
	when := func(fault func(*http.Request) bool, instead http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if fault(r) {
				instead.ServeHTTP(w, r)
				return
			}
			good.ServeHTTP(w, r)
		})
	}
	for name, tc := range map[string]struct {
		receiver http.Handler
		want     []string // some of the checks that fail
	}{
		"accepts everything": {status(200), []string{"refuses a request without signatures",
			"refuses a wrong signature", "refuses a delivery that was recorded", "refuses a body of 1 MiB"}},
		"refuses everything": {status(401), []string{"accepts order.created", "accepts the former secret",
			"still works"}},
		"redirects":      {status(302), []string{"accepts order.created", "refuses a wrong signature"}},
		"is gone":        {status(410), []string{"accepts order.paid"}},
		"breaks":         {status(500), []string{"accepts order.paid", "refuses a wrong signature"}},
		"has one secret": {handler(t, false, secret), []string{"accepts the former secret"}},
		"trims the body": {verified(func(_ *http.Request, b []byte) []byte { return bytes.TrimSpace(b) }),
			[]string{"accepts white space around and inside the body", "refuses a body with another space"}},
		"ignores the time": {verified(func(r *http.Request, b []byte) []byte {
			at, now := r.Header.Get(hook.HeaderTimestamp), strconv.FormatInt(time.Now().Unix(), 10)
			for _, s := range []string{secret, former} {
				if at != "" && r.Header.Get(hook.HeaderSignature) == hook.Signature(s, at, b) {
					r.Header.Set(hook.HeaderTimestamp, now)
					r.Header.Set(hook.HeaderSignature, hook.Signature(s, now, b))
				}
			}
			return b
		}), []string{"refuses a delivery of the future", "refuses a delivery that was recorded",
			"refuses a timestamp that is not a number", "refuses a timestamp with a fraction"}},
		"knows its types": {when(func(r *http.Request) bool {
			return r.Header.Get(hook.HeaderEvent) == "order.invented"
		}, status(400)), []string{"accepts a type that is not documented yet"}},
		"hangs": {when(func(r *http.Request) bool { return r.Header.Get(hook.HeaderEvent) == "ping" },
			http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // the server notices the end of the connection only then
				<-r.Context().Done()
			})), []string{"accepts a ping"}},
		"reads little": {when(func(r *http.Request) bool {
			return r.ContentLength > 100<<10 && r.ContentLength < 300<<10
		}, status(413)), []string{"accepts the largest body"}},
	} {
		failed, _ := run(t, tc.receiver)
		for _, want := range tc.want {
			if !slices.Contains(failed, want) {
				t.Errorf("a receiver that %s passes %q; these failed: %q", name, want, failed)
			}
		}
		if strings.HasPrefix(name, "knows") && len(failed) != 1 {
			t.Errorf("a receiver that %s fails %q", name, failed)
		}
	}
}

// Without a former secret the checks about rotation are skipped.
func TestSkipped(t *testing.T) {
	server := httptest.NewServer(handler(t, false, secret))
	defer server.Close()
	skipped := 0
	for r := range conformance.Run(t.Context(), conformance.Config{URL: server.URL, Secret: secret}) {
		if r.Problem != "" {
			t.Errorf("%s: %s", r.Name, r.Problem)
		}
		if r.Skipped != "" {
			skipped++
		}
	}
	if skipped != 3 {
		t.Errorf("%d checks were skipped", skipped)
	}
}
