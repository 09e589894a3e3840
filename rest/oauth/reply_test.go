package oauth_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/rest/oauth"
)

// reply is an answer over HTTP.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

// send sends a request with the person's cookie and "name: value" headers.
func (w *world) send(method, target string, p *person, body string, headers ...string) *reply {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+target, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if p != nil {
		req.Header.Set("Cookie", "__Host-storefront="+p.cookie)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	res, err := w.http.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, target, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, target, err)
	}
	return &reply{t: w.t, status: res.StatusCode, header: res.Header, body: string(b)}
}

// values returns the parameters of a request with changes: "name=value" sets, "name=" empties,
// "-name" removes and "+name=value" adds one.
func values(base url.Values, changes ...string) url.Values {
	for _, c := range changes {
		name, value, _ := strings.Cut(c, "=")
		switch {
		case strings.HasPrefix(name, "-"):
			base.Del(name[1:])
		case strings.HasPrefix(name, "+"):
			base.Add(name[1:], value)
		default:
			base.Set(name, value)
		}
	}
	return base
}

// asked returns a valid authorization request of the app, with changes.
func (w *world) asked(changes ...string) url.Values {
	return values(url.Values{"response_type": {"code"}, "client_id": {w.app.ClientID},
		"redirect_uri": {callback}, "state": {"st&te"}, "code_challenge": {challenge(verifier)},
		"code_challenge_method": {"S256"}}, changes...)
}

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// authorize opens the authorization endpoint in a person's browser.
func (w *world) authorize(p *person, changes ...string) *reply {
	w.t.Helper()
	return w.send(http.MethodGet, oauth.AuthorizePath+"?"+w.asked(changes...).Encode(), p, "")
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// form reads the hidden fields of the last form of a page.
func (r *reply) form() url.Values {
	r.t.Helper()
	at := strings.LastIndex(r.body, "<form")
	if r.status != http.StatusOK || at < 0 {
		r.t.Fatalf("%d without a form, to %q\n%s", r.status, r.header.Get("Location"), r.body)
	}
	form := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(r.body[at:], -1) {
		form.Add(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
	}
	return form
}

// answer posts a consent form as a browser does.
func (w *world) answer(p *person, form url.Values, changes ...string) *reply {
	w.t.Helper()
	return w.send(http.MethodPost, oauth.AuthorizePath, p, values(clone(form), changes...).Encode(),
		"Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: same-origin", "Origin: "+issuer)
}

var backLink = regexp.MustCompile(`<a class="button" href="([^"]*)"`)

// returned returns the parameters that the page of an invalid request offers to send to the app.
func (r *reply) returned(to string) url.Values {
	r.t.Helper()
	m := backLink.FindStringSubmatch(r.body)
	if r.status != http.StatusBadRequest || m == nil || r.header.Get("Location") != "" {
		r.t.Fatalf("%d without a way back, to %q\n%s", r.status, r.header.Get("Location"), r.body)
	}
	return r.parameters(html.UnescapeString(m[1]), to)
}

// redirected returns the parameters of a redirect to the app.
func (r *reply) redirected(to string) url.Values {
	r.t.Helper()
	if r.status != http.StatusSeeOther {
		r.t.Fatalf("%d, want 303 to %q\n%s", r.status, to, r.body)
	}
	return r.parameters(r.header.Get("Location"), to)
}

// parameters returns what an address adds to the app's.
func (r *reply) parameters(address, to string) url.Values {
	r.t.Helper()
	rest, ok := strings.CutPrefix(address, to)
	if !ok {
		r.t.Fatalf("to %q, want %q\n%s", address, to, r.body)
	}
	q, err := url.ParseQuery(strings.TrimLeft(rest, "?&"))
	if err != nil {
		r.t.Fatal(err)
	}
	return q
}

// page fails the test unless the answer is a page with this status and not a redirect.
func (r *reply) page(status int) *reply {
	r.t.Helper()
	if r.status != status || r.header.Get("Location") != "" ||
		!strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
		r.t.Errorf("%d %s to %q, want a page with %d", r.status,
			r.header.Get("Content-Type"), r.header.Get("Location"), status)
	}
	return r
}

// code allows the app and returns its code.
func (w *world) code(changes ...string) string {
	w.t.Helper()
	form := w.authorize(w.ada, changes...).form()
	return w.answer(w.ada, form, "decision=allow").redirected(w.asked(changes...).Get("redirect_uri")).Get("code")
}

// redeeming returns a valid token request for a code, with changes.
func (w *world) redeeming(code string, changes ...string) url.Values {
	return values(url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {w.app.ClientID},
		"redirect_uri": {callback}, "code_verifier": {verifier}}, changes...)
}

// refreshing returns a valid token request for a refresh token, with changes.
func (w *world) refreshing(token string, changes ...string) url.Values {
	return values(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {w.app.ClientID}},
		changes...)
}

// post sends a form to an endpoint for programs.
func (w *world) post(path string, form url.Values, headers ...string) *reply {
	w.t.Helper()
	return w.send(http.MethodPost, path, nil, form.Encode(),
		append(headers, "Content-Type: application/x-www-form-urlencoded")...)
}

func (w *world) exchange(code string, changes ...string) *reply {
	w.t.Helper()
	return w.post(oauth.TokenPath, w.redeeming(code, changes...))
}

func (w *world) refresh(token string, changes ...string) *reply {
	w.t.Helper()
	return w.post(oauth.TokenPath, w.refreshing(token, changes...))
}

// tokens is an answer of the token endpoint.
type tokens struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int    `json:"expires_in"`
	Refresh   string `json:"refresh_token"`
	Scope     string
	StoreID   string `json:"store_id"`
}

func (r *reply) tokens() (t tokens) {
	r.t.Helper()
	if r.status != http.StatusOK {
		r.t.Fatalf("%d %s, want tokens", r.status, r.body)
	}
	if err := json.Unmarshal([]byte(r.body), &t); err != nil {
		r.t.Fatal(err)
	}
	return t
}

// refusal is an error in the format for programs.
type refusal struct {
	Error       string
	Description string `json:"error_description"`
}

// refused fails the test unless the answer is an error of RFC 6749, section 5.2.
func (r *reply) refused(status int, code string) *reply {
	r.t.Helper()
	var e refusal
	if err := json.Unmarshal([]byte(r.body), &e); err != nil || r.status != status ||
		e.Error != code || e.Description == "" {
		r.t.Errorf("%d %s, want %d %s", r.status, r.body, status, code)
	}
	return r
}

// opens reports whether an access token is live.
func (w *world) opens(token string) bool {
	_, err := w.keys.Authenticate(w.t.Context(), token, apikey.Access)
	return err == nil
}

// grants returns the grants of ada's store.
func (w *world) grants() []*db.Grant {
	w.t.Helper()
	rows, err := w.store.DB(w.t.Context()).Grant.Query().All(viewer.Operator(w.t.Context(), w.shop.ID))
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}

// ended fails the test unless the only grant ended for a reason; "" means that it is live.
func (w *world) ended(why state.GrantEnd) {
	w.t.Helper()
	rows := w.grants()
	if len(rows) != 1 {
		w.t.Fatalf("%d grants, want one", len(rows))
	}
	got := state.GrantEnd("")
	if rows[0].RevokedReason != nil {
		got = *rows[0].RevokedReason
	}
	if got != why || (rows[0].RevokedAt != nil) != (why != "") {
		w.t.Errorf("the grant ended for %q at %v, want %q", got, rows[0].RevokedAt, why)
	}
}

// lateCode returns a code of the app, as the server creates them, that expires after life.
func (w *world) lateCode(life time.Duration) string {
	w.t.Helper()
	secret, id, now := apikey.Mint(apikey.Code), xid.New(), micros.Now()
	w.in(w.shop.ID, func(ctx context.Context, c *db.Client) error {
		err := c.Credential.Create().SetID(digest.Sum(secret.Hash())).SetStoreID(w.shop.ID).SetCredentialID(id).
			SetKind(string(apikey.Code)).Exec(ctx)
		if err != nil {
			return err
		}
		return c.Grant.Create().SetID(id).SetAppStoreID(w.app.StoreID).SetAppID(w.app.ID).
			SetUserID(w.ada.id).SetUserName("Ada").
			SetScopes(scope.ProductsRead).SetRedirectURI(callback).SetCodeChallenge(challenge(verifier)).
			SetCodeExpiresAt(now.Add(life)).SetExpiresAt(now.Add(time.Hour)).SetUpdatedAt(now).Exec(ctx)
	})
	return secret.Reveal()
}

// id returns the public id of a store.
func id(s *db.Store) string { return xid.Store.Format(s.ID) }
