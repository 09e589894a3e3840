package ucp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// maxBody bounds a body, in bytes.
const maxBody = 64 << 10

// answer is a successful answer.
type answer struct {
	status int
	body   any
	raw    []byte // in place of body
}

// refusal is an answer that refuses a request.
type refusal struct {
	status       int
	code, detail string
}

// Error returns the detail.
func (r *refusal) Error() string { return r.detail }

func unknown(detail string) error { return &refusal{http.StatusNotFound, "not_found", detail} }

func invalid(detail string) error { return &refusal{http.StatusBadRequest, "invalid_request", detail} }

// message says to a program what stands in the way, or what it should know.
type message struct {
	Type     string `json:"type"`
	Code     string `json:"code"`
	Path     string `json:"path,omitempty"`
	Content  string `json:"content"`
	Severity string `json:"severity,omitempty"`
}

// Types and severities of a message.
const (
	typeError   = "error"
	typeWarning = "warning"
	recoverable = "recoverable"
	needsBuyer  = "requires_buyer_input"
)

// failure is the body of a refusal.
type failure struct {
	Detail   string    `json:"detail"`
	Messages []message `json:"messages"`
}

// answer sends the outcome of a request.
func (c *call) answer(a answer, err error) {
	if err != nil {
		c.fail(err)
		return
	}
	if a.raw == nil {
		if a.raw, err = json.Marshal(a.body); err != nil {
			c.fail(err)
			return
		}
	}
	c.write(a.status, a.raw)
}

func (c *call) write(status int, body []byte) {
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body)
}

// refuse sends a refusal.
func (c *call) refuse(status int, code, detail string) {
	c.refuseWith(status, detail, []message{{Type: typeError, Code: code, Content: detail, Severity: recoverable}})
}

func (c *call) refuseWith(status int, detail string, messages []message) {
	body, err := json.Marshal(failure{detail, messages})
	if err != nil {
		status, body = http.StatusInternalServerError, []byte("{}")
	}
	c.write(status, body)
}

// fail sends the refusal of an error. An error that is no fault is logged and not shown.
func (c *call) fail(err error) {
	if r, ok := errors.AsType[*refusal](err); ok {
		c.refuse(r.status, r.code, r.detail)
		return
	}
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case !ok && errors.Is(err, context.Canceled):
		c.refuse(http.StatusServiceUnavailable, "unavailable", "The request was canceled.")
	case !ok:
		c.Logger.ErrorContext(c.ctx, "a request of a program failed", slog.Any("error", err))
		c.refuse(http.StatusInternalServerError, "internal_error", "The shop could not answer. Try again later.")
	default:
		if f.RetryAfter > 0 {
			c.w.Header().Set("Retry-After", ratelimit.Seconds(f.RetryAfter))
		}
		c.refuseWith(statusOf(f), f.Detail, messagesOf(f))
	}
}

// statusOf returns the status of a fault. The protocol answers 400 to input that cannot be used.
func statusOf(f *fault.Error) int {
	if f.Kind == fault.ValidationFailed || f.Kind == fault.Conflict && f.Code == fault.OutOfStock {
		return http.StatusBadRequest
	}
	return wire.StatusOf(f)
}

func messagesOf(f *fault.Error) (list []message) {
	for _, field := range f.Fields {
		list = append(list, message{typeError, field.Code, pathOf(field), field.Detail, recoverable})
	}
	if list == nil {
		code := f.Code
		if code == "" {
			code = string(f.Kind)
		}
		list = []message{{Type: typeError, Code: code, Content: f.Detail, Severity: recoverable}}
	}
	return list
}

// pathOf returns the JSON path of a field.
func pathOf(f fault.Field) string {
	return "$." + strings.ReplaceAll(strings.TrimPrefix(f.Pointer, "#/"), "/", ".")
}

// read decodes the body of a request.
func (c *call) read(into any) error {
	if c.body != nil {
		return c.decode(into)
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &refusal{http.StatusRequestEntityTooLarge, "payload_too_large", "The body is larger than 64 KiB."}
	}
	if err != nil {
		return invalid("The body did not arrive whole.")
	}
	media, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if len(body) > 0 && (err != nil || media != "application/json") {
		return &refusal{http.StatusUnsupportedMediaType, "unsupported_media_type", "Send the body as application/json."}
	}
	if c.body = body; len(body) == 0 {
		c.body = []byte("{}")
	}
	return c.decode(into)
}

func (c *call) decode(into any) error {
	if _, err := wire.NewBody(c.body).Value(); err != nil {
		return invalid("The body is not valid JSON.")
	}
	err := json.Unmarshal(c.body, into)
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return invalid("The member " + t.Field + " has the wrong type.")
	}
	if err != nil {
		return invalid("The body is not valid JSON.")
	}
	return nil
}

// minKey is the least length of a key that creates a session: its answer holds the session's secret,
// so the key must not be guessed either.
const minKey = 16

// once answers a change once per idempotency key, and a change without a key each time. First says that
// the change runs in transactions of its own.
func (c *call) once(first bool, f func(context.Context) (answer, error)) (answer, error) {
	keys, given := c.r.Header["Idempotency-Key"]
	if !given {
		return f(c.ctx)
	}
	key := strings.Join(keys, " ")
	if err := idem.CheckKey(key, true); err != nil {
		return answer{}, err
	}
	path, scope := c.r.URL.Path, c.r.URL.Path
	if path == root+sessionsPath {
		if scope = c.r.Header.Get(agentHeader); len(key) < minKey {
			return answer{}, invalid("An Idempotency-Key that creates a checkout has at least 16 characters, such as a UUID.")
		}
	}
	claim := idem.Claim{Key: "ucp\x00" + scope + "\x00" + key, CommitFirst: first,
		Fingerprint: wire.NewBody(c.body).Fingerprint(c.r.Method, path)}
	stored, _, err := c.Idem.Run(c.ctx, claim, func(ctx context.Context) (idem.Answer, error) {
		idem.AboutAnyCustomer(ctx)
		a, err := f(ctx)
		if err != nil {
			return idem.Answer{}, err
		}
		body, err := json.Marshal(a.body)
		return idem.Answer{Status: a.status, ContentType: "application/json", Body: body}, err
	})
	return answer{status: stored.Status, raw: stored.Body}, err
}
