package account

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/rest/page"
)

// pair is a page with a form: show answers GET, and take answers POST.
func (a *Account) pair(show http.HandlerFunc,
	take func(w http.ResponseWriter, r *http.Request, form url.Values),
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
			notAllowed(w, r, "GET, HEAD, POST")
		case !a.Allowed:
			Refuse(w, r)
		case r.Method != http.MethodPost:
			show(w, r)
		case !a.foreign(w, r):
			if form, ok := readForm(w, r); ok {
				take(w, r, form)
			}
		}
	})
}

func tokenOf(r *http.Request, path string) string { return strings.TrimPrefix(r.URL.Path, path) }

func (a *Account) over(w http.ResponseWriter, r *http.Request, err error, text string) {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.NotFound {
		page.Message(w, r, http.StatusNotFound, "This link is no longer valid", text)
		return
	}
	a.failed(w, r, err)
}

// problems are the errors of a form: by field, and the rest.
type problems struct {
	rest   string
	fields map[string]string
}

// problemsOf returns a fault that the person can correct; ok is false for internal errors.
func problemsOf(err error) (p problems, ok bool) {
	f, is := errors.AsType[*fault.Error](err)
	if !is || f.Kind == fault.Unavailable || f.Kind == fault.NotFound {
		return p, false
	}
	p = problems{rest: f.Detail, fields: map[string]string{}}
	for _, field := range f.Fields {
		p.rest = ""
		p.fields[strings.TrimPrefix(field.Pointer, "#/")] = field.Detail
	}
	return p, true
}

// refusedAs returns the status of a page that shows the errors of its form. It sets Retry-After
// after too many requests.
func refusedAs(w http.ResponseWriter, err error) int {
	f, is := errors.AsType[*fault.Error](err)
	if !is || f.Kind != fault.RateLimited {
		return http.StatusUnprocessableEntity
	}
	w.Header().Set("Retry-After", ratelimit.Seconds(f.RetryAfter))
	return http.StatusTooManyRequests
}

func newPassword(wrong string) page.Field {
	return page.Field{Name: "password", Label: "Password", Type: "password", Autocomplete: "new-password",
		Hint: "At least 10 characters.", Error: wrong, Required: true}
}
