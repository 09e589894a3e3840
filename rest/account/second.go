package account

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/rest/page"
)

// Paths of the second factor, and of passkeys that need no password.
const (
	SecondPath         = "/sign-in/second"
	SecondOptionsPath  = "/sign-in/second/options"
	PasskeyPath        = "/sign-in/passkey"
	PasskeyOptionsPath = "/sign-in/passkey/options"
)

type second struct {
	Problem  string
	ReturnTo string
	// Codes says that the person has an authenticator app.
	Codes bool
	Code  page.Field
	Send  page.Button
	// Passkey is where the form with a passkey is sent; empty if the person has none.
	Passkey, Options string
}

// offer returns the path of a passkey form, or "" if passkeys are not available here.
func (a *Account) offer(path string) string {
	if !a.Core.Factors.Passkeys() {
		return ""
	}
	return path
}

// Second serves /sign-in/second, where a person who knew their password shows their second factor.
func (a *Account) Second() http.Handler {
	return a.pair(func(w http.ResponseWriter, r *http.Request) {
		a.askSecond(w, r, http.StatusOK, "", r.URL.Query().Get("return_to"))
	}, a.takeSecond)
}

func (a *Account) askSecond(w http.ResponseWriter, r *http.Request, status int, problem, returnTo string) {
	person, err := a.Sessions.Pending(r.Context(), a.get(r, stepCookie))
	if errors.Is(err, session.ErrOver) {
		a.set(w, stepCookie, "")
		page.Redirect(w, SignInAddress(local(returnTo)))
		return
	}
	if err != nil {
		a.failed(w, r, err)
		return
	}
	rows, err := a.Core.Factors.List(r.Context(), person)
	if err != nil {
		a.failed(w, r, err)
		return
	}
	s := second{Problem: problem, ReturnTo: local(returnTo), Options: SecondOptionsPath,
		Codes: slices.ContainsFunc(rows, kind(state.FactorTOTP)), Send: page.Button{Label: "Sign in"}}
	if slices.ContainsFunc(rows, kind(state.FactorPasskey)) {
		s.Passkey = a.offer(SecondPath)
	}
	s.Code = page.Field{Name: "code", Label: "Recovery code", Type: "text", Autocomplete: "one-time-code",
		Hint: "Use one of the codes that you saved when you set up your second factor.", Required: true, MaxLength: 64}
	if s.Codes {
		s.Code.Label, s.Code.Autofocus = "Code", s.Passkey == ""
		s.Code.Hint = "Enter the six digits from your authenticator app, or a recovery code."
	}
	a.pages.Render(w, r, status, "second", s)
}

func kind(k state.FactorKind) func(*db.Factor) bool {
	return func(f *db.Factor) bool { return f.Kind == k }
}

func (a *Account) takeSecond(w http.ResponseWriter, r *http.Request, form url.Values) {
	token, returnTo := a.get(r, stepCookie), form.Get("return_to")
	person, err := a.Sessions.Pending(r.Context(), token)
	if err == nil {
		var s session.Signed
		answer := factor.Answer{Code: form.Get("code"), Ceremony: form.Get("ceremony"),
			Response: []byte(form.Get("response"))}
		err = a.Core.Factors.Prove(r.Context(), person, answer, func(ctx context.Context, _ factor.Used) (err error) {
			s, err = a.Sessions.Finish(ctx, token, a.attempt(r, "", ""))
			return err
		})
		if err == nil {
			a.set(w, stepCookie, "")
			a.signed(w, s, local(returnTo))
			return
		}
	}
	f, is := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(err, session.ErrOver):
		a.set(w, stepCookie, "")
		a.show(w, r, http.StatusForbidden, f.Detail, "", returnTo)
	case is && f.Kind != fault.Unavailable:
		a.askSecond(w, r, waits(w, f), f.Detail, returnTo)
	default:
		a.failed(w, r, err)
	}
}

// waits returns the status of a refusal and sets Retry-After.
func waits(w http.ResponseWriter, f *fault.Error) int {
	if f.Kind != fault.RateLimited {
		return http.StatusForbidden
	}
	w.Header().Set("Retry-After", ratelimit.Seconds(f.RetryAfter))
	return http.StatusTooManyRequests
}

// SecondOptions serves /sign-in/second/options: the passkey request options of a person who knew
// their password.
func (a *Account) SecondOptions() http.Handler {
	return a.question(func(r *http.Request) (*factor.Ceremony, error) {
		person, err := a.Sessions.Pending(r.Context(), a.get(r, stepCookie))
		if err != nil {
			return nil, err
		}
		return a.Core.Factors.AskSecond(r.Context(), person)
	})
}

// PasskeyOptions serves /sign-in/passkey/options: the request options for passkeys without a
// password, for any browser.
func (a *Account) PasskeyOptions() http.Handler {
	return a.question(func(r *http.Request) (*factor.Ceremony, error) {
		return a.Core.Factors.AskPasswordless(r.Context())
	})
}

// question answers POST with passkey request options, as JSON for the script.
func (a *Account) question(ask func(*http.Request) (*factor.Ceremony, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodPost:
			notAllowed(w, r, "POST")
			return
		case !a.Allowed:
			Refuse(w, r)
			return
		case a.foreign(w, r):
			return
		}
		q, err := ask(r)
		if err != nil {
			a.noQuestion(w, r, err)
			return
		}
		answer(w, http.StatusOK, map[string]any{"token": q.Token, "options": q.Options})
	})
}

func (a *Account) noQuestion(w http.ResponseWriter, r *http.Request, err error) {
	f, is := errors.AsType[*fault.Error](err)
	if !is || f.Kind == fault.Unavailable {
		a.Logger.ErrorContext(r.Context(), "a passkey was not asked for", "error", err)
		answer(w, http.StatusServiceUnavailable, map[string]any{"problem": "Temporarily unavailable. Try again."})
		return
	}
	answer(w, waits(w, f), map[string]any{"problem": f.Detail})
}

func answer(w http.ResponseWriter, status int, v map[string]any) {
	body, err := json.Marshal(v)
	if err != nil { // our own texts, and JSON that was checked
		status, body = http.StatusInternalServerError, []byte("{}")
	}
	page.Guard(w.Header())
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body)
}

// Passkey serves POST /sign-in/passkey: it signs in with a passkey that verified its user.
func (a *Account) Passkey() http.Handler {
	return a.pair(func(w http.ResponseWriter, r *http.Request) {
		page.Redirect(w, SignInPath)
	}, func(w http.ResponseWriter, r *http.Request, form url.Values) {
		var s session.Signed
		err := a.Core.Factors.ProvePasswordless(r.Context(), form.Get("ceremony"), []byte(form.Get("response")),
			func(ctx context.Context, person xid.ID, _ factor.Used) (err error) {
				s, err = a.Sessions.Admit(ctx, person, a.attempt(r, "", ""))
				return err
			})
		f, is := errors.AsType[*fault.Error](err)
		switch {
		case err == nil:
			a.signed(w, s, local(form.Get("return_to")))
		case is && f.Kind != fault.Unavailable:
			a.show(w, r, waits(w, f), f.Detail, "", form.Get("return_to"))
		default:
			a.failed(w, r, err)
		}
	})
}
