package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
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

type outcome struct {
	elapsed time.Duration
	latency []time.Duration // of each request, sorted
}

func (o outcome) rate() float64 { return float64(len(o.latency)) / o.elapsed.Seconds() }

// percentile returns the duration of a sorted list that the share q of it does not exceed.
func percentile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// run applies the load. The first wrong answer ends it with an error.
func (l load) run(ctx context.Context) (outcome, error) {
	start := time.Now()
	latency, err := together(ctx, l.conns, func(ctx context.Context, i int) ([]time.Duration, error) {
		return l.drive(ctx, i, start.Add(l.duration))
	})
	out := outcome{time.Since(start), latency}
	slices.Sort(latency)
	return out, err
}

// together runs drive n times side by side and returns all latencies. The first error ends all.
func together(
	ctx context.Context, n int, drive func(ctx context.Context, i int) ([]time.Duration, error),
) ([]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	parts := make([][]time.Duration, n)
	for i := range n {
		wg.Go(func() {
			var err error
			if parts[i], err = drive(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return slices.Concat(parts...), context.Cause(ctx)
}

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
		if _, err := c.send(request, l.status); err != nil {
			return latency, err
		}
		latency = append(latency, time.Since(begin))
	}
	return latency, nil
}

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

// send is [conn.do], and fails unless the answer has a status.
func (c *conn) send(request []byte, want int) ([]byte, error) {
	status, body, err := c.do(request)
	if err == nil && status != want {
		first, _, _ := bytes.Cut(request, []byte("\r\n"))
		err = fmt.Errorf("%s answered %d: %.300s", first, status, body)
	}
	return body, err
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
		b := bytes.NewBuffer(c.body[:0])
		if _, err = b.ReadFrom(httputil.NewChunkedReader(c.in)); err == nil {
			_, err = c.in.ReadSlice('\n') // ends the trailer
		}
		c.body = b.Bytes()
		return first, c.body, err
	}
	c.body = slices.Grow(c.body[:0], length)[:length]
	_, err = io.ReadFull(c.in, c.body)
	return first, c.body, err
}
