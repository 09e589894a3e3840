package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// sinkCommand receives webhooks in a separate process, so that its CPU time does not count for the
// sender. It speaks HTTP/1.1 itself, as the load client does.
type sinkCommand struct {
	Addr string `required:"" help:"Address to listen on."`
}

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

// The paths of a sink. A delivery to any other path is answered; its number is the endpoint's.
const (
	hangPath   = "/hang/"  // before a number: a delivery is recorded and never answered
	countPath  = "/count"  // how many were answered
	reportPath = "/report" // every receipt, as JSON
)

type sink struct {
	mu       sync.Mutex
	receipts []receipt
	answered int
}

func (s *sink) serve(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			conn := newConn(c)
			for s.answer(conn) == nil {
			}
		}()
	}
}

// answer answers one request. An error ends the connection.
func (s *sink) answer(c *conn) error {
	first, body, err := c.message()
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(first, " ")
	path, _, _ := strings.Cut(rest, " ")
	switch path {
	case countPath:
		s.mu.Lock()
		defer s.mu.Unlock()
		return respond(c, "200 OK", strconv.Itoa(s.answered))
	case reportPath:
		s.mu.Lock()
		defer s.mu.Unlock()
		b, err := json.Marshal(s.receipts)
		if err != nil {
			return err
		}
		return respond(c, "200 OK", string(b))
	}
	r, err := readReceipt(path, body)
	if err != nil {
		respond(c, "400 Bad Request", err.Error())
		return err
	}
	if strings.HasPrefix(path, hangPath) {
		s.keep(r)
		_, err := io.Copy(io.Discard, c) // until the sender gives up
		return err
	}
	r.Answered = time.Now().UnixNano()
	s.keep(r)
	return respond(c, "200 OK", "")
}

// keep records a receipt. It is recorded before the answer, so that no answered one is missing.
func (s *sink) keep(r receipt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.receipts = append(s.receipts, r)
	if r.Answered != 0 {
		s.answered++
	}
}

func respond(c *conn, status, body string) error {
	_, err := fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
	return err
}

// sink starts this program as a receiver.
func (c *children) sink(ctx context.Context) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	addr := free()
	p, err := c.start("sink", self, "sink", "--addr", addr)
	if err != nil {
		return nil, err
	}
	p.addr = addr
	return p, p.until(ctx, time.Millisecond, func() (bool, error) { _, err := p.answered(ctx); return err == nil, nil })
}

func (p *child) answered(ctx context.Context) (int, error) {
	b, err := fetch(ctx, http.MethodGet, "http://"+p.addr+countPath, "", "")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(b))
}

func (p *child) receipts(ctx context.Context) (list []receipt, err error) {
	b, err := fetch(ctx, http.MethodGet, "http://"+p.addr+reportPath, "", "")
	if err != nil {
		return nil, err
	}
	return list, json.Unmarshal(b, &list)
}
