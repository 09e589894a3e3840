package rest

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/requestlog"
)

type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bytes    prometheus.Counter
	other    *meter // requests that match no row
}

func newMetrics(r prometheus.Registerer, keys *idem.Keeper) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "storefront_http_requests_total",
			Help: "Requests by route and status."}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "storefront_http_request_duration_seconds",
			Help:    "Time from the request's headers to the last byte of its answer.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2.5, 12)},
			[]string{"method", "route"}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{Name: "storefront_http_response_bytes_total",
			Help: "Bytes of answers' bodies before compression."}),
	}
	replays := prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "storefront_idempotent_replays_total",
		Help: "Answers replayed for an idempotency key."}, func() float64 { return float64(keys.Replayed()) })
	m.other = m.route("*", "other")
	r.MustRegister(m.requests, m.seconds, m.bytes, replays)
	return m
}

// meter holds the metrics of one route, with the labels resolved once.
type meter struct {
	metrics       *metrics
	method, route string
	seconds       prometheus.Observer
	statuses      sync.Map // int -> prometheus.Counter
}

func (m *metrics) route(method, route string) *meter {
	return &meter{metrics: m, method: method, route: route, seconds: m.seconds.WithLabelValues(method, route)}
}

func (m *meter) count(status int, took time.Duration, written int64) {
	counter, ok := m.statuses.Load(status)
	if !ok {
		counter, _ = m.statuses.LoadOrStore(status,
			m.metrics.requests.WithLabelValues(m.method, m.route, strconv.Itoa(status)))
	}
	counter.(prometheus.Counter).Inc()
	m.seconds.Observe(took.Seconds())
	m.metrics.bytes.Add(float64(written))
}

// finish ends a call: it turns a panic into a 500, counts the answer and logs one line. If bytes
// were sent before the panic, the connection is aborted so that the partial answer does not look
// complete.
func (a *API) finish(c *call) {
	p := recover()
	if p != nil {
		c.aborted = a.panicked(c, p)
	}
	aborted, took := p != nil && c.aborted, time.Since(c.began)
	m := a.metrics.other
	if c.row != nil {
		m = c.row.meter
	}
	m.count(c.status, took, c.written)
	a.log(c, m.route, took)
	a.keep(c, m.route, took)
	c.release()
	if aborted {
		panic(http.ErrAbortHandler)
	}
}

// panicked answers a panic with a 500, and reports whether the connection has to be aborted
// instead.
func (a *API) panicked(c *call, p any) (abort bool) {
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it the same way
		return true
	}
	a.Logger.ErrorContext(c.ctx, "panic", slog.String("request_id", c.id), slog.Any("panic", p),
		slog.String("stack", string(debug.Stack())))
	if c.status != 0 {
		return true
	}
	maps.DeleteFunc(c.w.Header(), func(name string, _ []string) bool { return strings.HasPrefix(name, "Content-") })
	a.fail(c, fmt.Errorf("panic: %v", p))
	return false
}

// log writes the request's line. It never holds a credential or the query, which may name a person.
func (a *API) log(c *call, route string, took time.Duration) {
	if !a.Logger.Enabled(c.ctx, slog.LevelInfo) {
		return
	}
	attrs := [...]slog.Attr{
		slog.String("request_id", c.id), slog.String("method", c.r.Method), slog.String("route", route),
		slog.Int("status", c.status), slog.Duration("took", took), slog.Int64("bytes", c.written),
		slog.String("client", c.client.String()), {}, {}, {}, {},
	}
	n := 7
	if c.viewer != nil {
		attrs[n], n = slog.String("store", c.viewer.Store.String()), n+1
	}
	if c.replayed {
		attrs[n], n = slog.Bool("replayed", true), n+1
	}
	if c.aborted {
		attrs[n], n = slog.Bool("aborted", true), n+1
	}
	if own := c.r.Header.Get("X-Request-Id"); own != "" {
		attrs[n], n = slog.String("client_request_id", clip(own)), n+1
	}
	a.Logger.LogAttrs(c.ctx, slog.LevelInfo, "request", attrs[:n]...)
}

// keep adds a request of a known caller to the request log. Of the path it keeps the id alone, and
// only if it has the form of one: anything else may name a person. A request that was aborted
// before its answer has no status.
func (a *API) keep(c *call, route string, took time.Duration) {
	if a.Requests == nil || c.viewer == nil || c.status == 0 {
		return
	}
	e := requestlog.Entry{ID: c.key, Method: c.r.Method, Route: route, Status: c.status, Code: c.problem, Took: took}
	if kind := c.row.named; kind != "" {
		if id, err := kind.Parse(c.pathID()); err == nil {
			e.Kind, e.Resource = kind, id
		}
	}
	a.Requests.Add(c.viewer, &e)
}

// recorder records the answer of a handler beside the table in its call, so that the recovery from
// a panic knows whether anything was sent.
type recorder struct {
	http.ResponseWriter
	c *call
}

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) {
	if w.c.status == 0 && status >= http.StatusOK { // informational statuses come before the answer
		w.c.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *recorder) Write(b []byte) (int, error) {
	if w.c.status == 0 {
		w.c.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.c.written += int64(n)
	return n, err
}

// Unwrap serves http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// plain wraps a handler beside the table with what all answers have: a request id, metrics, the log
// line and a 500 in place of a panic.
func (a *API) plain(route string, next http.Handler) http.Handler {
	return a.observed(route, a.cors, next)
}

// observed is plain with a check that may answer before next runs; answered reports whether it did.
func (a *API) observed(route string, answered func(*call) bool, next http.Handler) http.Handler {
	return a.handler(&served{meter: a.metrics.route("*", route)}, func(c *call) error {
		if !answered(c) {
			c.pass(next)
		}
		return nil
	})
}

// pass lets a handler beside the table answer.
func (c *call) pass(next http.Handler) {
	next.ServeHTTP(&recorder{c.w, c}, c.r.WithContext(c.ctx))
	c.status = max(c.status, http.StatusOK) // net/http's default for a handler that wrote nothing
}
