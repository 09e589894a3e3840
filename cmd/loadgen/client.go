package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// load sends requests over a number of connections for a time; each connection sends its next request
// after the answer to the last one. It speaks HTTP/1.1 itself: net/http's client would use as much
// CPU as the server that is measured.
type load struct {
	addr     string
	conns    int
	duration time.Duration
	status   int // every answer must have it
	// next appends the n-th request of a connection. An empty request is an error.
	next func(b []byte, conn, n int) []byte
}

// outcome is what a load saw.
type outcome struct {
	requests int
	elapsed  time.Duration
	latency  []time.Duration // sorted
}

func (o *outcome) rate() float64 { return float64(o.requests) / o.elapsed.Seconds() }

// percentile returns the duration of a sorted list that the share q of it does not exceed.
func percentile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// run applies the load. The first wrong answer ends it with an error.
func (l load) run(ctx context.Context) (*outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		out outcome
	)
	start := time.Now()
	for i := range l.conns {
		wg.Go(func() {
			latency, err := l.drive(ctx, i, start.Add(l.duration))
			if err != nil {
				cancel(err)
			}
			mu.Lock()
			defer mu.Unlock()
			out.requests += len(latency)
			out.latency = append(out.latency, latency...)
		})
	}
	wg.Wait()
	out.elapsed = time.Since(start)
	slices.Sort(out.latency)
	return &out, context.Cause(ctx)
}

// drive is one connection's part.
func (l load) drive(ctx context.Context, i int, end time.Time) ([]time.Duration, error) {
	c, err := dial(ctx, l.addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var (
		latency []time.Duration
		request []byte
	)
	for n := 0; ctx.Err() == nil; n++ {
		request = l.next(request[:0], i, n)
		if len(request) == 0 {
			return latency, errors.New("nothing is left to send")
		}
		begin := time.Now()
		if begin.After(end) {
			break
		}
		status, body, err := c.do(request)
		if err != nil {
			return latency, err
		}
		if status != l.status {
			return latency, fmt.Errorf("%s answered %d: %.300s", line(request), status, body)
		}
		latency = append(latency, time.Since(begin))
	}
	return latency, nil
}

// line is the request line, for messages.
func line(request []byte) string {
	first, _, _ := bytes.Cut(request, []byte("\r\n"))
	return string(first)
}

// conn is an HTTP/1.1 connection.
type conn struct {
	net.Conn
	in   *bufio.Reader
	body []byte
}

// patience is how long one answer may take.
const patience = 30 * time.Second

func dial(ctx context.Context, addr string) (*conn, error) {
	d := net.Dialer{Timeout: 5 * time.Second}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return newConn(c), nil
}

func newConn(c net.Conn) *conn { return &conn{Conn: c, in: bufio.NewReaderSize(c, 64<<10)} }

// do sends a request and reads the answer; body is valid until the next call.
func (c *conn) do(request []byte) (status int, body []byte, err error) {
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, nil, err
	}
	if _, err := c.Write(request); err != nil {
		return 0, nil, err
	}
	return c.read()
}

func (c *conn) read() (status int, body []byte, err error) {
	first, body, err := c.message()
	if err != nil {
		return 0, nil, err
	}
	if len(first) >= 12 {
		status, _ = strconv.Atoi(first[9:12])
	}
	if status == 0 {
		return 0, nil, fmt.Errorf("not an HTTP answer: %q", first)
	}
	return status, body, nil
}

// message reads a request or an answer: its first line and its body, which is empty without a length.
func (c *conn) message() (first string, body []byte, err error) {
	length, chunked := 0, false
	for {
		b, err := c.in.ReadSlice('\n')
		if err != nil {
			return "", nil, err
		}
		line := bytes.TrimRight(b, "\r\n")
		if first == "" {
			first = string(line)
			continue
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			break
		}
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return "", nil, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		}
	}
	if chunked {
		err = c.readChunks()
		return first, c.body, err
	}
	c.body = slices.Grow(c.body[:0], length)[:length]
	_, err = io.ReadFull(c.in, c.body)
	return first, c.body, err
}

// readChunks reads a chunked body into c.body.
func (c *conn) readChunks() error {
	c.body = c.body[:0]
	for {
		head, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(head)), 16, 32)
		if err != nil {
			return err
		}
		at := len(c.body)
		c.body = slices.Grow(c.body, int(n)+2)[:at+int(n)+2]
		if _, err := io.ReadFull(c.in, c.body[at:]); err != nil {
			return err
		}
		c.body = c.body[:at+int(n)]
		if n == 0 {
			return nil
		}
	}
}
