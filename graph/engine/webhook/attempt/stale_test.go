package attempt_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

const good = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

// ledger counts how often each attempt was seen, by its event.
type ledger struct {
	mu       sync.Mutex
	seen     map[string]int
	problems []string
}

// take reads one whole request from a connection and records it.
func (l *ledger) take(r *bufio.Reader) error {
	request, err := http.ReadRequest(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	id := request.Header.Get("webhook-id")
	if want := strings.Repeat(id, 50); string(body) != want {
		l.problems = append(l.problems, fmt.Sprintf("%s: %d bytes of body, want %d", id, len(body), len(want)))
	}
	if err := verify(request.Header, body, time.Now(), secretA, secretB); err != nil {
		l.problems = append(l.problems, id+": "+err.Error())
	}
	l.seen[id]++
	return nil
}

// once fails the test unless each attempt was seen exactly once.
func (l *ledger) once(t *testing.T, attempts int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) != attempts || len(l.problems) > 0 {
		t.Errorf("%d attempts were seen, want %d: %v", len(l.seen), attempts, l.problems)
	}
	for id, n := range l.seen {
		if n != 1 {
			t.Errorf("%s was seen %d times", id, n)
		}
	}
}

// accept serves each connection in turn and returns the address.
func accept(t *testing.T, serve func(c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(c)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// nth returns the request of an attempt that a ledger knows.
func nth(r attempt.Request, i int) attempt.Request {
	r.EventID = fmt.Sprintf("evt_%d", i)
	r.Body = []byte(strings.Repeat(r.EventID, 50))
	return r
}

// A receiver that reads whole requests on kept connections and then closes them sees each attempt
// once, and every attempt without an answer has failed.
func TestOnce(t *testing.T) {
	l := &ledger{seen: map[string]int{}}
	address := accept(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		for range 5 {
			if l.take(r) != nil {
				return
			}
			io.WriteString(c, good)
		}
		l.take(r)
	})
	c, r := client(t), request(t, address, "")
	const many = 300
	results := make(chan attempt.Result, many)
	var work sync.WaitGroup
	for worker := range 3 {
		work.Go(func() {
			for i := worker; i < many; i += 3 {
				results <- c.Do(t.Context(), nth(r, i))
			}
		})
	}
	work.Wait()
	close(results)
	outcomes := map[attempt.Outcome]int{}
	for got := range results {
		outcomes[got.Outcome]++
		if got.Outcome == attempt.Reset && !got.Reused {
			t.Errorf("%+v", got)
		}
	}
	if outcomes[attempt.Reset] < many/6-3 || outcomes[attempt.Reset]+outcomes[attempt.Delivered] != many {
		t.Errorf("%v", outcomes)
	}
	l.once(t, many)
}

// A kept connection that the receiver closed meanwhile is replaced, and no attempt fails, over TLS
// too.
func TestClosedWhileIdle(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			idle := make(chan net.Conn, 1)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			server.Config.ConnState = func(c net.Conn, state http.ConnState) {
				if state == http.StateIdle {
					idle <- c
				}
			}
			config := attempt.Config{Egress: egress.Policy{AllowLoopback: true}, RootCAs: x509.NewCertPool()}
			if scheme == "https" {
				server.StartTLS()
				config.RootCAs.AddCert(server.Certificate())
			} else {
				server.Start()
			}
			t.Cleanup(server.Close)
			c := attempt.New(config)
			t.Cleanup(c.Close)
			for i := range 50 {
				got := c.Do(t.Context(), request(t, server.URL, "{}"))
				if got.Outcome != attempt.Delivered || got.Reused != (i%2 == 1) {
					t.Fatalf("attempt %d: %+v", i, got)
				}
				if conn := <-idle; i%2 == 1 {
					conn.Close() // over loopback the end arrives before this returns
				}
			}
		})
	}
}

// A receiver that offers to keep its connections but closes each after one answer is recognized: at
// most its first attempts cross a close.
func TestClosesAlways(t *testing.T) {
	l := &ledger{seen: map[string]int{}}
	address := accept(t, func(c net.Conn) {
		if l.take(bufio.NewReader(c)) == nil {
			io.WriteString(c, good)
		}
	})
	c, r := client(t), request(t, address, "")
	failed := 0
	for i := range 200 {
		if got := c.Do(t.Context(), nth(r, i)); got.Outcome != attempt.Delivered {
			failed++
		}
	}
	if failed > 1 {
		t.Errorf("%d of 200 attempts failed", failed)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) < 199 || len(l.problems) > 0 {
		t.Errorf("%d attempts were seen, %v", len(l.seen), l.problems)
	}
}

// Data that a receiver sends on an idle connection is not the answer to the next attempt.
func TestUnasked(t *testing.T) {
	said := make(chan struct{}, 1)
	address := accept(t, func(c net.Conn) {
		for r := bufio.NewReader(c); ; {
			request, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			io.Copy(io.Discard, request.Body)
			io.WriteString(c, good)
			if request.Header.Get("X-Service-Attempt") == "1" {
				io.WriteString(c, "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n")
				said <- struct{}{}
			}
		}
	})
	c, r := client(t), request(t, address, "{}")
	for i := range 50 {
		r.Number = 1 + i%2
		if got := c.Do(t.Context(), r); got.Outcome != attempt.Delivered || got.Reused {
			if r.Number == 2 || got.Outcome != attempt.Delivered {
				t.Fatalf("attempt %d: %+v", i, got)
			}
		}
		if r.Number == 1 {
			<-said
		}
	}
}

// staled dials pipes: the first answers once and is then served by stale, the others by next.
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

// If a kept connection takes a request and dies, the attempt fails.
func TestStaleTakesRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		take := func(r *bufio.Reader, _ net.Conn) {
			if request, err := http.ReadRequest(r); err == nil {
				io.Copy(io.Discard, request.Body)
				time.Sleep(2 * time.Second)
			}
		}
		c := staled(t, take, func(net.Conn) { t.Error("the attempt went out again") })
		r := request(t, "http://shop.example", `{"whole":true}`)
		c.Do(t.Context(), r)
		synctest.Wait()
		if got := c.Do(t.Context(), r); got.Outcome != attempt.Reset || got.Duration != 2*time.Second || !got.Reused {
			t.Errorf("%+v", got)
		}
		synctest.Wait()
	})
}

// A kept connection that dies before it takes a byte is replaced, and the attempt ends within its
// total time.
func TestStaleTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := func(*bufio.Reader, net.Conn) { time.Sleep(4900 * time.Millisecond) }
		c := staled(t, late, script{{time.Minute, good}}.serve)
		r := request(t, "http://shop.example", "{}")
		c.Do(t.Context(), r)
		synctest.Wait()
		start := time.Now()
		if got := c.Do(t.Context(), r); got.Outcome != attempt.Timeout || time.Since(start) != 8*time.Second ||
			got.Reused {
			t.Errorf("%+v after %v", got, time.Since(start))
		}
		time.Sleep(time.Hour)
	})
}

// An attempt on a new connection that dies fails: nothing is sent twice.
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
