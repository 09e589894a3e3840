package oauth

import (
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/rest/account"
	"github.com/storefront-go/storefront/rest/page"
)

type consent struct {
	App, Developer, Website string
	Registrar, Since        string
	Published               string // the host of an unregistered app's client document
	Unverified              bool   // the app registered itself
	Local                   bool   // the answer goes to a loopback address
	Verified                bool
	Shop                    string
	Name, Email             string
	Lines                   []line
	Host                    string // where the person will be sent
	Allowable, Forbidden    bool
	Missing                 []string // titles of the permissions that the person lacks
	// The form: the app's request, the store and the ticket of this page.
	Request, Store, Ticket string
	Allow, Cancel          page.Button
	SignOut, Again         string
}

type line struct {
	Name, Title, Sentence string
	Personal, Money, New  bool
}

func newConsent(v *visit, m *session.Membership, s *oauth.Screen) *consent {
	c := &consent{
		App: s.App.Name, Developer: s.App.Developer, Local: s.Local(),
		Registrar: s.Registrar, Since: s.Since.Time().UTC().Format("2 January 2006"),
		Verified: s.App.VerifiedAt != nil, Shop: m.Name, Name: v.person.Name, Email: v.person.Email,
		Lines: lines(s), Host: s.Host(), Allowable: s.Allowable(), Forbidden: s.Forbidden,
		Request: v.raw, Store: xid.Store.Format(m.Store), Ticket: s.Ticket,
		Allow:   page.Button{Label: "Allow", Name: "decision", Value: "allow"},
		Cancel:  page.Button{Label: "Cancel", Name: "decision", Value: "deny", Secondary: true},
		SignOut: account.SignOutPath, Again: v.again(),
	}
	switch {
	case s.Registration != nil:
		c.Unverified = true
	case s.App.MetadataURL != nil:
		c.Published = s.App.Developer
	}
	if s.App.Website != nil {
		c.Website = *s.App.Website
	}
	for _, entry := range shown(s.Missing) {
		c.Missing = append(c.Missing, entry.Title)
	}
	return c
}

// lines returns the requested scopes. A scope is new if the app has a live grant without it.
func lines(s *oauth.Screen) []line {
	var list []line
	for _, e := range shown(s.Scopes) {
		list = append(list, line{e.Name, e.Title, e.Sentence, e.Personal, e.Money,
			s.Known && !s.Earlier.Has(e.Name)})
	}
	return list
}

// shown returns the catalog's entries of a set, in its order. A read beside its write is omitted:
// the sentence of the write includes it.
func shown(set scope.Set) []scope.Scope {
	return slices.DeleteFunc(scope.All(), func(e scope.Scope) bool {
		return !set.Has(e.Name) || e.Access == "read" && set.Has(e.Resource+".write")
	})
}

type choice struct {
	App    string
	Fields []field
	Stores []option
}

type field struct{ Name, Value string }

type option struct{ ID, Name, Handle string }

// nobody is the page of a person who may not connect apps in any store.
type nobody struct{ App, Name, Email, SignOut, Again string }

// faulty is the page of an invalid request. App and Back are empty if the app is unknown.
type faulty struct {
	App, Description string
	Back             template.URL
}

type again struct{ App, Again string }

func (f *Frontend) choose(w http.ResponseWriter, r *http.Request, v *visit) {
	own := v.consentable()
	if len(own) == 0 {
		f.pages.Render(w, r, http.StatusForbidden, "nobody",
			nobody{v.request.App.Name, v.person.Name, v.person.Email, account.SignOutPath, v.again()})
		return
	}
	c := choice{App: v.request.App.Name, Fields: fields(v.raw)}
	for _, m := range own {
		c.Stores = append(c.Stores, option{xid.Store.Format(m.Store), m.Name, m.Handle})
	}
	f.pages.Render(w, r, http.StatusOK, "choose", c)
}

// fields returns the parameters of a request, already validated, as hidden fields. The store is
// left to the form.
func fields(raw string) []field {
	form, _ := url.ParseQuery(raw)
	var list []field
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if name != "store" {
			list = append(list, field{name, form.Get(name)})
		}
	}
	return list
}
