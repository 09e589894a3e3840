package checkout

import (
	"errors"
	"net/http"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// emailField is the only field of the sign-in; never changed.
var emailField = []blank{{"email", phrase.Email, "email", "email", maxEmail, true}}

// SignInPage asks for an email address.
type SignInPage struct {
	Frame
	Email Field
	// Passkey is the argument of the browser for a passkey, "" if the host has none.
	Passkey string
}

// CodePage asks for the code that was sent to an address.
type CodePage struct {
	Frame
	Text   string
	Action string
	Code   Field
	// Button is the label of the button, and Back the page with another way.
	Button, Back, BackLabel string
}

// signInPage is GET /account/sign-in.
func (v *visit) signInPage() {
	switch a, err := v.signedIn(); {
	case err != nil:
		v.failed(err)
	case a != nil:
		to(v.w, accountPath)
	default:
		v.signInForm(http.StatusOK, "", "")
	}
}

func (v *visit) signInForm(status int, wrong, problem string) {
	fields := fieldsOf(v.texts, emailField, map[string]string{"email": v.value("email")},
		map[string]string{"email": wrong})
	passkey, err := v.Shoppers.AskPasskey(v.ctx, v.origin())
	if err != nil {
		v.failed(err)
		return
	}
	page := SignInPage{Frame: v.frame(phrase.SignIn), Email: fields[0], Passkey: string(passkey)}
	page.Problem = problem
	v.show(v.w, v.r, status, page)
}

// ask is POST /account/sign-in. Its answer does not depend on whether the store knows the address.
func (v *visit) ask() {
	token, err := v.Shoppers.Ask(v.ctx, state.ShopperSignIn, v.value("email"))
	limited := v.limited(err)
	switch wrong := v.wrongOf(err); {
	case wrong != nil:
		v.signInForm(http.StatusUnprocessableEntity, v.texts.Say(phrase.NotEmail), "")
	case limited != "":
		v.signInForm(http.StatusTooManyRequests, "", limited)
	case err != nil:
		v.failed(err)
	default:
		v.set(codeCookie, token)
		to(v.w, codePath)
	}
}

// limited returns the text for a shopper who has been sent too many codes, "" for another error, and
// sets the time to wait.
func (v *visit) limited(err error) string {
	f, _ := errors.AsType[*fault.Error](err)
	if f == nil || f.Kind != fault.RateLimited {
		return ""
	}
	v.w.Header().Set("Retry-After", ratelimit.Seconds(f.RetryAfter))
	return v.texts.Say(phrase.CodesSent)
}

// codePage is GET /account/code.
func (v *visit) codePage() { v.codeForm(http.StatusOK, "") }

func (v *visit) codeForm(status int, wrong string) {
	email, err := v.Shoppers.Asked(v.ctx, state.ShopperSignIn, v.get(codeCookie))
	switch {
	case err != nil:
		v.failed(err)
	case email == "" && status == http.StatusOK:
		to(v.w, signInPath)
	case email == "":
		v.signInForm(http.StatusForbidden, "", v.texts.Say(phrase.CodeOver))
	default:
		v.show(v.w, v.r, status, CodePage{Frame: v.frame(phrase.EnterCode), Text: v.texts.Say(phrase.CodeSent, email),
			Action: codePath, Button: v.texts.Say(phrase.SignIn), Back: signInPath,
			BackLabel: v.texts.Say(phrase.OtherEmail), Code: v.codeField(wrong)})
	}
}

// maxCode leaves room for spaces between the digits.
const maxCode = 2 * shopper.CodeDigits

func (v *visit) codeField(wrong string) Field {
	return Field{Name: "code", Label: v.texts.Say(phrase.SignInCode), Type: "text", Autocomplete: "one-time-code",
		Required: true, MaxLength: maxCode, Error: wrong}
}

// signIn is POST /account/code.
func (v *visit) signIn() {
	token, err := v.Shoppers.SignIn(v.ctx, v.get(codeCookie), v.value("code"), v.get(accountCookie))
	switch {
	case errors.Is(err, shopper.ErrWrong):
		v.codeForm(http.StatusUnprocessableEntity, v.texts.Say(phrase.CodeWrong))
	case errors.Is(err, shopper.ErrOver):
		v.set(codeCookie, "")
		v.signInForm(http.StatusForbidden, "", v.texts.Say(phrase.CodeOver))
	case errors.Is(err, shopper.ErrDisabled):
		v.message(http.StatusForbidden, phrase.SignIn, phrase.AccountDisabled)
	case err != nil:
		v.failed(err)
	default:
		v.welcome(token)
	}
}

// welcome sets the cookie of a new session and shows the account.
func (v *visit) welcome(token string) {
	v.set(codeCookie, "")
	v.set(accountCookie, token)
	to(v.w, accountPath)
}

// signOut is POST /account/sign-out.
func (v *visit) signOut(a *shopper.Account) {
	if err := v.Shoppers.End(v.ctx, a, a.Session.String()); err != nil {
		v.failed(err)
		return
	}
	v.set(accountCookie, "")
	to(v.w, signInPath)
}
