package rest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
	frontend "github.com/storefront-go/storefront/rest/oauth"
	"github.com/storefront-go/storefront/rest/problem"
	"github.com/storefront-go/storefront/rest/variant"
)

const jsonType = "application/json"

// Header values that answers share; never changed.
var (
	jsonTypes  = []string{jsonType}
	revalidate = []string{"private, no-cache"}
	noStore    = []string{"no-store"}
	isTrue     = []string{"true"}
	closing    = []string{"close"}
)

func (a *API) answer(c *call) {
	h := c.w.Header()
	a.moment(c, h)
	if c.row.Method != http.MethodGet {
		a.written(c, h)
		return
	}
	h["Content-Type"] = jsonTypes
	if c.private {
		h["Cache-Control"] = noStore
		a.send(c, http.StatusOK, c.out)
		return
	}
	h["Cache-Control"] = revalidate
	h["Vary"] = variant.Vary
	tag := variant.WeakTag(c.out)
	h["Etag"] = []string{tag}
	if variant.Matches(c.r.Header, tag) {
		delete(h, "Content-Type")
		c.status = http.StatusNotModified
		c.w.WriteHeader(c.status)
		return
	}
	a.send(c, http.StatusOK, c.out)
}

// written answers a keyed write with the stored answer, byte for byte, and the headers of this
// request.
func (a *API) written(c *call, h http.Header) {
	if c.location != "" {
		h["Location"] = []string{c.location}
	}
	if c.replayed {
		h["Idempotent-Replayed"] = isTrue
	}
	if c.code >= http.StatusBadRequest || c.row.secretive() {
		h["Cache-Control"] = noStore
	}
	if c.code == http.StatusNoContent {
		// Without a body there is no type and no length (RFC 9110, section 8.6).
		delete(h, "Content-Type")
		c.status = c.code
		c.w.WriteHeader(c.code)
		return
	}
	a.send(c, c.code, c.out)
}

// moment sets the headers that belong to the request, not to the stored answer.
func (a *API) moment(c *call, h http.Header) {
	if c.legacy {
		a.retire(h)
	}
	if c.rated {
		h["Ratelimit-Policy"] = []string{a.policy}
		h["Ratelimit"] = []string{c.rate.Header("default")}
	}
}

// fail writes the problem of an error (contract, section 2), or its page.
func (a *API) fail(c *call, err error) {
	f, status := a.faultOf(c, err)
	c.problem = f.Name()
	h := c.w.Header()
	a.moment(c, h)
	h["Content-Type"] = []string{problem.ContentType}
	h["Cache-Control"] = noStore
	delete(h, "Etag")
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		h["Www-Authenticate"] = []string{a.challenged(c, f)}
	}
	if f.RetryAfter > 0 {
		h["Retry-After"] = []string{ratelimit.Seconds(f.RetryAfter)}
	}
	if forPeople(c.r) {
		a.showFailure(c, f, status)
		return
	}
	c.out = problem.Append(c.out[:0], a.APIHost, f, c.id)
	a.send(c, status, c.out)
}

// wrongMethod refuses a method; the Allow header names the methods of the path (RFC 9110, section
// 15.5.6).
func wrongMethod(h http.Header, allow string) error {
	h["Allow"] = []string{allow}
	return fault.New(wire.MethodNotAllowed, "This path allows "+allow+".")
}

func readOnly(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	return wrongMethod(w.Header(), "GET, HEAD")
}

// faultOf returns what the caller may know of an error. An internal error is logged here, once.
func (a *API) faultOf(c *call, err error) (*fault.Error, int) {
	// A fault keeps its kind: its cause, such as a body that broke off, may look like a lost
	// connection to the database.
	judged, ok := errors.AsType[*fault.Error](err)
	if (!ok || judged.Kind == fault.Internal) &&
		(ent.IsUnavailable(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		err = &fault.Error{Kind: fault.Unavailable, Detail: "The service is temporarily unavailable.",
			RetryAfter: time.Second, Err: err}
	}
	f, status := problem.Of(err)
	if status >= http.StatusInternalServerError {
		a.Logger.ErrorContext(c.ctx, "request failed", slog.String("request_id", c.id),
			slog.String("code", f.Name()), slog.Any("error", err))
	}
	return f, status
}

// challenged returns the WWW-Authenticate header of a refusal (RFC 6750, section 3), without an
// error code if no credential was sent.
func (a *API) challenged(c *call, f *fault.Error) string {
	resource, hint := Base, ""
	if c.row != nil {
		resource = cmp.Or(c.row.resource, Base)
		if c.row.hint != "" {
			hint = `, scope="` + c.row.hint + `"`
		}
	}
	challenge := `Bearer realm="storefront", resource_metadata="` + a.APIHost + frontend.ResourcePath + resource + `"`
	switch f.Kind {
	case fault.InvalidToken:
		return challenge + `, error="invalid_token"` + hint
	case fault.InsufficientScope:
		return challenge + `, error="insufficient_scope", scope="` + f.Scope + `"`
	}
	return challenge + hint
}

// send writes a body, compressed if the client accepts that. HEAD gets the headers alone.
func (a *API) send(c *call, status int, body []byte) {
	h := c.w.Header()
	h["Vary"] = variant.Vary
	c.status = status
	if len(body) >= variant.MinPacked && variant.AcceptsGzip(c.r.Header) {
		h["Content-Encoding"] = variant.Gzip
		c.w.WriteHeader(status)
		if c.r.Method != http.MethodHead {
			c.written = int64(variant.WriteGzip(c.w, body))
		}
		return
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	c.w.WriteHeader(status)
	if c.r.Method != http.MethodHead {
		n, _ := c.w.Write(body) // a client that disconnected needs no answer
		c.written = int64(n)
	}
}

// static serves bytes that never change while the process runs.
func (a *API) static(contentType string, body []byte) http.Handler {
	f := &variant.Form{Type: contentType, Plain: body, Packed: variant.Pack(body), Tag: variant.WeakTag(body)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Cache-Control", "public, no-cache")
		f.Send(w, r, http.StatusOK)
	})
}

// list answers with a page or returns the error of reading it: {"data": [...], "next_cursor": ...}.
// The page ends early if the next row would exceed the size limit of an answer.
func list[T any](c *call, page *model.Connection[T], err error, item func([]byte, T) []byte) error {
	if err != nil {
		return err
	}
	c.takePage()
	b := c.out
	b = append(b, `{"data":[`...)
	for i, node := range page.Nodes {
		if i > 0 {
			b = append(b, ',')
		}
		before := len(b)
		if b = item(b, node); len(b) > limit.Answer && i > 0 {
			b, page.Next = b[:before-1], page.Sign(page.Nodes[i-1])
			break
		}
	}
	b = append(b, `],"next_cursor":`...)
	if page.Next == "" {
		b = append(b, `null}`...)
	} else {
		b = append(append(append(b, '"'), page.Next...), `"}`...)
	}
	c.out = b
	return nil
}
