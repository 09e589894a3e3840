package attempt_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
)

// An answer that arrives before the receiver has read the body counts at once.
func TestEarlyAnswer(t *testing.T) {
	const refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig"
	for name, stay := range map[string]bool{"connection stays open": true, "connection ends": false} {
		t.Run(name, func(t *testing.T) {
			over := make(chan struct{})
			defer close(over)
			address := accept(t, func(c net.Conn) {
				c.(*net.TCPConn).SetReadBuffer(4 << 10) // the sender's socket buffers 4 MiB at most
				r := bufio.NewReader(c)
				if _, err := http.ReadRequest(r); err != nil {
					t.Error(err)
				}
				io.WriteString(c, refusal)
				if stay {
					<-over
					return
				}
				c.(*net.TCPConn).CloseWrite()
				io.Copy(io.Discard, r)
			})
			c := client(t)
			got := c.Do(t.Context(), request(t, address, strings.Repeat("x", 6<<20)))
			if got.Outcome != attempt.ClientError || string(got.Response) != "big" || got.Duration >= 5*time.Second {
				t.Errorf("%s after %v with %q", got.Outcome, got.Duration, got.Response)
			}
		})
	}
}

// A connection whose request was not read to its end does not serve another attempt.
func TestEarlyAnswerNotReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answered := make(chan struct{})
		c := dialed(t, func(c net.Conn) {
			if _, err := http.ReadRequest(bufio.NewReaderSize(c, 64<<10)); err != nil {
				t.Error(err)
			}
			io.WriteString(c, good)
			<-answered
			if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil {
				t.Error("the connection is still written to")
			}
		})
		for range 2 {
			got := c.Do(t.Context(), request(t, "http://shop.example", strings.Repeat("x", 1<<20)))
			if got.Outcome != attempt.Delivered || got.Reused || got.Duration != 0 {
				t.Errorf("%+v", got)
			}
			answered <- struct{}{}
			synctest.Wait()
		}
	})
}

// A large body arrives complete, over a new connection and over a kept one.
func TestLargeBody(t *testing.T) {
	body := strings.Repeat("0123456789", 300_000)
	address := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if got, err := io.ReadAll(r.Body); err != nil || string(got) != body {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
	c := client(t)
	for i := range 3 {
		if got := c.Do(t.Context(), request(t, address, body)); got.Outcome != attempt.Delivered {
			t.Errorf("attempt %d: %+v", i, got)
		}
	}
}
