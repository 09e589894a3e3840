package attempt_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/graph/attempt"
)

const good = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

// A receiver that offers to keep its connections and closes each after one
// answer: attempts on a closed one go out again, whole and well signed.
func TestStaleConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var mu sync.Mutex
	var problems []string
	seen := map[string]int{}
	serve := func(c net.Conn) error {
		defer c.Close()
		r := bufio.NewReader(c)
		request, err := http.ReadRequest(r)
		if err != nil {
			return nil // closed without a request
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return err
		}
		id := request.Header.Get("webhook-id")
		if want := strings.Repeat(id, 50); string(body) != want {
			return fmt.Errorf("%s: %d bytes of body, want %d", id, len(body), len(want))
		}
		if err := verify(request.Header, body, time.Now(), secretA, secretB); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		if _, sent := request.Header["Idempotency-Key"]; sent {
			return fmt.Errorf("%s: the key that is not sent was sent", id)
		}
		mu.Lock()
		seen[id]++
		mu.Unlock()
		io.WriteString(c, good)
		return nil
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				if err := serve(c); err != nil {
					mu.Lock()
					problems = append(problems, err.Error())
					mu.Unlock()
				}
			}()
		}
	}()
	c, r := client(t), request(t, "http://"+l.Addr().String(), "")
	for i := range 200 {
		r.EventID = fmt.Sprintf("evt_%d", i)
		r.Body = []byte(strings.Repeat(r.EventID, 50))
		if got := c.Do(t.Context(), r); got.Outcome != attempt.Delivered {
			t.Fatalf("attempt %d: %+v", i, got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(problems) > 0 || len(seen) != 200 {
		t.Errorf("%d events arrived, %v", len(seen), problems)
	}
}

// staled dials pipes: the first answers once and is then served by stale, the
// others by next.
func staled(t *testing.T, stale func(r *bufio.Reader, c net.Conn), next func(net.Conn)) *attempt.Client {
	t.Helper()
	var dials atomic.Int32
	return dialed(t, func(c net.Conn) {
		if dials.Add(1) > 1 {
			next(c)
			return
		}
		r := bufio.NewReader(c)
		if request, err := http.ReadRequest(r); err == nil {
			io.Copy(io.Discard, request.Body)
			io.WriteString(c, good)
			stale(r, c)
		}
	})
}

// A kept connection that takes a request and dies makes the same attempt go out
// once more, with its whole body, and its clock starts again.
func TestStaleTakesRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const body = `{"whole":true}`
		take := func(r *bufio.Reader, _ net.Conn) {
			request, err := http.ReadRequest(r)
			if err != nil {
				t.Error(err)
				return
			}
			io.Copy(io.Discard, request.Body)
			time.Sleep(2 * time.Second)
		}
		c := staled(t, take, func(c net.Conn) {
			request, err := http.ReadRequest(bufio.NewReader(c))
			if err != nil {
				t.Error(err)
				return
			}
			if got, _ := io.ReadAll(request.Body); string(got) != body || request.ContentLength != int64(len(body)) {
				t.Errorf("the second time: %q, length %d", got, request.ContentLength)
			}
			time.Sleep(4 * time.Second)
			io.WriteString(c, good)
		})
		r := request(t, "http://shop.example", body)
		c.Do(t.Context(), r)
		synctest.Wait()
		if got := c.Do(t.Context(), r); got.Outcome != attempt.Delivered || got.Duration != 6*time.Second ||
			got.Reused {
			t.Errorf("%+v", got)
		}
		synctest.Wait()
	})
}

// However often connections die, an attempt ends within its whole time.
func TestStaleBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := func(r *bufio.Reader, _ net.Conn) {
			if request, err := http.ReadRequest(r); err == nil {
				io.Copy(io.Discard, request.Body)
				time.Sleep(4900 * time.Millisecond)
			}
		}
		c := staled(t, late, script{{time.Minute, good}}.serve)
		r := request(t, "http://shop.example", "{}")
		c.Do(t.Context(), r)
		synctest.Wait()
		start := time.Now()
		if got := c.Do(t.Context(), r); got.Outcome != attempt.Timeout || time.Since(start) != 8*time.Second ||
			time.Since(start) > attempt.MaxTime {
			t.Errorf("%+v after %v", got, time.Since(start))
		}
		time.Sleep(time.Hour)
	})
}

// A new connection that dies is a failure: nothing is sent twice.
func TestFreshNotRetried(t *testing.T) {
	var requests, dials atomic.Int32
	c := attempt.New(attempt.Config{Dial: func(context.Context, string, string) (net.Conn, error) {
		dials.Add(1)
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			if request, err := http.ReadRequest(bufio.NewReader(far)); err == nil {
				io.Copy(io.Discard, request.Body)
				requests.Add(1)
			}
		}()
		return near, nil
	}})
	defer c.Close()
	if got := c.Do(t.Context(), request(t, "http://shop.example", "{}")); got.Outcome != attempt.Reset ||
		got.Detail == "" {
		t.Errorf("%+v", got)
	}
	if requests.Load() != 1 || dials.Load() != 1 {
		t.Errorf("%d requests over %d connections", requests.Load(), dials.Load())
	}
}
