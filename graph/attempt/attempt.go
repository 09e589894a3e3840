// Package attempt makes one signed POST to a receiver and says how it ended. It
// knows no database and no second try (contract, section 8).
package attempt

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/graph/egress"
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

// errLate ends an attempt whose time is over.
var errLate = errors.New("the time of the attempt is over")

// Config is what a [Client] is made of; its zero value is good.
type Config struct {
	// Egress says which addresses are allowed.
	Egress egress.Policy
	// Dial connects in place of the dialer that judges addresses; for tests. TLS is
	// put on top where the address is https.
	Dial egress.DialFunc
	// RootCAs sign the certificates of receivers; nil are those of the system.
	RootCAs *x509.CertPool
	// UserAgent is "Storefront-Webhooks/1" by default.
	UserAgent string
	// MaxIdle is how many connections are kept for the next attempts, all receivers
	// together and each; 512 by default.
	MaxIdle int
}

// Client makes attempts, many at a time.
type Client struct {
	transport *http.Transport
	userAgent []string
	buffers   sync.Pool // of *[maxKept]byte
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
	Reused     bool          // the connection had served another attempt before
	// Detail is short and may be shown to the merchant: which rule refused the
	// address, what is wrong with the certificate. Often empty.
	Detail string
}

// New returns a client. It is closed with [Client.Close].
func New(cfg Config) *Client {
	c := &Client{
		userAgent: []string{cmp.Or(cfg.UserAgent, "Storefront-Webhooks/1")},
		buffers:   sync.Pool{New: func() any { return new([maxKept]byte) }},
	}
	dial := connector{plain: cfg.Dial, secure: cfg.Dial, tls: &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            cfg.RootCAs,
		NextProtos:         []string{"http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(cmp.Or(cfg.MaxIdle, 512)),
	}}
	if cfg.Dial == nil {
		dial.plain, dial.secure = cfg.Egress.Dialer(false), cfg.Egress.Dialer(true)
	}
	// No proxy from the environment, no second protocol: the address that was
	// judged is the one that is spoken to.
	c.transport = &http.Transport{
		DialContext:            dial.connect,
		DialTLSContext:         dial.connectTLS,
		Protocols:              new(http.Protocols),
		DisableCompression:     true,
		MaxIdleConns:           cmp.Or(cfg.MaxIdle, 512),
		MaxIdleConnsPerHost:    cmp.Or(cfg.MaxIdle, 512),
		IdleConnTimeout:        time.Minute,
		MaxResponseHeaderBytes: maxHeader,
		WriteBufferSize:        8 << 10, // most bodies leave in one write
	}
	c.transport.Protocols.SetHTTP1(true)
	return c
}

// Close closes the connections that are kept. Attempts that run are not ended.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Do signs a body for now and posts it once. When ctx ends before the answer's
// headers do, the outcome is [Cancelled]. Nothing after the headers changes the
// outcome.
//
// A kept connection that the receiver has closed meanwhile is no failure: the
// request goes out again over another one, within the same attempt.
func (c *Client) Do(ctx context.Context, r Request) Result {
	began := time.Now()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	run := &run{cancel: cancel, latest: began.Add(egress.DialTime + answerTime)}
	run.trace.GotConn = run.gotConn
	run.trace.GotFirstResponseByte = run.gotByte
	defer run.stop()

	answer, err := c.transport.RoundTrip(c.request(httptrace.WithClientTrace(ctx, &run.trace), run, r, began))
	result := Result{Began: began, Duration: time.Since(began), Reused: run.reused}
	if err != nil {
		result.Outcome, result.Detail = explain(err, context.Cause(ctx), run.begun.Load())
		return result
	}
	result.Status, result.Outcome = answer.StatusCode, judge(answer.StatusCode)
	if result.Outcome != Delivered {
		result.Detail = detail(result.Outcome, result.Status)
		result.RetryAfter = retryAfter(answer.Header, began.Add(result.Duration))
	}
	result.Response = c.finish(run, answer)
	return result
}

// finish reads what is kept of the body and closes it. The body of a switch of
// protocols is the connection itself, and nothing waits there.
func (c *Client) finish(run *run, answer *http.Response) []byte {
	defer answer.Body.Close()
	if answer.Body == http.NoBody || answer.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	run.timer.Reset(bodyTime)
	defer run.cancel(nil) // before the close: a body that is not at its end takes its connection with it
	return c.read(answer)
}

// request copies the target's request and gives it body and headers. The names
// are in the form that net/http keeps; HTTP ignores case.
func (c *Client) request(ctx context.Context, run *run, r Request, now time.Time) *http.Request {
	timestamp := strconv.FormatInt(now.Unix(), 10)
	spec, standard := r.Target.sign(r.EventID, timestamp, r.Body)
	run.values = [...]string{timestamp, spec, r.EventType, r.DeliveryID, strconv.Itoa(r.Number), r.EventID, standard}
	v := &run.values
	request := r.Target.request.WithContext(ctx)
	request.Header = http.Header{
		"Content-Type":          contentType,
		"User-Agent":            c.userAgent,
		"X-Service-Timestamp":   v[0:1:1],
		"X-Service-Signature":   v[1:2:2],
		"X-Service-Event":       v[2:3:3],
		"X-Service-Delivery-Id": v[3:4:4],
		"X-Service-Attempt":     v[4:5:5],
		"Webhook-Id":            v[5:6:6],
		"Webhook-Timestamp":     v[0:1:1],
		"Webhook-Signature":     v[6:7:7],
		// A key without a value is not sent and shows net/http that this POST may go
		// out again when a kept connection proves to be closed (http.Transport).
		"Idempotency-Key": nil,
	}
	if len(r.Body) > 0 {
		// A reader that net/http knows: headers and body leave in one write.
		run.body.Reset(r.Body)
		request.Body, request.ContentLength = io.NopCloser(&run.body), int64(len(r.Body))
		// The second time, the first reader is spent.
		request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.Body)), nil }
	}
	return request
}

var contentType = []string{"application/json"}

// run is what one attempt keeps while it runs. It is not used again: the
// transport may hold on to it for a moment longer.
type run struct {
	cancel context.CancelCauseFunc
	latest time.Time // for the headers
	timer  *time.Timer
	reused bool
	begun  atomic.Bool
	values [7]string
	body   bytes.Reader
	trace  httptrace.ClientTrace
}

// gotConn starts the clock of the answer, again where a kept connection was
// closed and another one takes its place. Without a bound over all, a receiver
// that closes each kept connection late could hold an attempt for minutes.
func (r *run) gotConn(info httptrace.GotConnInfo) {
	r.reused = info.Reused
	if r.timer == nil {
		r.timer = time.AfterFunc(answerTime, r.late)
		return
	}
	r.timer.Reset(min(answerTime, time.Until(r.latest)))
}

func (r *run) gotByte() { r.begun.Store(true) }

func (r *run) late() { r.cancel(errLate) }

func (r *run) stop() {
	if r.timer != nil {
		r.timer.Stop()
	}
}
