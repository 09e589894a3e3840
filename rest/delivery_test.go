package rest

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// line is a listener without a network: connections use the fake clock of the bubble and buffer
// nothing.
type line struct {
	calls chan net.Conn
	ended chan struct{}
}

// Accept implements net.Listener.
func (l *line) Accept() (net.Conn, error) {
	select {
	case c := <-l.calls:
		return c, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *line) Close() error { close(l.ended); return nil }

// Addr implements net.Listener.
func (l *line) Addr() net.Addr { return &net.IPAddr{} }

// dial connects to a server with our limits, sends a request for the address, and returns the
// connection.
func dial(t *testing.T, h http.Handler, address, headers string) net.Conn {
	t.Helper()
	l := &line{make(chan net.Conn), make(chan struct{})}
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 60 * time.Second,
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close() })
	l.calls <- there
	if _, err := fmt.Fprintf(here, "GET %s HTTP/1.1\r\nHost: api.test\r\n%s\r\n", address, headers); err != nil {
		t.Fatal(err)
	}
	return here
}

// A client that reads 16 KiB in 50 s gets the whole file, in an hour.
func TestDownloadOfASlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter(t, 72*deliveryChunk)
		began := time.Now()
		conn := dial(t, c.handler, c.address(time.Minute), "")
		res, err := http.ReadResponse(bufio.NewReaderSize(conn, deliveryChunk), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		for err == nil {
			time.Sleep(50 * time.Second)
			_, err = io.CopyN(&got, res.Body, deliveryChunk)
		}
		if !errors.Is(err, io.EOF) || !bytes.Equal(got.Bytes(), c.body) {
			t.Errorf("%d bytes of %d after %v: %v", got.Len(), len(c.body), time.Since(began), err)
		}
		if took := time.Since(began); took < time.Hour {
			t.Errorf("it took %v: the test is not slow enough", took)
		}
	})
}

// A client that reads nothing for 60 s is disconnected, and the file is closed.
func TestDownloadOfAStalledClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter(t, 10*deliveryChunk)
		conn := dial(t, c.handler, c.address(time.Minute), "")
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(45 * time.Second)
		if _, err := io.CopyN(io.Discard, res.Body, 2*deliveryChunk); err != nil {
			t.Fatalf("after 45 s: %v", err)
		}
		closed := func() bool { synctest.Wait(); c.last.busy.Lock(); defer c.last.busy.Unlock(); return c.last.closed }
		time.Sleep(59 * time.Second)
		if closed() {
			t.Error("dropped before its time")
		}
		time.Sleep(2 * time.Second)
		if !closed() {
			t.Error("not dropped")
		}
		if n, err := io.Copy(io.Discard, res.Body); err == nil {
			t.Errorf("%d bytes more, and then the end of the file", n)
		}
	})
}

// For several ranges net/http reads in a goroutine that outlives a client that disconnects; the
// test file notices if it is closed during a read.
func TestDownloadOfAClientThatLeaves(t *testing.T) {
	for _, headers := range []string{"", "Range: bytes=0-99999,200000-\r\n"} {
		for after := range 20 {
			synctest.Test(t, func(t *testing.T) {
				c := newCounter(t, 50*deliveryChunk)
				conn := dial(t, c.handler, c.address(time.Minute), headers)
				if _, err := io.CopyN(io.Discard, conn, int64(1+after*7001)); err != nil {
					t.Fatal(err)
				}
				conn.Close()
				synctest.Wait()
				c.last.busy.Lock()
				defer c.last.busy.Unlock()
				if !c.last.closed {
					t.Error("the file is open")
				}
				if log := c.logged(); strings.Contains(log, "broke off") ||
					strings.Count(log, `"msg":"request"`) != 1 ||
					!strings.Contains(log, `"aborted":true`) {
					t.Errorf("logged %s", log)
				}
			})
		}
	}
}

// A read that hangs ends when the client disconnects.
func TestDownloadThatHangs(t *testing.T) {
	for _, headers := range []string{"", "Range: bytes=0-99,200-\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			c := newCounter(t, deliveryChunk)
			c.edit = func(m *memory) { m.failAt, m.hang = 0, true }
			conn := dial(t, c.handler, c.address(time.Minute), headers)
			synctest.Wait() // the read hangs
			conn.Close()
			synctest.Wait()
			c.last.busy.Lock()
			defer c.last.busy.Unlock()
			if !c.last.closed {
				t.Error("the file is open")
			}
		})
	}
}

// buffered is a connection that records its write buffer size.
type buffered struct {
	net.Conn
	size int
}

// SetWriteBuffer is that of TCP connections.
func (b *buffered) SetWriteBuffer(size int) error { b.size = size; return nil }

// The kernel's buffers would hide for minutes that a slow client reads anything.
func TestDownloadNarrowsItsConnection(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	for name, wrap := range map[string]func(net.Conn) net.Conn{
		"plain": func(c net.Conn) net.Conn { return c },
		"TLS":   func(c net.Conn) net.Conn { return tls.Server(c, &tls.Config{}) },
	} {
		c, conn := newCounter(t, 10), &buffered{Conn: there}
		for _, address := range []string{c.address(time.Minute) + "x", c.address(time.Minute)} {
			if conn.size != 0 {
				t.Errorf("%s: a refusal set the buffer", name)
			}
			r := httptest.NewRequest(http.MethodGet, address, nil)
			c.handler.ServeHTTP(httptest.NewRecorder(), r.WithContext(WithConn(r.Context(), wrap(conn))))
		}
		if conn.size != sendBuffer {
			t.Errorf("%s: the buffer is %d bytes, want %d", name, conn.size, sendBuffer)
		}
	}
}

// broken is a writer that fails while its request goes on.
type broken struct {
	*httptest.ResponseRecorder
	wait func()
}

// Write implements http.ResponseWriter.
func (b broken) Write([]byte) (int, error) {
	b.wait()
	return 0, errors.New("the stream was reset")
}

// The file is read ahead while an answer is written. If the write fails, the handler does not wait
// for a read that hangs.
func TestDownloadDoesNotWaitForARead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter(t, 100*deliveryChunk)
		c.edit = func(m *memory) { m.failAt, m.hang = 0, true }
		r := httptest.NewRequest(http.MethodGet, c.address(time.Minute), nil)
		r.Header.Set("Range", "bytes=0-999999,1000001-")
		c.handler.ServeHTTP(broken{httptest.NewRecorder(), func() { time.Sleep(time.Second) }}, r)
		if !c.last.closed {
			t.Error("the file is open")
		}
	})
}
