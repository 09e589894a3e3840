package account

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/rest/page"
)

// gone explains an invitation link that no longer works.
const gone = "The invitation was answered, withdrawn or sent again, or it is older than seven days. Ask the person " +
	"who invited you for another one."

type invitation struct {
	Path, Shop, Role, Inviter, Until string
	Email                            string
	// Signed is the email address of the person signed in, or "".
	Signed string
	// Theirs says that this person is the invitee.
	Theirs bool
	// Known says that the address has an account, and Claimed that the account's creator never
	// confirmed the address.
	Known, Claimed bool
	Problem        string
	Name, Password page.Field
	SignIn         string
}

// Invitation serves /invitation/{token}: the holder of the link reads the invitation, and declines
// it or, once signed in, accepts it.
func (a *Account) Invitation() http.Handler {
	return a.pair(func(w http.ResponseWriter, r *http.Request) {
		a.showInvitation(w, r, http.StatusOK, "", problems{})
	}, a.answerInvitation)
}

func (a *Account) showInvitation(w http.ResponseWriter, r *http.Request, status int, name string, p problems) {
	i, err := a.Core.Invited(r.Context(), tokenOf(r, access.InvitationPath))
	if err != nil {
		a.over(w, r, err, gone)
		return
	}
	who, err := a.Person(r)
	if err != nil {
		a.failed(w, r, err)
		return
	}
	shown := invitation{Path: r.URL.Path, Shop: i.Shop, Role: strings.ToUpper(string(i.Role[:1])) + string(i.Role[1:]),
		Inviter: i.InviterName, Until: i.ExpiresAt.Time().UTC().Format("2 January 2006, 15:04 MST"), Email: i.Email,
		Known: i.Account != nil, Claimed: i.TakesOver(), Problem: p.rest, SignIn: SignInAddress(r.URL.Path),
		Name: page.Field{Name: "name", Label: "Your name", Type: "text", Value: name, Autocomplete: "name",
			Error: p.fields["name"], Required: true, MaxLength: 255},
		Password: newPassword(p.fields["password"])}
	if i.InviterID == nil {
		shown.Inviter = "The operator of the service"
	}
	if who != nil {
		shown.Signed, shown.Theirs = who.Email, who.Email == i.Email
	}
	a.pages.Render(w, r, status, "invitation", shown)
}

func (a *Account) answerInvitation(w http.ResponseWriter, r *http.Request, form url.Values) {
	token := tokenOf(r, access.InvitationPath)
	var err error
	switch form.Get("answer") {
	case "decline":
		if err = a.Core.Decline(r.Context(), token); err == nil {
			page.Message(w, r, http.StatusOK, "Invitation declined", "You can close this page.")
			return
		}
	case "accept":
		var who *session.Person
		if who, err = a.Person(r); err != nil {
			a.failed(w, r, err)
			return
		}
		if who == nil { // their session has ended since the page was shown
			page.Redirect(w, SignInAddress(r.URL.Path))
			return
		}
		if err = a.Core.Accept(r.Context(), token, who.User); err == nil {
			page.Redirect(w, home)
			return
		}
	case "join":
		var email string
		email, err = a.Core.AcceptNew(r.Context(), token, strings.TrimSpace(form.Get("name")), form.Get("password"))
		if err == nil {
			a.begin(w, r, email, form.Get("password"))
			return
		}
	default:
		page.Message(w, r, http.StatusBadRequest, "The form is not valid", "Go back and try again.")
		return
	}
	if p, ok := problemsOf(err); ok {
		a.showInvitation(w, r, refusedAs(w, err), form.Get("name"), p)
		return
	}
	a.over(w, r, err, gone)
}

// begin signs in a person who has just chosen their password. If that fails, they sign in
// themselves.
func (a *Account) begin(w http.ResponseWriter, r *http.Request, email, text string) {
	try := a.attempt(r, email, text)
	try.Unknown = nil // the first browser of an account needs no notice
	signed, err := a.Sessions.SignIn(r.Context(), try)
	if err != nil {
		page.Redirect(w, SignInAddress(home))
		return
	}
	a.signed(w, signed, home)
}
