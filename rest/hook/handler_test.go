package hook_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
)

const secret = "whsec_DG9kWUOGvb/E3uvdhwpwfO/xyvbsO/+5Jsg87K+fMVw="

// delivery makes a signed request.
func delivery(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/hooks", strings.NewReader(body))
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set(hook.HeaderTimestamp, timestamp)
	r.Header.Set(hook.HeaderSignature, hook.Signature(secret, timestamp, []byte(body)))
	r.Header.Set(hook.HeaderDeliveryID, "dlv_1")
	return r
}

func handler(t *testing.T, seen hook.Seen, logs io.Writer, f hook.Func) *hook.Handler {
	t.Helper()
	h, err := hook.NewHandler(hook.Config{
		Verifier: hook.Verifier{Secrets: []string{"whsec_AAAA", secret}}, Seen: seen,
		Logger: slog.New(slog.NewTextHandler(logs, nil)),
	}, f)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func send(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestAnswers(t *testing.T) {
	edit := func(r *http.Request, name, value string) *http.Request {
		r.Header.Set(name, value)
		return r
	}
	for _, tc := range []struct {
		name   string
		r      *http.Request
		status int
		called bool
	}{
		{name: "an event", r: delivery(sample), status: 204, called: true},
		{name: "whose function fails", r: delivery(strings.Replace(sample, "evt_1", "evt_fails", 1)), status: 500,
			called: true},
		{name: "another method", r: httptest.NewRequest(http.MethodGet, "/hooks", nil), status: 405},
		{name: "no signature", r: httptest.NewRequest(http.MethodPost, "/hooks", strings.NewReader(sample)),
			status: 401},
		{name: "another signature", r: edit(delivery(sample), hook.HeaderSignature, strings.Repeat("0", 64)),
			status: 401},
		{name: "a timestamp of yesterday", r: edit(delivery(sample), hook.HeaderTimestamp, "1767311999"), status: 401},
		{name: "not an event", r: delivery("{}"), status: 400},
		{name: "too large", r: delivery(strings.Repeat(" ", hook.MaxBody+1)), status: 413},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var logs bytes.Buffer
			called := false
			h := handler(t, nil, &logs, func(ctx context.Context, e hook.Event) error {
				called = true
				if d, ok := ctx.Deadline(); !ok || time.Until(d) > hook.DefaultTimeout || e.DeliveryID != "dlv_1" {
					t.Errorf("deadline %v, delivery %q", d, e.DeliveryID)
				}
				if e.ID == "evt_fails" {
					return errors.New("no room")
				}
				return nil
			})
			w := send(h, tc.r)
			if w.Code != tc.status || called != tc.called || w.Body.Len() != 0 {
				t.Errorf("status %d, called %t, %q; want %d, %t", w.Code, called, w.Body, tc.status, tc.called)
			}
			if (w.Header().Get("Allow") != "") != (tc.status == 405) ||
				(w.Header().Get("WWW-Authenticate") != "") != (tc.status == 401) {
				t.Errorf("headers %v", w.Header())
			}
			line := logs.String()
			if (line == "") != (tc.status == 204) || strings.Contains(line, secret) ||
				strings.Contains(line, "api_version") {
				t.Errorf("logs %q", line)
			}
		})
	}
}

// Requests with wrong headers are refused without reading their bodies.
func TestHeadersComeBeforeTheBody(t *testing.T) {
	h := handler(t, nil, t.Output(), func(context.Context, hook.Event) error { return nil })
	for _, name := range []string{hook.HeaderTimestamp, hook.HeaderSignature} {
		r := delivery(sample)
		r.Header.Del(name)
		r.Body = io.NopCloser(readFunc(func([]byte) (int, error) { t.Error("the body was read"); return 0, io.EOF }))
		if w := send(h, r); w.Code != http.StatusUnauthorized {
			t.Errorf("without %s: %d", name, w.Code)
		}
	}
	r := delivery(sample)
	r.ContentLength = hook.MaxBody + 1
	r.Body = io.NopCloser(readFunc(func([]byte) (int, error) { t.Error("the body was read"); return 0, io.EOF }))
	if w := send(h, r); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a length that is too large: %d", w.Code)
	}
	r = delivery(sample)
	r.Body = io.NopCloser(iotest.ErrReader(errors.New("gone")))
	if w := send(h, r); w.Code != http.StatusBadRequest {
		t.Errorf("a body that breaks off: %d", w.Code)
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// An event counts as handled only after its function succeeded.
func TestDuplicates(t *testing.T) {
	seen, calls := hook.NewMemory(10, time.Hour), 0
	fails := true
	h := handler(t, seen, t.Output(), func(context.Context, hook.Event) error {
		if calls++; fails {
			return errors.New("not yet")
		}
		return nil
	})
	for i, step := range []struct {
		fails         bool
		status, calls int
	}{{true, 500, 1}, {true, 500, 2}, {false, 204, 3}, {true, 204, 3}, {false, 204, 3}} {
		fails = step.fails
		if w := send(h, delivery(sample)); w.Code != step.status ||
			calls != step.calls || has(t, seen, "evt_1") != (i > 1) {
			t.Errorf("delivery %d: status %d after %d calls, want %d, %d", i, w.Code, calls, step.status, step.calls)
		}
	}
}

// Of two concurrent duplicates, one calls the function and the other waits for the outcome.
func TestTwins(t *testing.T) {
	for _, first := range []error{nil, errors.New("failed")} {
		synctest.Test(t, func(t *testing.T) {
			running, calls := 0, 0
			h := handler(t, hook.NewMemory(10, time.Hour), io.Discard, func(context.Context, hook.Event) error {
				if running++; running > 1 {
					t.Error("two at once")
				}
				calls++
				err := first
				if calls > 1 {
					err = nil
				}
				time.Sleep(time.Second)
				running--
				return err
			})
			var group sync.WaitGroup
			count := map[int]int{}
			var mu sync.Mutex
			for range 5 {
				group.Go(func() {
					w := send(h, delivery(sample))
					mu.Lock()
					defer mu.Unlock()
					count[w.Code]++
				})
			}
			group.Wait()
			want := map[bool]map[int]int{true: {204: 5}, false: {500: 1, 204: 4}}[first == nil]
			if wantCalls := len(want); calls != wantCalls || count[204] != want[204] || count[500] != want[500] {
				t.Errorf("first %v: %v after %d calls, want %v after %d", first, count, calls, want, wantCalls)
			}
		})
	}
}

// A function that takes too long is not called again concurrently, and its final outcome counts.
func TestSlowFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen, calls := impatient{hook.NewMemory(10, time.Hour)}, 0
		h := handler(t, seen, io.Discard, func(context.Context, hook.Event) error {
			calls++
			time.Sleep(time.Minute) // it ignores its context
			return nil
		})
		ctx, hangUp := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { send(h, delivery(sample).WithContext(ctx)) })
		synctest.Wait()
		start := time.Now()
		if w := send(h, delivery(sample)); w.Code != http.StatusServiceUnavailable ||
			time.Since(start) != hook.DefaultTimeout {
			t.Errorf("the twin got %d after %v", w.Code, time.Since(start))
		}
		hangUp()
		group.Wait()
		if w := send(h, delivery(sample)); w.Code != http.StatusNoContent || calls != 1 {
			t.Errorf("later: %d after %d calls", w.Code, calls)
		}
	})
}

// impatient is a store that honours its context.
type impatient struct{ hook.Seen }

func (i impatient) Mark(ctx context.Context, eventID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return i.Seen.Mark(ctx, eventID)
}

// A panic releases the event for the next try.
func TestPanic(t *testing.T) {
	calls := 0
	h := handler(t, hook.NewMemory(10, time.Hour), t.Output(), func(context.Context, hook.Event) error {
		if calls++; calls == 1 {
			panic("bug")
		}
		return nil
	})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was hidden")
			}
		}()
		send(h, delivery(sample))
	}()
	if w := send(h, delivery(sample)); w.Code != http.StatusNoContent || calls != 2 {
		t.Errorf("status %d after %d calls", w.Code, calls)
	}
}

// broken is a store that is away.
type broken struct{ has, mark error }

func (b broken) Has(context.Context, string) (bool, error) { return false, b.has }
func (b broken) Mark(ctx context.Context, _ string) error  { return errors.Join(b.mark, ctx.Err()) }

func TestSeenFails(t *testing.T) {
	away := errors.New("away")
	for _, tc := range []struct {
		seen          broken
		status, calls int
	}{{broken{has: away}, 500, 0}, {broken{mark: away}, 204, 1}} {
		calls := 0
		var logs bytes.Buffer
		h := handler(t, tc.seen, &logs, func(context.Context, hook.Event) error { calls++; return nil })
		if w := send(h, delivery(sample)); w.Code != tc.status || calls != tc.calls ||
			!strings.Contains(logs.String(), "away") {
			t.Errorf("%+v: status %d after %d calls; %s", tc.seen, w.Code, calls, &logs)
		}
	}
}

func TestNewHandlerRefuses(t *testing.T) {
	f := func(context.Context, hook.Event) error { return nil }
	for _, v := range []hook.Verifier{{}, {Secrets: []string{""}}, {Secrets: []string{"topsecret"}, Standard: true}} {
		if h, err := hook.NewHandler(hook.Config{Verifier: v}, f); !errors.Is(err, hook.ErrNoSecret) || h != nil ||
			strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%v: %v", v, err)
		}
	}
	if _, err := hook.NewHandler(hook.Config{Verifier: hook.Verifier{Secrets: []string{secret}}}, nil); err == nil {
		t.Error("without a function: no error")
	}
}

// The body reader returns every byte as received, or an error, whatever length the request
// declares.
func FuzzReadBody(f *testing.F) {
	f.Add([]byte(sample), uint32(0), int64(-1), false)
	f.Add([]byte{0, 0xff, '\r', '\n'}, uint32(hook.MaxBody-4), int64(0), true)
	f.Add([]byte("x"), uint32(hook.MaxBody), int64(hook.MaxBody+1), false)
	f.Fuzz(func(t *testing.T, part []byte, pad uint32, declared int64, bytewise bool) {
		want := append(bytes.Repeat([]byte{' '}, int(pad%(hook.MaxBody+10))), part...)
		var body io.Reader = bytes.NewReader(want)
		if bytewise {
			body = iotest.OneByteReader(body)
		}
		r := httptest.NewRequest(http.MethodPost, "/", body)
		r.ContentLength = declared
		got, err := hook.ReadBody(httptest.NewRecorder(), r)
		large := len(want) > hook.MaxBody || declared > hook.MaxBody
		if errors.Is(err, hook.ErrTooLarge) != large || !large && (err != nil || !bytes.Equal(got, want)) {
			t.Errorf("%d bytes, %d declared: got %d, %v", len(want), declared, len(got), err)
		}
	})
}
