package oauth

import (
	"context"
	"errors"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/page"
)

// maxQuery is the longest authorization request, in bytes. With its path it still fits the
// sign-in's return address.
const maxQuery = 8000

// visit is an authorization request with the person who decides on it.
type visit struct {
	raw     string // the query as the app sent it; perhaps with the store appended
	params  oauth.Params
	request *oauth.Request
	person  *session.Person
}

// again returns the path that starts the request anew.
func (v *visit) again() string { return AuthorizePath + "?" + v.raw }

// authorize is the authorization endpoint (RFC 6749, section 3.1): GET asks the person, and the
// consent form is posted back. A POST from another site is refused before anything else.
func (f *Frontend) authorize(w http.ResponseWriter, r *http.Request) {
	switch {
	case f.Account.Origins().Check(r) != nil:
		page.Message(w, r, http.StatusForbidden, "Request blocked",
			"Another site sent an answer in your name. Nothing was allowed. Start again from the app that you want "+
				"to connect.")
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
		w.Header().Set("Allow", "GET, HEAD, POST")
		page.Message(w, r, http.StatusMethodNotAllowed, "Method not allowed",
			"This address accepts GET, HEAD and POST.")
	case !f.Account.Allowed:
		account.Refuse(w, r)
	case r.Method == http.MethodPost:
		f.decide(w, r)
	default:
		f.ask(w, r)
	}
}

// ask leads through the sign-in and the choice of a store to the consent page.
func (f *Frontend) ask(w http.ResponseWriter, r *http.Request) {
	v := f.open(w, r, r.URL.RawQuery)
	if v == nil || !v.proved(w) {
		return
	}
	store := v.store(v.params.Get("store"))
	if store == nil {
		f.choose(w, r, v)
		return
	}
	if v.person.Lacks(*store) {
		page.Message(w, r, http.StatusForbidden, "Second factor required", store.Name+" requires a second factor. "+
			"Set one up in the dashboard under Security, then start again from the app.")
		return
	}
	screen, err := f.Server.Consent(viewer.With(r.Context(), v.person.In(store.Store)), v.request)
	if err != nil {
		f.unsettled(w, r, err)
		return
	}
	f.pages.Render(w, r, http.StatusOK, "consent", newConsent(v, store, screen))
}

// open validates a request and finds the person who decides. If it has answered already, it returns
// nil.
func (f *Frontend) open(w http.ResponseWriter, r *http.Request, raw string) *visit {
	if len(raw) > maxQuery {
		f.wrong(w, r, invalid("The authorization request is longer than 8000 bytes."))
		return nil
	}
	// Browsers read \ in an address as /, so addresses on pages have it escaped.
	v := &visit{raw: strings.ReplaceAll(raw, `\`, "%5C")}
	var err, wrong error
	if v.person, err = f.Account.Person(r); err != nil {
		f.trouble(w, r, err)
		return nil
	}
	v.params, wrong = oauth.ParseForm(raw)
	// Only a signed-in person can make this server fetch a document.
	early := v.person == nil && oauth.IsDocument(v.params.Get("client_id"))
	if wrong == nil && !early {
		v.request, wrong = f.Server.Begin(r.Context(), v.params)
	}
	if wrong != nil && !returnable(wrong) {
		f.wrong(w, r, wrong)
		return nil
	}
	// Every redirect is a 303: browsers never resend a form after it (RFC 9700, section 4.12).
	if v.person == nil {
		page.Redirect(w, account.SignInAddress(v.again()))
		return nil
	}
	if wrong != nil {
		f.wrong(w, r, wrong)
		return nil
	}
	return v
}

// proved reports whether the person confirmed their identity recently, which issuing an app's token
// requires as creating a key does. Otherwise it redirects to the page that confirms it.
func (v *visit) proved(w http.ResponseWriter) bool {
	if v.person.Stale() {
		page.Redirect(w, account.AgainAddress(v.again()))
		return false
	}
	return true
}

// returnable reports whether the error may be sent to the app, if the person agrees.
func returnable(err error) bool {
	e, ok := errors.AsType[*oauth.Error](err)
	if !ok {
		return false
	}
	_, _, ok = e.Back()
	return ok
}

// wrong answers an invalid request without asking for consent. It never redirects to the app: if
// the address is known to be the app's, the page offers a link with the error.
func (f *Frontend) wrong(w http.ResponseWriter, r *http.Request, err error) {
	e := f.judge(r, err)
	switch status := statusOf(e); status {
	case http.StatusInternalServerError, http.StatusServiceUnavailable:
		sorry(w, r, status)
	default:
		name, back, _ := e.Back()
		to := template.URL(back) //nolint:gosec // the app's registered address, whose scheme was checked then
		f.pages.Render(w, r, http.StatusBadRequest, "faulty", faulty{name, e.Description, to})
	}
}

func (f *Frontend) decide(w http.ResponseWriter, r *http.Request) {
	form, ok := readForm(w, r)
	if !ok {
		page.Message(w, r, http.StatusBadRequest, "Your answer is not valid",
			"Start again from the app that you want to connect.")
		return
	}
	v := f.open(w, r, form.Get("request"))
	if v == nil {
		return
	}
	id, err := xid.Store.Parse(form.Get("store"))
	who := v.person.In(id)
	if err != nil || who == nil { // they were removed from the store meanwhile
		f.spent(w, r, v)
		return
	}
	answer := f.Server.Deny
	switch form.Get("decision") {
	case "allow":
		if !v.proved(w) {
			return
		}
		answer = f.Server.Allow
	case "deny":
	default:
		f.spent(w, r, v)
		return
	}
	f.settle(w, r, v, func(ctx context.Context) (string, error) {
		return answer(viewer.With(ctx, who), v.request, form.Get("ticket"))
	})
}

func (f *Frontend) settle(
	w http.ResponseWriter, r *http.Request, v *visit, answer func(context.Context) (string, error),
) {
	to, err := answer(r.Context())
	refused, _ := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		page.Redirect(w, to)
	case errors.Is(err, oauth.ErrInvalidTicket):
		f.spent(w, r, v)
	case refused != nil && refused.Kind == fault.Forbidden:
		page.Message(w, r, http.StatusForbidden, "You cannot allow this", refused.Detail)
	default:
		f.unsettled(w, r, err)
	}
}

// unsettled answers an error of the consent: one of the app's request, or of this server.
func (f *Frontend) unsettled(w http.ResponseWriter, r *http.Request, err error) {
	if _, ok := errors.AsType[*oauth.Error](err); ok {
		f.wrong(w, r, err)
		return
	}
	f.trouble(w, r, err)
}

func (f *Frontend) spent(w http.ResponseWriter, r *http.Request, v *visit) {
	f.pages.Render(w, r, http.StatusBadRequest, "again", again{v.request.App.Name, v.again()})
}

// readForm reads the body of a POST with each field at most once.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, false
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, false
	}
	for _, values := range form {
		if len(values) > 1 {
			return nil, false
		}
	}
	return form, true
}

func (f *Frontend) trouble(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	if ours, ok := errors.AsType[*fault.Error](err); ent.IsUnavailable(err) || ok && ours.Kind == fault.Unavailable ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		status = http.StatusServiceUnavailable
	}
	f.Logger.ErrorContext(r.Context(), "consent failed", slog.String("request_id", viewer.Request(r.Context())),
		slog.Any("error", err))
	sorry(w, r, status)
}

func sorry(w http.ResponseWriter, r *http.Request, status int) {
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
		page.Message(w, r, status, "Temporarily unavailable", "Try again later.")
		return
	}
	page.Message(w, r, status, "Something went wrong", "We have logged the error. Try again later.")
}

// consentable returns the stores for which the person may consent.
func (v *visit) consentable() []session.Membership {
	return slices.DeleteFunc(slices.Clone(v.person.Memberships), func(m session.Membership) bool {
		return m.Closed || !oauth.MayConsent(m.Role)
	})
}

// store returns the named store, or the only one there is; nil if the person does not belong to it.
func (v *visit) store(named string) *session.Membership {
	if id, err := xid.Store.Parse(named); err == nil {
		i := slices.IndexFunc(v.person.Memberships, func(m session.Membership) bool { return m.Store == id })
		if i >= 0 {
			return &v.person.Memberships[i]
		}
	}
	if own := v.consentable(); len(own) == 1 {
		return &own[0]
	}
	return nil
}
