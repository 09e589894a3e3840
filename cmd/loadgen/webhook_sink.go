package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// sinkCommand receives webhooks as a process of its own, so that its CPU time can
// be distinguished. It speaks HTTP/1.1 itself, as the load client does.
type sinkCommand struct {
	Addr string `required:"" help:"Address to listen on."`
}

// Run receives until the context ends.
func (c *sinkCommand) Run(ctx context.Context) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	err = new(sink).serve(l)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// The paths of a sink. A delivery to any other path is answered; its number is
// the endpoint's.
const (
	hangPath   = "/hang/"  // before a number: a delivery is recorded and never answered
	countPath  = "/count"  // how many were answered
	reportPath = "/report" // every receipt, as JSON
)

// receipt is one delivery that came.
type receipt struct {
	Endpoint int    `json:"n"`
	Event    string `json:"e"`
	Resource string `json:"r"`
	Sequence int64  `json:"s"`
	// At is when all of it was there, Answered the moment before its 2xx was sent, or
	// 0: nanoseconds since 1970.
	At       int64 `json:"t"`
	Answered int64 `json:"a"`
}

// sink keeps what it receives in memory.
type sink struct {
	answered atomic.Int64

	mu    sync.Mutex
	conns []*sinkConn // the closed ones too
}

// sinkConn is one connection with its receipts.
type sinkConn struct {
	net.Conn
	sink   *sink
	buf    []byte
	n, end int // bytes in buf; those of the request that was read last

	mu       sync.Mutex
	receipts []receipt
}

// serve receives until the listener is closed.
func (s *sink) serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		conn := &sinkConn{Conn: c, sink: s, buf: make([]byte, 8<<10)}
		s.mu.Lock()
		s.conns = append(s.conns, conn)
		s.mu.Unlock()
		go func() {
			defer c.Close()
			conn.serve()
		}()
	}
}

// answerOK answers a delivery.
var answerOK = []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

// serve answers one request after the other. A client that goes away, or sends
// what is no delivery, ends it.
func (c *sinkConn) serve() {
	for {
		head, body, err := c.request()
		if err != nil {
			return
		}
		path := target(head)
		if answer, ok := c.sink.control(path); ok {
			if _, err := fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(answer),
				answer); err != nil {
				return
			}
			continue
		}
		r, err := readReceipt(path, body)
		if err != nil {
			fmt.Fprintf(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: %d\r\n\r\n%v", len(err.Error()), err)
			return
		}
		if !c.answer(string(path), r) {
			return
		}
	}
}

// answer does with a delivery what its path says, and reports whether the
// connection goes on.
func (c *sinkConn) answer(path string, r receipt) bool {
	if strings.HasPrefix(path, hangPath) {
		c.keep(r)
		io.Copy(io.Discard, c) // until the sender has had enough
		return false
	}
	r.Answered = time.Now().UnixNano()
	c.keep(r)
	if _, err := c.Write(answerOK); err != nil {
		return false
	}
	c.sink.answered.Add(1)
	return true
}

func (c *sinkConn) keep(r receipt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.receipts = append(c.receipts, r)
}

// errLarge ends a connection whose request is larger than any delivery.
var errLarge = errors.New("the request is too large")

// request reads the next one. What it returns is valid until the next call.
func (c *sinkConn) request() (head, body []byte, err error) {
	c.n = copy(c.buf, c.buf[c.end:c.n])
	c.end = 0
	for {
		if at := bytes.Index(c.buf[:c.n], []byte("\r\n\r\n")); at >= 0 {
			head = c.buf[:at+2]
			begin := at + 4
			length, _ := number(head, "\r\nContent-Length: ")
			if c.end = begin + int(length); c.end <= c.n {
				return head, c.buf[begin:c.end], nil
			}
		}
		if c.n == len(c.buf) {
			if c.n > 1<<20 {
				return nil, nil, errLarge
			}
			c.buf = append(c.buf, make([]byte, c.n)...)
		}
		c.end = 0
		n, err := c.Read(c.buf[c.n:])
		if err != nil {
			return nil, nil, err
		}
		c.n += n
	}
}

// target is the path of a request.
func target(head []byte) []byte {
	_, rest, _ := bytes.Cut(head, []byte(" "))
	path, _, _ := bytes.Cut(rest, []byte(" "))
	return path
}

// readReceipt takes from a delivery what the ledger needs. The members lie in the
// body in the order in which they are looked for.
func readReceipt(path, body []byte) (receipt, error) {
	r := receipt{At: time.Now().UnixNano()}
	endpoint, err := strconv.Atoi(string(path[bytes.LastIndexByte(path, '/')+1:]))
	if err != nil {
		return r, fmt.Errorf("%q is no endpoint", path)
	}
	event, rest := text(body, `"event_id":"`)
	_, rest, _ = bytes.Cut(rest, []byte(`"resource":{`))
	resource, rest := text(rest, `"id":"`)
	sequence, ok := number(rest, `"sequence":`)
	if event == "" || resource == "" || !ok {
		return r, fmt.Errorf("no delivery: %.100q", body)
	}
	r.Endpoint, r.Event, r.Resource, r.Sequence = endpoint, event, resource, sequence
	return r, nil
}

// text returns the text between a mark and the next quote, and what comes after.
func text(b []byte, mark string) (found string, rest []byte) {
	_, b, _ = bytes.Cut(b, []byte(mark))
	value, rest, _ := bytes.Cut(b, []byte(`"`))
	return string(value), rest
}

// number returns the digits behind a mark.
func number(b []byte, mark string) (n int64, ok bool) {
	_, b, _ = bytes.Cut(b, []byte(mark))
	for _, c := range b {
		if c < '0' || c > '9' {
			break
		}
		n, ok = 10*n+int64(c-'0'), true
	}
	return n, ok
}

// control answers the load client.
func (s *sink) control(path []byte) (answer []byte, ok bool) {
	switch string(path) {
	case countPath:
		return strconv.AppendInt(nil, s.answered.Load(), 10), true
	case reportPath:
		b, err := json.Marshal(s.receipts())
		if err != nil {
			panic(err) // texts and numbers encode
		}
		return b, true
	}
	return nil, false
}

// receipts are those of every connection.
func (s *sink) receipts() []receipt {
	list := []receipt{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		c.mu.Lock()
		list = append(list, c.receipts...)
		c.mu.Unlock()
	}
	return list
}
