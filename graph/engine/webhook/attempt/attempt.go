// Package attempt makes one signed POST to a receiver and says how it ended. It
// knows no database and no second try (contract, section 8).
package attempt

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"sync"
	"time"

	"github.com/storefront-go/storefront/graph/lib/egress"
)

// How long the parts of an attempt may take. Connecting is bounded by
// [egress.DialTime].
const (
	answerTime = 5 * time.Second // from having a connection to the end of the headers
	bodyTime   = time.Second     // from there, for the body
)

// MaxTime is the longest that [Client.Do] takes: to connect, to wait for the
// headers, to read the body.
const MaxTime = egress.DialTime + answerTime + bodyTime

// Config is what a [Client] is made of; its zero value is good.
type Config struct {
	// Egress says which addresses are allowed.
	Egress egress.Policy
	// Dial connects in place of the dialer that judges addresses; for tests. TLS is
	// put on top where the address is https.
	Dial egress.DialFunc
	// RootCAs sign the certificates of receivers; nil are those of the system.
	RootCAs *x509.CertPool
	// MaxConns is how many connections may be open, those that wait for an answer and
	// those that are kept for the next attempt; 512 by default. A kept one is closed
	// where there is no room for a new one. How many attempts run at once is the
	// caller's to bound.
	MaxConns int
}

// Client makes attempts, many at a time.
type Client struct {
	dial     connector
	pool     *pool
	requests sync.Pool // of *[]byte
	readers  sync.Pool // of *reader
}

// Request is one attempt of one delivery. Its body is signed and sent as it is
// and not changed while [Client.Do] runs, nor after.
type Request struct {
	Target     *Target
	Body       []byte
	EventID    string
	EventType  string
	DeliveryID string
	Number     int // of the attempt, from 1
	// Header is what the endpoint wants beside our own fields. A field that
	// [MayAdd] refuses is left out.
	Header []Field
	kept   []byte // of the head, for [Result.Request]
}

// Result is how an attempt ended.
type Result struct {
	Outcome Outcome
	Status  int       // of the answer; 0 without one
	Began   time.Time // when the attempt was signed
	// Duration runs from Began to the end of the answer's headers, or to the failure.
	// Connecting is part of it.
	Duration   time.Duration
	RetryAfter time.Duration // what the receiver asks for, up to 30 days; 0: nothing. Not read from a delivered answer
	Response   []byte        // the first 4 KiB of the answer's body
	Request    []byte        // what [Head] needs of what was sent; nil where no connection was made
	Reused     bool          // the connection had served another attempt before
	Sent       bool          // the request was written, or part of it: the receiver may have it
	// Detail is short and may be shown to the merchant: which rule refused the
	// address, what is wrong with the certificate. Often empty. Of [Unable] it is the
	// [egress.Trouble].
	Detail string
}

// New returns a client. It is closed with [Client.Close].
func New(cfg Config) *Client {
	most := cmp.Or(cfg.MaxConns, 512)
	c := &Client{
		pool:     newPool(most),
		requests: sync.Pool{New: func() any { return new([]byte) }},
		readers:  sync.Pool{New: func() any { return newReader() }},
	}
	c.dial = connector{plain: cfg.Dial, secure: cfg.Dial, tls: &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            cfg.RootCAs,
		NextProtos:         []string{"http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(min(most, maxSessions)),
	}}
	if cfg.Dial == nil {
		c.dial.plain, c.dial.secure = cfg.Egress.Dialer(false), cfg.Egress.Dialer(true)
		// The system's certificates are read once in a process. The first handshake would
		// do it, and find none for ever after where it has no descriptor left to do so.
		_, _ = x509.SystemCertPool()
	}
	return c
}

// Close closes the connections that are kept. Attempts that run are not ended.
func (c *Client) Close() { c.pool.closeKept() }

// Do signs a body for now and posts it once: [Client.Send], then the wait and the end of
// the [Pending] attempt.
//
// A receiver sees an attempt once. A kept connection that proves to be closed
// before a byte of the request was written is replaced; once one is written, what
// comes of that connection is the outcome.
func (c *Client) Do(ctx context.Context, r Request) Result {
	p, result := c.Send(ctx, r)
	if p == nil {
		return result
	}
	p.Await()
	return p.End()
}

// Pending is an attempt whose request was sent. It is waited for, once, and ended, once.
type Pending struct {
	client   *Client
	ctx      context.Context
	exchange *exchange
	began    time.Time
	kept     []byte
	err      error
}

// Send signs a body for now and writes the request. It returns the attempt that then
// waits for its answer, or else nil and the result. When ctx ends before the answer's
// headers do, the outcome is [Cancelled]. Nothing after the headers changes the outcome.
func (c *Client) Send(ctx context.Context, r Request) (*Pending, Result) {
	began := time.Now()
	x, err := c.send(ctx, &r, began)
	if err != nil {
		result := Result{Began: began, Duration: time.Since(began)}
		result.fail(ctx, err, false)
		return nil, result
	}
	return &Pending{client: c, ctx: ctx, exchange: x, began: began, kept: r.kept}, Result{}
}

// Await waits for the first byte of the answer. Where thousands wait, each is to do so in
// a goroutine that did nothing else before: it needs little of a stack, and one that has
// grown stays large.
func (p *Pending) Await() { p.err = p.exchange.await() }

// End reads the answer and says how the attempt ended.
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
		if result.fail(p.ctx, err, begun); result.Outcome == Reset && x.reused {
			c.pool.broke(x.place)
		}
		return result
	}
	result.Status, result.Outcome = answer.StatusCode, judge(answer.StatusCode)
	if result.Outcome != Delivered {
		result.Detail = detail(result.Outcome, result.Status)
		result.RetryAfter = retryAfter(answer.Header, result.Began.Add(result.Duration))
	}
	result.Response = c.finish(p.ctx, x, rd, answer)
	return result
}
