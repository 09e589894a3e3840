package transport

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Media types of answers (GraphQL over HTTP, section 4).
const (
	typeJSON    = "application/json"
	typeGraphQL = "application/graphql-response+json"
)

type response struct {
	w http.ResponseWriter
	r *http.Request
	// request is the public id of the request.
	request string
	// graphql means that the caller accepts the media type with meaningful status codes; with plain
	// JSON, errors of a document have status 200.
	graphql bool
}

func newResponse(w http.ResponseWriter, r *http.Request) *response {
	return &response{w, r, viewer.Request(r.Context()), prefersGraphQL(r.Header.Values("Accept"))}
}

// prefersGraphQL parses an Accept header (RFC 9110, section 12.5.1). Wildcards and unknown types
// mean plain JSON.
func prefersGraphQL(accept []string) bool {
	best, graphql := 0.0, false
	for _, line := range accept {
		for part := range strings.SplitSeq(line, ",") {
			kind, params, _ := strings.Cut(part, ";")
			kind = strings.ToLower(strings.TrimSpace(kind))
			if kind != typeJSON && kind != typeGraphQL {
				continue
			}
			if q := quality(params); q > best {
				best, graphql = q, kind == typeGraphQL
			}
		}
	}
	return graphql
}

func quality(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if q, err := strconv.ParseFloat(value, 64); err == nil && strings.EqualFold(name, "q") {
			return q
		}
	}
	return 1
}

func (out *response) contentType() string {
	if out.graphql {
		return typeGraphQL + "; charset=utf-8"
	}
	return typeJSON + "; charset=utf-8"
}

// send writes the answer. No answer may be cached, because it depends on the caller.
func (out *response) send(status int, contentType string, body []byte) {
	header := out.w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	out.w.WriteHeader(status)
	_, _ = out.w.Write(body) // a disconnected client needs no answer
}

// fault answers a request that did not reach an operation, with the status that REST uses for the
// fault.
func (out *response) fault(f *fault.Error) {
	header := out.w.Header()
	if f.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(wire.RetrySeconds(f.RetryAfter)))
	}
	errs := gqlerror.List{presentFault(out.request, f)}
	out.send(wire.StatusOf(f), out.contentType(), appendErrors(nil, errs, nil))
}

// wrongMethod answers a request with an unsupported method (RFC 9110, section 15.5.6).
func (out *response) wrongMethod(allow, detail string) {
	out.w.Header().Set("Allow", allow)
	out.fault(fault.New(wire.MethodNotAllowed, detail))
}

func (out *response) invalid(errs gqlerror.List, o *operation) {
	status := http.StatusOK
	if out.graphql {
		status = http.StatusBadRequest
	}
	out.send(status, out.contentType(), appendErrors(nil, errs, o))
}

// buffers are pooled, except for very large ones.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxPooled = 256 << 10

// outcome answers with the result of an execution: 200, since it ran.
func (out *response) outcome(done outcome, o *operation) {
	b := buffers.Get().(*[]byte)
	*b = appendOutcome((*b)[:0], done, o)
	out.send(http.StatusOK, out.contentType(), *b)
	if cap(*b) <= maxPooled {
		buffers.Put(b)
	}
}

func appendOutcome(b []byte, done outcome, o *operation) []byte {
	b = append(b, '{')
	if len(done.errors) > 0 {
		b = append(appendList(b, done.errors), ',')
	}
	b = append(b, `"data":`...)
	b = append(b, done.data...)
	return append(appendCost(b, o), '}')
}

// appendErrors appends an answer without data. o is nil if the cost is unknown.
func appendErrors(b []byte, errs gqlerror.List, o *operation) []byte {
	b = appendList(append(b, '{'), errs)
	if o != nil {
		b = appendCost(b, o)
	}
	return append(b, '}')
}

func appendList(b []byte, errs gqlerror.List) []byte {
	list, err := json.Marshal(errs)
	if err != nil {
		list = []byte(`[{"message":"` + internalDetail + `","extensions":{"code":"internal_error"}}]`)
	}
	return append(append(b, `"errors":`...), list...)
}

func appendCost(b []byte, o *operation) []byte {
	b = append(b, `,"extensions":{"cost":{"requested":`...)
	b = strconv.AppendInt(b, int64(o.cost), 10)
	b = append(b, `,"limit":`...)
	b = strconv.AppendInt(b, maxCost, 10)
	return append(b, "}}"...)
}
