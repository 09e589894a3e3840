// Package attempt makes one signed POST to a receiver and returns how it ended. It uses no database
// and never retries (contract, section 8).
package attempt

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"sync"
	"time"

	"github.com/storefront-go/storefront/graph/lib/egress"
)

// Limits of the parts of an attempt. Connecting is limited by [egress.DialTime].
const (
	answerTime = 5 * time.Second // from the connection to the end of the headers
	bodyTime   = time.Second     // from there, for the body
)

// MaxTime is the longest that [Client.Do] takes to connect, to wait for the headers and to read the
// body.
const MaxTime = egress.DialTime + answerTime + bodyTime

// Config configures a [Client]; its zero value is usable.
type Config struct {
	// Egress decides which addresses are allowed.
	Egress egress.Policy
	// Dial replaces the dialer that checks addresses, for tests. For https, TLS runs on top.
	Dial egress.DialFunc
	// RootCAs are trusted to sign receivers' certificates; nil means the system's.
	RootCAs *x509.CertPool
	// MaxConns is how many connections may be open, including those kept for the next attempt; 512
	// by default. If there is no room for a new one, a kept one is closed. The caller limits how
	// many attempts run at once.
	MaxConns int
}

// Client makes attempts. It is safe for concurrent use.
type Client struct {
	// The dialers of http and https, and what is added to the latter.
	plain, secure egress.DialFunc
	tls           *tls.Config

	pool     *pool
	requests sync.Pool // of *[]byte
	readers  sync.Pool // of *reader
}

// Request is one attempt of one delivery. Its body is signed and sent as it is, and must not change
// during [Client.Do] or afterwards.
type Request struct {
	Target     *Target
	Body       []byte
	EventID    string
	EventType  string
	DeliveryID string
	Number     int // of the attempt, from 1
	// Header holds the endpoint's custom fields. A field that [MayAdd] refuses is left out.
	Header []Field
	kept   []byte // of the head, for [Result.Request]
}

// Result is how an attempt ended.
type Result struct {
	Outcome Outcome
	Status  int       // of the answer; 0 without an answer
	Began   time.Time // when the attempt was signed
	// Duration runs from Began to the end of the answer's headers, or to the failure. It includes
	// connecting.
	Duration   time.Duration
	RetryAfter time.Duration // requested by the receiver, at most 30 days; 0: none. Not read from a delivered answer
	Response   []byte        // the first 4 KiB of the answer's body
	Request    []byte        // the input for [Head]; nil if no connection was made
	Reused     bool          // the connection had served another attempt before
	Sent       bool          // all or part of the request was written: the receiver may have it
	// Detail is short and may be shown to the merchant: which rule refused the address, or what is
	// wrong with the certificate. It is often empty. For [Unable] it is the [egress.Trouble].
	Detail string
}

// New returns a client, to be closed with [Client.Close].
func New(cfg Config) *Client {
	most := cmp.Or(cfg.MaxConns, 512)
	c := &Client{
		plain: cfg.Dial, secure: cfg.Dial,
		tls: &tls.Config{
			MinVersion:         tls.VersionTLS12,
			RootCAs:            cfg.RootCAs,
			NextProtos:         []string{"http/1.1"},
			ClientSessionCache: tls.NewLRUClientSessionCache(min(most, maxSessions)),
		},
		pool:     &pool{most: most, kept: map[place][]*conn{}, histories: map[place]history{}},
		requests: sync.Pool{New: func() any { return new([]byte) }},
		readers: sync.Pool{New: func() any {
			rd := new(reader)
			rd.buf = bufio.NewReader(rd)
			return rd
		}},
	}
	if cfg.Dial == nil {
		c.plain, c.secure = cfg.Egress.Dialer(false), cfg.Egress.Dialer(true)
		// The system's certificates are loaded once per process. If the first handshake did it
		// without a free descriptor, no certificate would be found for the rest of the process.
		_, _ = x509.SystemCertPool()
	}
	return c
}

// Close closes the kept connections. It does not end running attempts.
func (c *Client) Close() { c.pool.closeKept() }

// Do signs a body for now and posts it once: it calls [Client.Send], and waits for and ends the
// [Pending] attempt.
//
// A receiver sees an attempt at most once. A kept connection that turns out to be closed before a
// byte of the request was written is replaced; after that, a failure of the connection is the
// outcome.
func (c *Client) Do(ctx context.Context, r Request) Result {
	p, result := c.Send(ctx, r)
	if p == nil {
		return result
	}
	p.Await()
	return p.End()
}

// Pending is an attempt whose request was sent. Call Await once, then End once.
type Pending struct {
	client   *Client
	ctx      context.Context
	exchange *exchange
	began    time.Time
	kept     []byte
	err      error
}

// Send signs a body for now and writes the request. It returns the pending attempt, or nil and the
// result. If ctx ends before the answer's headers do, the outcome is [Cancelled]. Nothing after the
// headers changes the outcome.
func (c *Client) Send(ctx context.Context, r Request) (*Pending, Result) {
	began := time.Now()
	if r.Target.subject != "" {
		return nil, c.publish(ctx, &r, began)
	}
	x, err := c.send(ctx, &r, began)
	if err != nil {
		result := Result{Began: began, Duration: time.Since(began)}
		result.Outcome, result.Detail = explain(ctx, err, false)
		return nil, result
	}
	return &Pending{client: c, ctx: ctx, exchange: x, began: began, kept: r.kept}, Result{}
}

// Await waits for the first byte of the answer. Where thousands of attempts wait, each should do so
// in a fresh goroutine: it needs little stack, while a stack that has grown stays large.
func (p *Pending) Await() { p.err = p.exchange.await() }

// End reads the answer and returns how the attempt ended.
func (p *Pending) End() Result {
	x, c := p.exchange, p.client
	result := Result{Began: p.began, Request: p.kept, Reused: x.reused, Sent: true}
	begun, err := false, p.err
	var answer *http.Response
	var rd *reader
	if err == nil {
		begun, rd = true, c.reader(x)
		defer c.release(rd)
		answer, err = rd.answer() //nolint:bodyclose // finish reads it and ends the connection
	}
	result.Duration = time.Since(result.Began)
	if err != nil {
		x.close()
		result.Outcome, result.Detail = explain(p.ctx, err, begun)
		if result.Outcome == Reset && x.reused {
			c.pool.broke(x.place)
		}
		return result
	}
	result.Status = answer.StatusCode
	if result.Outcome, result.Detail = outcomeOf(result.Status); result.Outcome != Delivered {
		result.RetryAfter = retryAfter(answer.Header, result.Began.Add(result.Duration))
	}
	result.Response = c.finish(p.ctx, x, rd, answer)
	return result
}
