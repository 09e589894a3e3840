package rest

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/mux"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/budget"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// call is one request on its way through the pipeline, and its answer.
type call struct {
	w   http.ResponseWriter
	r   *http.Request
	ctx context.Context // carries the viewer and the request id

	key     xid.ID
	id      string // the API key's id as X-Request-Id
	began   time.Time
	client  netip.Addr
	row     *served
	legacy  bool
	viewer  *viewer.Viewer
	answer  *budget.Answer // the size budget of a read's answer
	query   params
	rate    ratelimit.Decision
	rated   bool
	body    wire.Body // of the request
	upload  *images.Upload
	status  int
	written int64
	aborted bool   // the answer ended before its last byte
	problem string // the code of a refusal

	// The answer of a handler.
	out      []byte
	page     *[]byte // the buffer behind out; see [call.takePage]
	kept     []byte  // the call's own buffer while page is used
	code     int
	location string
	private  bool // no ETag: the answer holds for this moment only
	replayed bool
	lines    lineset.Unpacker // unpacks the lines of orders
	faults   []fault.Field    // of the body's form; see [call.keep]
}

var (
	calls = sync.Pool{New: func() any { return &call{out: make([]byte, 0, 4<<10)} }}
	// pages are buffers for answers of many rows. A call takes one once it has its rows, because
	// most concurrent calls are still waiting for theirs.
	pages = sync.Pool{New: func() any { return new(make([]byte, 0, 32<<10)) }}
)

// maxOwn and maxPage are the largest buffers, in bytes, that a call and the pool keep for reuse.
const (
	maxOwn  = 16 << 10
	maxPage = 256 << 10
)

func (c *call) takePage() {
	c.kept, c.page = c.out, pages.Get().(*[]byte)
	c.out = (*c.page)[:0]
}

// release returns the call to the pool. Nothing may refer to it or its bytes afterwards.
func (c *call) release() {
	c.answer.Close()
	kept := c.out
	if c.page != nil {
		kept = c.kept
		if cap(c.out) <= maxPage {
			*c.page = c.out
		}
		pages.Put(c.page)
	}
	if cap(kept) > maxOwn {
		kept = nil
	}
	*c = call{out: kept[:0], lines: c.lines}
	calls.Put(c)
}

func (a *API) begin(w http.ResponseWriter, r *http.Request) *call {
	c := calls.Get().(*call)
	c.w, c.r, c.began = w, r, time.Now()
	c.key = xid.New()
	c.id = xid.Request.Format(c.key)
	c.client = a.clientOf(r)
	c.ctx = viewer.WithOrigin(ent.Request(r.Context()),
		viewer.Origin{Request: c.id, Client: c.client, Agent: r.UserAgent()})
	w.Header()["X-Request-Id"] = []string{c.id}
	if len(r.TransferEncoding) > 0 {
		// If there is also a Content-Length, the connection has to be closed (RFC 9112, section
		// 6.1), and net/http does not show whether there was one.
		w.Header()["Connection"] = closing
	}
	return c
}

// handler answers each request with handle, or with its error. row is nil if handle finds it.
func (a *API) handler(row *served, handle func(*call) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := a.begin(w, r)
		defer a.finish(c)
		c.row = row
		if err := handle(c); err != nil {
			a.fail(c, err)
		}
	})
}

func (a *API) endpoint(e *endpoint) http.Handler {
	return a.handler(nil, func(c *call) error {
		c.legacy = e.legacy
		if a.cors(c) {
			return nil
		}
		if c.row = e.find(c.r.Method); c.row == nil {
			return wrongMethod(c.w.Header(), e.allow)
		}
		if err := a.run(c); err != nil {
			return err
		}
		a.answer(c)
		return nil
	})
}

// run takes the call through the steps of contract section 2; the first error ends it.
func (a *API) run(c *call) error {
	c.query.read(c.r.URL.RawQuery)
	for _, step := range [...]func(*API, *call) error{
		(*API).authenticate, (*API).limit, (*API).version, (*API).authorise, (*API).parameters,
	} {
		if err := step(a, c); err != nil {
			return err
		}
	}
	if c.row.Method != http.MethodGet {
		return a.keyed(c)
	}
	c.answer = a.Core.Answers.Open(c.viewer.Store)
	c.answer.EndEarly()
	c.ctx = c.answer.With(c.ctx)
	if err := c.row.handle(a, c); err != nil {
		return err
	}
	return c.answer.Settle(len(c.out))
}

func (a *API) authorise(c *call) error {
	if c.viewer.Scopes.Has(c.row.Scope) {
		return nil
	}
	return &fault.Error{Kind: fault.InsufficientScope, Scope: c.row.Scope,
		Detail: "The credential lacks the scope " + c.row.Scope + "."}
}

// pathID returns the id in the path, or the raw segment if it cannot be unescaped. The resolver
// checks its form.
func (c *call) pathID() string { return c.pathValue("id") }

func (c *call) pathValue(name string) string {
	value, err := url.PathUnescape(mux.Vars(c.r)[name])
	if err != nil {
		return ""
	}
	return value
}

func (a *API) notFound(c *call) error {
	c.legacy = strings.HasPrefix(c.r.URL.Path, legacyBase+"/")
	if a.cors(c) {
		return nil
	}
	return nothingHere()
}
