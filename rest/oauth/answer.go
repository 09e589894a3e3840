package oauth

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// send answers a program with JSON. The answer may hold a secret, so it must not be cached (RFC
// 6749, section 5.1).
func send(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Pragma", "no-cache")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// sendRefusal answers with an error in the format of RFC 6749, section 5.2.
func sendRefusal(w http.ResponseWriter, status int, code, description string) {
	o := wire.Open(nil)
	o.Str("error", code)
	o.Str("error_description", description)
	send(w, status, o.Close())
}

func (f *Frontend) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := f.judge(r, err)
	status := statusOf(e)
	if status == http.StatusUnauthorized {
		// RFC 6749, section 5.2: the scheme by which a client may authenticate.
		w.Header().Set("WWW-Authenticate", `Basic realm="storefront"`)
	}
	f.refuse(w, status, e)
}

func (f *Frontend) refuse(w http.ResponseWriter, status int, e *oauth.Error) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", ratelimit.Seconds(e.RetryAfter))
	}
	sendRefusal(w, status, e.Code, e.Description)
}

// judge returns the public part of an error. A cause is logged here, once.
func (f *Frontend) judge(r *http.Request, err error) *oauth.Error {
	e, ok := errors.AsType[*oauth.Error](err)
	if !ok {
		e = &oauth.Error{Code: oauth.ServerError, Description: "Internal server error.", Err: err}
	}
	if e.Err != nil {
		f.Logger.ErrorContext(r.Context(), "oauth request failed",
			slog.String("request_id", viewer.Request(r.Context())), slog.String("code", e.Code), slog.Any("error", e))
	}
	return e
}

// statusOf returns the status of an error that is not sent by redirect.
func statusOf(e *oauth.Error) int {
	switch e.Code {
	case oauth.InvalidClient:
		return http.StatusUnauthorized
	case oauth.TemporarilyUnavailable:
		return http.StatusServiceUnavailable
	case oauth.ServerError:
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

func invalid(description string) *oauth.Error {
	return &oauth.Error{Code: oauth.InvalidRequest, Description: description}
}
