package e2e

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/demo"
)

// person is a person with a browser without scripts: it keeps cookies, follows links within the
// service and submits forms.
type person struct {
	t      testing.TB
	api    string
	client *http.Client
}

// view is the page that a person sees.
type view struct {
	at     string // the address
	status int
	text   string
	// away is the address outside the service to which they were redirected.
	away string
}

func (p *program) person(t testing.TB) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t, p.API, &http.Client{
		Timeout: patience, Jar: jar, Transport: free.Transport, CheckRedirect: free.CheckRedirect,
	}}
}

// open opens an address and follows redirects until one leaves the service.
func (u *person) open(address string) view {
	u.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = u.api + address
	}
	req, err := http.NewRequestWithContext(u.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		u.t.Fatal(err)
	}
	return u.follow(req)
}

func (u *person) follow(req *http.Request) view {
	u.t.Helper()
	for range 10 {
		res, err := u.client.Do(req)
		if err != nil {
			u.t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			u.t.Fatal(err)
		}
		to, err := res.Location()
		if err != nil {
			return view{at: req.URL.String(), status: res.StatusCode, text: string(text)}
		}
		if !strings.HasPrefix(to.String(), u.api+"/") {
			return view{at: req.URL.String(), status: res.StatusCode, away: to.String()}
		}
		if req, err = http.NewRequestWithContext(u.t.Context(), http.MethodGet, to.String(), nil); err != nil {
			u.t.Fatal(err)
		}
	}
	u.t.Fatal("redirects without an end")
	return view{}
}

var (
	input     = regexp.MustCompile(`<input[^>]*>`)
	attribute = regexp.MustCompile(`\b(name|value|type)="([^"]*)"`)
	form      = regexp.MustCompile(`(?s)<form.*?</form>`)
	action    = regexp.MustCompile(`^<form[^>]*action="([^"]*)"`)
)

// submit submits the form of the page with the given fields and its hidden ones.
func (u *person) submit(at view, given url.Values) view {
	u.t.Helper()
	found := fitting(at.text, given)
	m := action.FindStringSubmatch(found)
	if m == nil {
		u.t.Fatalf("no such form at %s (%d):\n%.600s", at.at, at.status, at.text)
	}
	values := hidden(found)
	for name := range given {
		values.Set(name, given.Get(name))
	}
	to, err := url.Parse(at.at)
	if err == nil {
		to, err = to.Parse(html.UnescapeString(m[1]))
	}
	if err != nil {
		u.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(u.t.Context(), http.MethodPost,
		to.String(), strings.NewReader(values.Encode()))
	if err != nil {
		u.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", u.api)
	return u.follow(req)
}

// fitting returns the form that has every given field.
func fitting(text string, given url.Values) string {
	for _, f := range form.FindAllString(text, -1) {
		all := true
		for name := range given {
			all = all && strings.Contains(f, `name="`+name+`"`)
		}
		if all {
			return f
		}
	}
	return ""
}

// hidden reads the hidden fields of a form.
func hidden(text string) url.Values {
	values := url.Values{}
	for _, field := range input.FindAllString(text, -1) {
		m := map[string]string{}
		for _, a := range attribute.FindAllStringSubmatch(field, -1) {
			m[a[1]] = html.UnescapeString(a[2])
		}
		if m["type"] == "hidden" {
			values.Set(m["name"], m["value"])
		}
	}
	return values
}

// signIn signs a demo owner in on the page that asks for it.
func (u *person) signIn(at view, o demo.Owner) view {
	u.t.Helper()
	return u.submit(at, url.Values{"email": {o.Email}, "password": {o.Password}})
}

// allow goes through sign-in and consent, and returns the redirect to the app.
func (u *person) allow(authorize string, o demo.Owner) *url.URL {
	u.t.Helper()
	at := u.open(authorize)
	if strings.Contains(at.at, "/sign-in") {
		at = u.signIn(at, o)
	}
	at = u.submit(at, url.Values{"decision": {"allow"}})
	back, err := url.Parse(at.away)
	if err != nil || at.away == "" || !back.Query().Has("code") {
		u.t.Fatalf("consent led to %q (%d at %s):\n%.600s", at.away, at.status, at.at, at.text)
	}
	return back
}

// accept creates the account of an invited person on the page of the link, and returns how they
// sign in.
func (u *person) accept(link, email, name string) demo.Owner {
	u.t.Helper()
	o := demo.Owner{Email: email, Password: "a quiet kite over the bay"}
	address, err := url.Parse(link)
	if err != nil {
		u.t.Fatal(err)
	}
	at := u.submit(u.open(address.Path), url.Values{"name": {name}, "password": {o.Password}, "answer": {"join"}})
	if at.status != http.StatusOK || !strings.HasPrefix(at.at, u.api+"/dashboard") {
		u.t.Fatalf("joining leads to %s (%d):\n%.600s", at.at, at.status, at.text)
	}
	return o
}
