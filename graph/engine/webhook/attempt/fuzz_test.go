package attempt_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
)

// Whatever a receiver answers, the wait is within bounds.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{
		"", "0", "120", "-1", "1e9", "99999999999999999999", "Fri, 31 Dec 1999 23:59:59 GMT",
		"Friday, 31-Dec-99 23:59:59 GMT",
	} {
		f.Add(seed)
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		if d := attempt.RetryAfter(http.Header{"Retry-After": {text}}, now); d < 0 || d > 30*24*time.Hour {
			t.Errorf("Retry-After %q: %v", text, d)
		}
	})
}

// Whatever bytes a receiver answers, the attempt has one of the outcomes and keeps no more than
// allowed, and the next attempt sees nothing of them.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"", good, good + good, "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n" + good,
		"SSH-2.0-Server\r\n",
		"HTTP/1.1 500 Oops\r\nContent-Length: 5\r\nRetry-After: 7\r\n\r\nabcde", "HTTP/1.0 200 OK\r\n\r\nuntil the end",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 204 No Content\r\n\r\nbody",
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
		"HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nConnection: keep-alive\r\nContent-Length: 9\r\n\r\nshort",
	} {
		f.Add([]byte(seed))
	}
	target, err := attempt.NewTarget("http://shop.example", secretA)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		first := true
		var mu sync.Mutex
		c := attempt.New(attempt.Config{Dial: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				defer far.Close()
				for r := bufio.NewReader(far); ; {
					if _, err := http.ReadRequest(r); err != nil {
						return
					}
					mu.Lock()
					text := answer
					if !first {
						text = []byte("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
					}
					again := first
					first = false
					mu.Unlock()
					if far.Write(text); again {
						return
					}
				}
			}()
			return near, nil
		}})
		defer c.Close()
		r := attempt.Request{Target: target, EventID: "evt_1"}
		got := c.Do(t.Context(), r)
		if !slices.Contains(attempt.Outcomes(), got.Outcome) || got.Outcome == attempt.Timeout ||
			len(got.Response) > 4096 || got.RetryAfter < 0 || got.Status == 0 && got.Outcome == attempt.Delivered {
			t.Errorf("%+v", got)
		}
		if next := c.Do(t.Context(), r); next.Status != 201 || string(next.Response) != "ok" {
			t.Errorf("after %+v: %+v", got, next)
		}
	})
}
