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
	"strings"
	"sync"
	"time"
)

// load is a bounded load: so many connections, each sending one request after
// the other, for so long. It speaks HTTP/1.1 itself: net/http's client would
// take as much of the machine as what is measured.
type load struct {
	addr     string
	conns    int
	duration time.Duration
	status   int // every answer must have it
	// next appends the n-th request of a connection, or returns nothing, which is an
	// error.
	next func(b []byte, conn, n int) []byte
	// took, where it is set, hears the answer before the connection's next request;
	// body is valid until then.
	took func(conn int, body []byte) error
}

// outcome is what a load saw.
type outcome struct {
	requests int
	elapsed  time.Duration
	latency  []time.Duration // sorted
}

func (o *outcome) rate() float64 { return float64(o.requests) / o.elapsed.Seconds() }

// percentile returns the latency that the share q of the requests kept.
func (o *outcome) percentile(q float64) time.Duration {
	if len(o.latency) == 0 {
		return 0
	}
	return o.latency[min(int(q*float64(len(o.latency))), len(o.latency)-1)]
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
		if l.took == nil {
			continue
		}
		if err := l.took(i, body); err != nil {
			return latency, err
		}
	}
	return latency, nil
}

// line is the request line, for messages.
func line(request []byte) string {
	first, _, _ := bytes.Cut(request, []byte("\r\n"))
	return string(first)
}

// conn is a kept connection.
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
	return &conn{Conn: c, in: bufio.NewReaderSize(c, 64<<10)}, nil
}

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
	first, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(first) < 12 {
		return 0, nil, fmt.Errorf("not an HTTP answer: %q", first)
	}
	if status, err = strconv.Atoi(string(first[9:12])); err != nil {
		return 0, nil, fmt.Errorf("not an HTTP answer: %q", first)
	}
	length, chunked := -1, false
	for {
		header, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		name, value, ok := strings.Cut(string(bytes.TrimRight(header, "\r\n")), ":")
		if !ok {
			break
		}
		switch {
		case strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return 0, nil, err
			}
		case strings.EqualFold(name, "Transfer-Encoding"):
			chunked = true
		}
	}
	switch {
	case chunked:
		return status, c.body, c.readChunks()
	case length < 0:
		return 0, nil, errors.New("an answer without a length")
	}
	c.body = slices.Grow(c.body[:0], length)[:length]
	_, err = io.ReadFull(c.in, c.body)
	return status, c.body, err
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
