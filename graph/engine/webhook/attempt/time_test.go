package attempt_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
)

// dialed returns a client whose connections are pipes, each served by serve.
func dialed(t *testing.T, serve func(c net.Conn)) *attempt.Client {
	t.Helper()
	c := attempt.New(attempt.Config{Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			serve(far)
		}()
		return near, nil
	}})
	t.Cleanup(c.Close)
	return c
}

// piped is dialed with an HTTP handler.
func piped(t *testing.T, h http.HandlerFunc) *attempt.Client {
	t.Helper()
	return dialed(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		for {
			request, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			h(nil, request)
			io.Copy(io.Discard, request.Body)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
}

// script answers one request of a connection by hand: it writes each text after a pause.
type script []struct {
	pause time.Duration
	text  string
}

func (s script) serve(c net.Conn) {
	r := bufio.NewReader(c)
	request, err := http.ReadRequest(r)
	if err != nil {
		return
	}
	io.Copy(io.Discard, request.Body)
	for _, step := range s {
		<-time.After(step.pause) // of the bubble's clock
		if _, err := io.WriteString(c, step.text); err != nil {
			return
		}
	}
	r.ReadByte() // until the sender closes
}

func drip(every time.Duration, text string) (s script) {
	for i := range text {
		s = append(s, script{{every, text[i : i+1]}}...)
	}
	return s
}

func TestTimes(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
	for _, tc := range []struct {
		name     string
		script   script
		want     attempt.Outcome
		duration time.Duration // to the headers
		total    time.Duration
		response string
	}{
		{name: "at once", script: script{{0, ok + "0123456789"}}, want: attempt.Delivered, response: "0123456789"},
		{name: "within the time", script: script{{4999 * time.Millisecond, ok + "0123456789"}}, want: attempt.Delivered,
			duration: 4999 * time.Millisecond, total: 4999 * time.Millisecond, response: "0123456789"},
		{name: "hangs before the headers", script: script{{time.Minute, ok}}, want: attempt.Timeout,
			duration: 5 * time.Second, total: 5 * time.Second},
		{name: "hangs within the headers", script: script{{0, ok[:20]}, {time.Minute, ok[20:]}}, want: attempt.Timeout,
			duration: 5 * time.Second, total: 5 * time.Second},
		{name: "drips the headers", script: drip(200*time.Millisecond, ok), want: attempt.Timeout,
			duration: 5 * time.Second, total: 5 * time.Second},
		{name: "repeats informational answers",
			script: drip(20*time.Millisecond, strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 20)),
			want:   attempt.Timeout, duration: 5 * time.Second, total: 5 * time.Second},
		{name: "hangs before the body", script: script{{time.Second, ok}, {time.Minute, "0123456789"}},
			want: attempt.Delivered, duration: time.Second, total: 2 * time.Second},
		{name: "hangs within the body", script: script{{0, ok + "012"}}, want: attempt.Delivered, total: time.Second,
			response: "012"},
		{name: "drips the body",
			script: append(script{{4 * time.Second, ok}}, drip(300*time.Millisecond, "0123456789")...),
			want:   attempt.Delivered, duration: 4 * time.Second, total: 5 * time.Second, response: "012"},
		{name: "late headers and a slow body",
			script: script{{4900 * time.Millisecond, ok}, {900 * time.Millisecond, "0123456789"}},
			want:   attempt.Delivered, duration: 4900 * time.Millisecond, total: 5800 * time.Millisecond,
			response: "0123456789"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := dialed(t, tc.script.serve)
				start := time.Now()
				got := c.Do(t.Context(), request(t, "http://shop.example/", "{}"))
				if got.Outcome != tc.want || got.Duration != tc.duration || time.Since(start) != tc.total ||
					string(got.Response) != tc.response {
					t.Errorf("%+v after %v, want %s after %v and %v with %q", got, time.Since(start), tc.want,
						tc.duration, tc.total, tc.response)
				}
				if (got.Detail == "no answer in time") != (tc.want == attempt.Timeout) {
					t.Errorf("detail %q", got.Detail)
				}
				time.Sleep(time.Hour) // the script ends
			})
		})
	}
}

// A receiver that accepts the connection and reads nothing gets as long as one that does not
// answer.
func TestNothingRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dialed(t, func(net.Conn) { time.Sleep(time.Minute) })
		got := c.Do(t.Context(), request(t, "http://shop.example/", strings.Repeat("x", 200<<10)))
		if got.Outcome != attempt.Timeout || got.Duration != 5*time.Second {
			t.Errorf("%+v", got)
		}
		time.Sleep(time.Hour)
	})
}

// Connecting has its own time limit, including TLS, and takes no time from the answer.
func TestConnectTimes(t *testing.T) {
	slow := func(pause time.Duration) func(ctx context.Context, network, addr string) (net.Conn, error) {
		return func(ctx context.Context, _, addr string) (net.Conn, error) {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			near, far := net.Pipe()
			go func() {
				defer far.Close()
				if strings.HasSuffix(addr, ":443") {
					io.Copy(io.Discard, far) // and no hello
					return
				}
				script{{4 * time.Second, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}}.serve(far)
			}()
			return near, nil
		}
	}
	for _, tc := range []struct {
		name, address string
		pause         time.Duration
		want          attempt.Outcome
		duration      time.Duration
		detail        string
	}{
		{name: "slow and in time", address: "http://shop.example", pause: 2900 * time.Millisecond,
			want: attempt.Delivered, duration: 6900 * time.Millisecond},
		{name: "too slow", address: "http://shop.example", pause: 4 * time.Second, want: attempt.ConnectTimeout,
			duration: 3 * time.Second, detail: "connecting took too long"},
		{name: "too slow before TLS", address: "https://shop.example", pause: 4 * time.Second,
			want: attempt.ConnectTimeout, duration: 3 * time.Second, detail: "connecting took too long"},
		{name: "TLS too slow", address: "https://shop.example", pause: 2 * time.Second, want: attempt.ConnectTimeout,
			duration: 3 * time.Second, detail: "the TLS handshake took too long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := attempt.New(attempt.Config{Dial: slow(tc.pause)})
				defer c.Close()
				got := c.Do(t.Context(), request(t, tc.address, "{}"))
				if got.Outcome != tc.want || got.Duration != tc.duration || got.Detail != tc.detail {
					t.Errorf("%+v, want %s after %v: %s", got, tc.want, tc.duration, tc.detail)
				}
			})
		})
	}
}

// The sender's shutdown ends an attempt while it connects, and before it starts.
func TestCancelledWhileConnecting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dialed(t, func(c net.Conn) { io.Copy(io.Discard, c) })
		for _, wait := range []time.Duration{time.Second, 0} {
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			got := c.Do(ctx, request(t, "https://shop.example", "{}"))
			cancel()
			if got.Outcome != attempt.Cancelled || got.Duration != wait || got.Detail != "" {
				t.Errorf("%+v", got)
			}
		}
		time.Sleep(time.Hour)
	})
}

// Kept connections are closed soon after their last use, or a little before the timeout that the
// receiver announces.
func TestIdle(t *testing.T) {
	type step struct {
		pause  time.Duration
		reused bool
	}
	const s = time.Second
	for name, tc := range map[string]struct {
		header string
		steps  []step
	}{
		"no header": {steps: []step{{0, false}, {0, true}, {s * 14 / 10, true}, {s * 15 / 10, false}}},
		"five seconds": {header: "Keep-Alive: timeout=5, max=100\r\n",
			steps: []step{{0, false}, {3999 * time.Millisecond, true}, {4 * s, false}}},
		"an hour": {header: "Keep-Alive: timeout=3600\r\n",
			steps: []step{{0, false}, {29 * s, true}, {30 * s, false}}},
		"one second": {header: "Keep-Alive: max=5, timeout=1\r\n", steps: []step{{0, false}, {0, false}}},
		"malformed":  {header: "Keep-Alive: timeout=x\r\n", steps: []step{{0, false}, {s, true}, {2 * s, false}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := dialed(t, func(c net.Conn) {
					for r := bufio.NewReader(c); ; {
						request, err := http.ReadRequest(r)
						if err != nil {
							return
						}
						io.Copy(io.Discard, request.Body)
						io.WriteString(c, "HTTP/1.1 200 OK\r\n"+tc.header+"Content-Length: 0\r\n\r\n")
					}
				})
				for i, step := range tc.steps {
					time.Sleep(step.pause)
					if got := c.Do(t.Context(), request(t, "http://shop.example", "{}")); got.Outcome !=
						attempt.Delivered || got.Reused != step.reused {
						t.Errorf("attempt %d: %s, reused: %v", i, got.Outcome, got.Reused)
					}
					synctest.Wait()
				}
				time.Sleep(time.Hour) // kept connections are closed
			})
		})
	}
}
