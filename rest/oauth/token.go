package oauth

import (
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// maxBody is the largest request body, in bytes.
const maxBody = 64 << 10

// token answers in the format of RFC 6749, section 5.1, with the store of the tokens. The scopes
// are sorted and separated by spaces.
func (f *Frontend) token(w http.ResponseWriter, r *http.Request, p oauth.Params) {
	t, err := f.Server.Token(r.Context(), p, r.Header["Authorization"])
	if err != nil {
		f.fail(w, r, err)
		return
	}
	o := wire.Open(nil)
	o.Str("access_token", t.Access.Reveal())
	o.Str("token_type", "Bearer")
	o.Int("expires_in", int64(t.ExpiresIn/time.Second))
	o.Str("refresh_token", t.Refresh.Reveal())
	o.Str("scope", t.Scopes.String())
	o.ID("store_id", xid.Store, t.Store)
	send(w, http.StatusOK, o.Close())
}

// revoke answers 200 with an irrelevant body (RFC 7009, section 2.2). It is JSON nonetheless,
// because some clients parse every answer.
func (f *Frontend) revoke(w http.ResponseWriter, r *http.Request, p oauth.Params) {
	if err := f.Server.Revoke(r.Context(), p, r.Header["Authorization"]); err != nil {
		f.fail(w, r, err)
		return
	}
	send(w, http.StatusOK, []byte("{}"))
}

func (f *Frontend) called(next func(http.ResponseWriter, *http.Request, oauth.Params)) http.Handler {
	return f.posted(func(w http.ResponseWriter, r *http.Request) {
		p, err := read(w, r)
		if err != nil {
			f.fail(w, r, err)
			return
		}
		next(w, r, p)
	})
}

// posted accepts POST by programs, at a bounded rate.
func (f *Frontend) posted(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			wrongMethod(w, "POST")
			return
		}
		if !f.Account.Allowed {
			f.refuse(w, http.StatusForbidden, invalid(closed))
			return
		}
		if d := ratelimit.TakeNetwork(f.clients, f.ClientOf(r), 1); !d.OK {
			f.refuse(w, http.StatusTooManyRequests, &oauth.Error{Code: oauth.TemporarilyUnavailable,
				Description: "Too many requests from this address. Try again later.", RetryAfter: d.RetryAfter})
			return
		}
		next(w, r)
	})
}

// closed is the answer if {api_host} is not safe for secrets.
const closed = "The service does not issue tokens over plain http."

func wrongMethod(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	sendRefusal(w, http.StatusMethodNotAllowed, oauth.InvalidRequest, "This address accepts "+allow+".")
}

// read reads the parameters of the body. The query is ignored: addresses are stored in too many
// places for a secret (RFC 6749, section 3.2).
func read(w http.ResponseWriter, r *http.Request) (oauth.Params, error) {
	parse, err := parser(r.Header)
	if err != nil {
		return oauth.Params{}, err
	}
	body, err := readBody(w, r)
	if err != nil {
		return oauth.Params{}, err
	}
	return parse(body)
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil { // too long or broken off: the request is incomplete
		return nil, invalid("The body is longer than 65536 bytes or incomplete.")
	}
	return body, nil
}

// mediaOf returns the media type of a body. An invalid parameter leaves the type readable.
func mediaOf(h http.Header) string {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return media
}

// parser chooses by media type and ignores its parameters.
func parser(h http.Header) (func([]byte) (oauth.Params, error), error) {
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, invalid("The body must not be encoded.")
	}
	switch mediaOf(h) {
	case "application/x-www-form-urlencoded":
		return func(b []byte) (oauth.Params, error) { return oauth.ParseForm(string(b)) }, nil
	case "application/json":
		return oauth.ParseJSON, nil
	}
	return nil, invalid("The body must be application/x-www-form-urlencoded or application/json.")
}
