package rest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/rest/problem"
)

// keyed answers a write once per idempotency key (contract, section 3).
func (a *API) keyed(c *call) error {
	keys, present := c.r.Header["Idempotency-Key"]
	key := ""
	if present {
		key = strings.Join(keys, " ") // two headers are not one key: the space makes them invalid
	}
	if err := idem.CheckKey(key, present); err != nil {
		return err
	}
	if err := readBody(c); err != nil {
		return err
	}
	if err := a.Core.BodyLeft(c.ctx, int64(c.body.Len())); err != nil {
		return err
	}
	c.upload = a.keepImport(c)
	path := strings.TrimPrefix(strings.TrimPrefix(c.r.URL.Path, Base), legacyBase)
	claim := idem.Claim{Key: key, Fingerprint: c.body.Fingerprint(c.r.Method, path)}
	answer, replayed, err := a.Idem.Run(c.ctx, claim, func(ctx context.Context) (idem.Answer, error) {
		return a.once(ctx, c)
	})
	if err == nil && replayed && !answer.Refused {
		err = c.reaches(answer.Body)
	}
	if err != nil {
		return err
	}
	c.code, c.out, c.location, c.replayed = answer.Status, append(c.out[:0], answer.Body...), answer.Location, replayed
	c.w.Header()["Content-Type"] = []string{answer.ContentType}
	if answer.Status >= http.StatusBadRequest {
		c.problem = problem.CodeOf(answer.Body)
	}
	return nil
}

// reaches refuses to replay a write that the credential may not do: a token that was refreshed with
// fewer scopes shares its keys with its predecessors. What the write would have read follows from
// the answer: the events of a webhook endpoint, the kind of an export.
func (c *call) reaches(answer []byte) error {
	var made struct {
		Events []event.Type     `json:"events"`
		Kind   state.ExportKind `json:"kind"`
	}
	_ = json.Unmarshal(answer, &made) // an answer without a body needs no scope
	return core.RequireReadScope(c.ctx, made.Kind, made.Events...)
}

// once runs the handler in the transaction of its key. The transaction may run again, so each try
// starts with an empty answer.
func (a *API) once(ctx context.Context, c *call) (idem.Answer, error) {
	outer := c.ctx
	c.ctx, c.out, c.code, c.location, c.faults = ctx, c.out[:0], 0, "", nil
	defer func() { c.ctx = outer }()
	err := c.judged(c.row.handle(a, c))
	if err == nil {
		return idem.Answer{Status: c.code, ContentType: jsonType, Location: c.location, Body: c.out}, nil
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || !wire.Lasting(f) {
		return idem.Answer{}, err
	}
	return idem.Answer{Status: wire.StatusOf(f), ContentType: problem.ContentType, Refused: true,
		Body: problem.Append(nil, a.APIHost, f, viewer.Request(ctx))}, nil
}

// readBody reads the whole body, checks its size and then its media type, and parses it. An empty
// body may have any media type.
func readBody(c *call) error {
	if c.r.ContentLength > limit.Body {
		return tooLarge()
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, limit.Body))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge()
	}
	if err != nil {
		return &fault.Error{Kind: fault.MalformedBody, Detail: "The body did not arrive whole.", Err: err}
	}
	if len(body) > 0 && !isPlainJSON(c.r.Header) {
		return fault.New(wire.UnsupportedMediaType, "Send the body as application/json without a content encoding.")
	}
	c.body = wire.NewBody(body)
	return nil
}

func isPlainJSON(h http.Header) bool {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	encoding := h.Get("Content-Encoding")
	return err == nil && media == "application/json" && (encoding == "" || strings.EqualFold(encoding, "identity"))
}

func tooLarge() error {
	return fault.New(fault.PayloadTooLarge, "The body is larger than 1 MiB.")
}
