// Package problem writes faults as problem details (RFC 9457). Status and title come from package
// wire. It knows nothing of requests and writes no headers.
package problem

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// ContentType is the media type of the output of [Append].
const ContentType = "application/problem+json"

// Of returns the fault in the chain of err and its status. An error without a fault, or with an
// unknown kind, is internal: it becomes an Internal fault that shows a fixed text and keeps err for
// the log. The caller recognizes a database that is down and an expired deadline before.
func Of(err error) (*fault.Error, int) {
	if f, ok := errors.AsType[*fault.Error](err); ok && f != nil {
		if k, known := wire.ProblemOf(f); known {
			return f, k.Status
		}
	}
	f := &fault.Error{Kind: fault.Internal, Err: err}
	k, _ := wire.ProblemOf(f)
	f.Detail = k.Sentence
	return f, k.Status
}

// Append appends the problem details of f (contract, section 2). A fault without a detail shows the
// sentence of its kind; the cause is never shown.
func Append(b []byte, apiHost string, f *fault.Error, requestID string) []byte {
	k, _ := wire.ProblemOf(f)
	o := wire.Open(b)
	o.Str("type", apiHost+"/docs/problems#"+k.Anchor())
	o.Str("title", k.Title)
	o.Int("status", int64(k.Status))
	o.Str("code", k.Code)
	o.Str("detail", cmp.Or(f.Detail, k.Sentence))
	if f.Limit != "" {
		o.Str("limit", f.Limit)
	}
	o.Str("request_id", requestID)
	o.Name("errors")
	o.B = append(o.B, '[')
	for i := range f.Fields {
		if i > 0 {
			o.B = append(o.B, ',')
		}
		o.B = appendField(o.B, &f.Fields[i])
	}
	o.B = append(o.B, ']')
	return o.Close()
}

// CodeOf returns the code in the output of [Append].
func CodeOf(body []byte) string {
	var p struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(body, &p) != nil {
		return ""
	}
	return p.Code
}

// appendField appends one entry with exactly one location: a field that names none is about the
// whole body.
func appendField(b []byte, f *fault.Field) []byte {
	o := wire.Open(b)
	switch {
	case f.Header != "":
		o.Str("header", f.Header)
	case f.Parameter != "":
		o.Str("parameter", f.Parameter)
	default:
		o.Str("pointer", cmp.Or(f.Pointer, "#"))
	}
	o.Str("code", f.Code)
	o.Str("detail", f.Detail)
	return o.Close()
}
