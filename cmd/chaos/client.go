package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/rest"
)

type request struct {
	As, Method, Path, Body, Key string
}

// patience bounds one request, and the start of a process.
const patience = 60 * time.Second

// client sends requests to any server that answers, and counts them.
type client struct {
	http    http.Client
	servers []*process
	turn    atomic.Int64

	mu      sync.Mutex
	traffic Traffic
}

func newClient(servers []*process) *client {
	return &client{servers: servers, traffic: Traffic{Answers: map[string]int{}},
		http: http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
}

// do sends a request once. The status is 0 if there is no complete answer.
func (c *client) do(ctx context.Context, r request) (status int, h http.Header, body []byte) {
	address := c.servers[int(c.turn.Add(1))%len(c.servers)].address()
	if address == "" {
		return 0, nil, nil
	}
	defer func() { c.count(status, body) }()
	q, err := http.NewRequestWithContext(ctx, r.Method, address+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return 0, nil, nil
	}
	if r.As != "" {
		q.Header.Set("Authorization", "Bearer "+r.As)
	}
	if r.Method == http.MethodPost {
		q.Header.Set("Content-Type", "application/json")
	}
	if r.Key != "" { // a query has none
		q.Header.Set("Idempotency-Key", r.Key)
	}
	w, err := c.http.Do(q)
	if err != nil {
		return 0, nil, nil
	}
	defer w.Body.Close()
	if body, err = io.ReadAll(w.Body); err != nil {
		return 0, nil, nil
	}
	return w.StatusCode, w.Header, body
}

// count counts an answer; GraphQL errors with status 200 also by their code.
func (c *client) count(status int, body []byte) {
	name := "none"
	if status > 0 {
		name = strconv.Itoa(status)
	}
	if status == http.StatusOK && !stands(status, body) {
		name += " " + code(body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.traffic.Requests++
	c.traffic.Answers[name]++
}

// insist sends a request until it gets a final answer or the context ends.
func (c *client) insist(ctx context.Context, r request) (tries, status int, h http.Header, body []byte) {
	began := time.Now()
	for ctx.Err() == nil {
		tries++
		if status, h, body = c.do(ctx, r); stands(status, body) {
			c.waited(time.Since(began), r.Method+" "+r.Path)
			return tries, status, h, body
		}
		pause(ctx, 50*time.Millisecond)
	}
	return tries, 0, nil, nil
}

func (c *client) waited(d time.Duration, what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d > c.traffic.Stall {
		c.traffic.Stall, c.traffic.Stalled = d, what
	}
}

// stands reports whether an answer is final: no server error, and no request to try again.
func stands(status int, body []byte) bool {
	if status == 0 || status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
		return false
	}
	switch code(body) {
	case string(fault.Unavailable), string(fault.IdempotencyInProgress), string(fault.Internal),
		string(fault.RateLimited):
		return false
	}
	return true
}

func code(body []byte) string {
	var found struct {
		Code   string
		Errors []struct{ Extensions struct{ Code string } }
	}
	if bytes.HasPrefix(body, []byte("{")) && json.Unmarshal(body, &found) == nil {
		if found.Code == "" && len(found.Errors) > 0 {
			return found.Errors[0].Extensions.Code
		}
		return found.Code
	}
	return ""
}

func answer(status int, h http.Header, body []byte) Answer {
	sum := sha256.Sum256(body)
	return Answer{Status: status, Sum: hex.EncodeToString(sum[:8]), Replayed: h.Get("Idempotent-Replayed") == "true"}
}

// list walks a list by its cursor and repeats each page until it is answered.
func (c *client) list(ctx context.Context, key, path string, each func(page json.RawMessage) error) error {
	for cursor := ""; ; {
		_, status, _, body := c.insist(ctx, request{As: key, Method: http.MethodGet,
			Path: rest.Base + path + "?limit=100" + cursor})
		if status != http.StatusOK {
			return unexpected(ctx, path, status, body)
		}
		var page struct {
			Data json.RawMessage `json:"data"`
			Next *string         `json:"next_cursor"`
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return err
		}
		if err := each(page.Data); err != nil {
			return err
		}
		if page.Next == nil || *page.Next == "" {
			return nil
		}
		cursor = "&cursor=" + *page.Next
	}
}
