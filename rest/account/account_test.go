package account_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/alexedwards/argon2id"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/transport"
	"github.com/storefront-go/storefront/rest"
	"github.com/storefront-go/storefront/rest/account"
)

const secret = "correct horse battery"

// hashed is a hash of secret that is verified thousands of times as fast as those of the program.
var hashed = sync.OnceValue(func() string {
	h, err := argon2id.CreateHash(secret, &argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16,
		KeyLength: 32})
	if err != nil {
		panic(err)
	}
	return h
})

// site is the whole public address over one database.
type site struct {
	t       testing.TB
	host    string // {api_host}
	core    *graph.Resolver
	handler http.Handler
	url     string // the address on which it listens; empty without a socket
	client  *http.Client
}

// setting changes the configuration.
type setting func(*account.Config, *rest.Config)

func build(t testing.TB, s *ent.Store, host string, edit ...setting) *site {
	t.Helper()
	ring, err := keyring.Parse(strings.Repeat("cookie and cursor ", 2))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	sessions, err := session.NewKeeper(session.Config{Store: s, Devices: ring.MACs(keyring.Cookies), Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	keys := apikey.NewKeeper(s)
	cc := graphtest.Config(t, s, ring)
	cc.Keys, cc.Sessions, cc.APIHost, cc.Logger = keys, sessions, host, log
	core, err := graph.New(cc)
	if err != nil {
		t.Fatal(err)
	}
	claims := idem.New(s, ring)
	ac := account.Config{Sessions: sessions, Core: core, APIHost: host, Allowed: true, Logger: log}
	rc := rest.Config{Core: core, Keys: keys, Idem: claims, APIHost: host, Logger: log}
	for _, f := range edit {
		f(&ac, &rc)
	}
	if rc.Account, err = account.New(ac); err != nil {
		t.Fatal(err)
	}
	rc.GraphQL, err = transport.New(transport.Config{
		Core: core, Idem: claims, Session: rc.Account.Viewer, Origins: rc.Account.Origins(), Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	h, err := rest.New(rc)
	if err != nil {
		t.Fatal(err)
	}
	return &site{t: t, host: host, core: core, handler: h}
}

// serve puts a site behind real HTTP.
func serve(t testing.TB, s *ent.Store, host string, edit ...setting) *site {
	t.Helper()
	w := build(t, s, host, edit...)
	ts := httptest.NewServer(w.handler)
	t.Cleanup(ts.Close)
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	w.url = ts.URL
	w.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return w
}

// shop creates a store whose owner's password is the secret.
func (w *site) shop(email string) *model.Store {
	w.t.Helper()
	s, _, err := w.core.NewStore(w.t.Context(), model.StoreCreateInput{
		Name: "Shop of " + email, Currency: "EUR", Timezone: "UTC",
	},
		access.Person{Email: email, Name: "Ada", PasswordHash: hashed()})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// reply is a received answer.
type reply struct {
	status int
	header http.Header
	body   string
}

// cookie returns the session cookie that the answer sets, or nil.
func (a *reply) cookie(t testing.TB) *http.Cookie {
	t.Helper()
	return a.only(t, func(name string) bool { return !strings.HasSuffix(name, "device") })
}

// device returns the known-browser cookie that the answer sets, or nil.
func (a *reply) device(t testing.TB) *http.Cookie {
	t.Helper()
	return a.only(t, func(name string) bool { return strings.HasSuffix(name, "device") })
}

// only returns the only cookie with such a name that the answer sets, or nil.
func (a *reply) only(t testing.TB, named func(string) bool) (found *http.Cookie) {
	t.Helper()
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if named(c.Name) {
			if found != nil {
				t.Errorf("two cookies %s and %s", found.Name, c.Name)
			}
			found = c
		}
	}
	return found
}

// send sends a request with headers in pairs: over HTTP or, without a socket, straight to the
// handler.
func (w *site) send(method, path, body string, headers ...string) *reply {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if name := headers[i]; name == "Cookie" || name == "Storefront-Store" {
			r.Header.Add(name, headers[i+1])
		} else {
			r.Header.Set(name, headers[i+1])
		}
	}
	if w.url == "" {
		rec := httptest.NewRecorder()
		r.RemoteAddr = "127.0.0.1:1000"
		w.handler.ServeHTTP(rec, r)
		return &reply{rec.Code, rec.Header(), rec.Body.String()}
	}
	res, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return &reply{res.StatusCode, res.Header, string(b)}
}

const formType = "application/x-www-form-urlencoded"

// post submits a form as a browser does from our own page.
func (w *site) post(path string, form url.Values, headers ...string) *reply {
	w.t.Helper()
	return w.send(http.MethodPost, path, form.Encode(),
		append([]string{"Content-Type", formType, "Sec-Fetch-Site", "same-origin", "Origin", w.host}, headers...)...)
}

func credentials(email, text string) url.Values {
	return url.Values{"email": {email}, "password": {text}}
}

// signIn returns the cookie as a Cookie header.
func (w *site) signIn(email string, headers ...string) string {
	w.t.Helper()
	a := w.post("/sign-in", credentials(email, secret), headers...)
	c := a.cookie(w.t)
	if a.status != http.StatusSeeOther || c == nil {
		w.t.Fatalf("sign-in: %d %s", a.status, a.body)
	}
	return c.Name + "=" + c.Value
}

// ask sends a GraphQL document as our own pages do.
func (w *site) ask(cookie, query string, headers ...string) *reply {
	w.t.Helper()
	body, _ := json.Marshal(map[string]string{"query": query})
	return w.send(http.MethodPost, "/graphql", string(body),
		append([]string{"Cookie", cookie, "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin"},
			headers...)...)
}

func each(t *testing.T, host string, f func(t *testing.T, w *site)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) { f(t, serve(t, s, host)) })
}

func TestSignInAndOut(t *testing.T) {
	each(t, "http://127.0.0.1:8080", func(t *testing.T, w *site) {
		w.shop("ada@example.com")
		form := w.send("GET", "/sign-in?return_to=/dashboard/orders%3Fx=1", "")
		for _, want := range []string{`action="/sign-in"`, `name="return_to" value="/dashboard/orders?x=1"`,
			`autocomplete="username"`, `autocomplete="current-password"`, `<label for="email">`,
			`<label for="password">`, `<button type="submit"`} {
			if !strings.Contains(form.body, want) {
				t.Errorf("the form lacks %s\n%s", want, form.body)
			}
		}
		if form.status != 200 || strings.Contains(form.body, "role=") || form.cookie(t) != nil {
			t.Errorf("%d %s", form.status, form.body)
		}
		in := credentials("Ada@Example.com", secret)
		in.Set("return_to", "/dashboard/orders?x=1")
		a := w.post("/sign-in", in)
		if a.status != 303 || a.header.Get("Location") != "/dashboard/orders?x=1" {
			t.Fatalf("%d %v", a.status, a.header)
		}
		cookie := "storefront_session=" + a.cookie(t).Value
		if again := w.send("GET", "/sign-in?return_to=/x", "", "Cookie", cookie); again.status != 303 ||
			again.header.Get("Location") != "/x" {
			t.Errorf("signed in already: %d %v", again.status, again.header)
		}
		out := w.post("/sign-out", nil, "Cookie", cookie)
		if c := out.cookie(t); out.status != 303 || out.header.Get("Location") != "/sign-in" || c == nil ||
			c.MaxAge != -1 || c.Value != "" || c.Path != "/" {
			t.Errorf("%d %v", out.status, out.header)
		}
		if got := w.send("GET", "/sign-in", "", "Cookie", cookie); got.status != 200 {
			t.Errorf("the cookie still opens: %d", got.status)
		}
		if out := w.post("/sign-out", nil); out.status != 303 {
			t.Errorf("signed out twice: %d", out.status)
		}
	})
}

// Contract, section 11.
func TestCookie(t *testing.T) {
	for host, want := range map[string]string{
		"https://shop.example":  "__Host-storefront=TOKEN; Path=/; Max-Age=1209600; HttpOnly; Secure; SameSite=Lax",
		"http://127.0.0.1:8080": "storefront_session=TOKEN; Path=/; Max-Age=1209600; HttpOnly; SameSite=Lax",
	} {
		w := serve(t, storetest.Open(t), host)
		w.shop("ada@example.com")
		a := w.post("/sign-in", credentials("ada@example.com", secret))
		c := a.cookie(t)
		if got := strings.Replace(a.header.Get("Set-Cookie"), c.Value, "TOKEN", 1); got != want || len(c.Value) != 52 {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
		known := a.device(t)
		if got, want := strings.Replace(a.header.Values("Set-Cookie")[1], known.Value, "TOKEN", 1), strings.NewReplacer(
			"__Host-storefront=", "__Host-storefront-device=", "storefront_session", "storefront_device",
			"1209600", "31536000").Replace(want); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
		other := "storefront_session"
		if strings.HasPrefix(host, "http:") {
			other = "__Host-storefront"
		}
		for name, headers := range map[string][]string{
			"under another name": {"Cookie", other + "=" + c.Value},
			"twice":              {"Cookie", c.Name + "=" + c.Value + "; " + c.Name + "=" + c.Value},
			"in two headers":     {"Cookie", c.Name + "=" + c.Value, "Cookie", c.Name + "=x"},
			"quoted":             {"Cookie", c.Name + `="` + c.Value + `"`},
			"in small letters":   {"Cookie", c.Name + "=" + strings.ToLower(c.Value)},
		} {
			if got := w.send("GET", "/sign-in", "", headers...); got.status != 200 {
				t.Errorf("%s: a cookie %s opens: %d", host, name, got.status)
			}
		}
		if got := w.send("GET", "/sign-in", "", "Cookie", c.Name+"="+c.Value); got.status != 303 {
			t.Errorf("%s: %d", host, got.status)
		}
	}
}

// No page of another site can submit a form here, whatever it knows.
func TestCrossSite(t *testing.T) {
	w := serve(t, storetest.Open(t), "https://shop.example")
	w.shop("ada@example.com")
	cookie := w.signIn("ada@example.com")
	own := strings.Replace(w.url, "http://", "", 1)
	for _, tc := range []struct {
		name    string
		headers []string
		refused bool
	}{
		{"cross-site", []string{"Sec-Fetch-Site", "cross-site"}, true},
		{"another site by https", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, true},
		{"a sister host", []string{"Sec-Fetch-Site", "same-site", "Origin", "https://other.shop.example"}, true},
		{"an old browser", []string{"Origin", "https://evil.example"}, true},
		{"a sandboxed frame", []string{"Origin", "null"}, true},
		{"our host by http", []string{"Origin", "http://shop.example"}, true},
		{"our own page", []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://shop.example"}, false},
		{"our own page behind a proxy", []string{"Origin", "https://shop.example"}, false},
		{"the host that was asked", []string{"Origin", "http://" + own}, false},
		{"no browser", nil, false},
	} {
		for _, path := range []string{"/sign-in", "/sign-out"} {
			headers := append([]string{"Content-Type", formType, "Cookie", cookie}, tc.headers...)
			a := w.send("POST", path, credentials("nobody@example.com", "x").Encode(), headers...)
			refused := a.status == 403 && strings.Contains(a.body, "Request blocked")
			if refused != tc.refused || refused && a.cookie(t) != nil {
				t.Errorf("%s: %s: %d %v", path, tc.name, a.status, a.header)
			}
			if path == "/sign-out" && !tc.refused {
				cookie = w.signIn("ada@example.com")
			}
		}
	}
}

// A session cookie planted before the sign-in is replaced by it.
func TestFixation(t *testing.T) {
	each(t, "http://localhost:1", func(t *testing.T, w *site) {
		w.shop("ada@example.com")
		w.shop("eve@example.com")
		eves := w.signIn("eve@example.com")
		adas := w.signIn("ada@example.com", "Cookie", eves)
		if adas == eves {
			t.Fatal("the planted token was taken over")
		}
		if a := w.ask(eves, "{account{email}}"); a.status != 401 {
			t.Errorf("the planted token opens: %d %s", a.status, a.body)
		}
		if a := w.ask(adas, "{account{email}}"); !strings.Contains(a.body, "ada@example.com") {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

// An unknown address and a wrong password get the same answer.
func TestEqualAnswers(t *testing.T) {
	each(t, "https://shop.example", func(t *testing.T, w *site) {
		w.shop("ada@example.com")
		known := w.post("/sign-in", credentials("ada@example.com", "wrong"))
		unknown := w.post("/sign-in", credentials("bob@example.com", "wrong"))
		if known.status != 403 || unknown.status != 403 || known.cookie(t) != nil {
			t.Errorf("%d and %d", known.status, unknown.status)
		}
		if strings.Replace(known.body, "ada@", "bob@", 1) != unknown.body {
			t.Errorf("the pages differ\n%s\n%s", known.body, unknown.body)
		}
		for _, h := range []http.Header{known.header, unknown.header} {
			h.Del("X-Request-Id")
			h.Del("Date")
		}
		if fmt.Sprint(known.header) != fmt.Sprint(unknown.header) {
			t.Errorf("the headers differ\n%v\n%v", known.header, unknown.header)
		}
		if !strings.Contains(known.body, `role="alert"`) || !strings.Contains(known.body, `value="ada@example.com"`) ||
			strings.Contains(known.body, "wrong\"") {
			t.Errorf("%s", known.body)
		}
	})
}

// Input is escaped in the page.
func TestFormEscapes(t *testing.T) {
	w := serve(t, storetest.Open(t), "https://shop.example")
	form := credentials(`"><script>alert(1)</script>`, `"><img>`)
	form.Set("return_to", `/"><script>`)
	a := w.post("/sign-in", form)
	body := strings.Replace(a.body, `<script src="/pages/passkey.js" defer></script>`, "", 1)
	if strings.Contains(body, "<script") || strings.Contains(body, "<img") ||
		!strings.Contains(body, "&lt;script&gt;") {
		t.Errorf("%s", a.body)
	}
}

func TestPageHeaders(t *testing.T) {
	w := serve(t, storetest.Open(t), "https://shop.example")
	for name, a := range map[string]*reply{
		"form": w.send("GET", "/sign-in", ""), "failure": w.post("/sign-in", credentials("a@b.example", "x")),
		"method":  w.send("PUT", "/sign-in", ""),
		"foreign": w.send("POST", "/sign-out", "", "Sec-Fetch-Site", "cross-site"),
		"home":    w.send("GET", "/", ""), "out": w.post("/sign-out", nil),
	} {
		csp := a.header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "frame-ancestors 'none'") || !strings.Contains(csp, "default-src 'none'") ||
			strings.Contains(csp, "form-action") ||
			a.header.Get("X-Frame-Options") != "DENY" || a.header.Get("Cache-Control") != "no-store" ||
			a.header.Get("X-Request-Id") == "" ||
			a.header.Get("Access-Control-Allow-Origin") != "" || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", name, a.header)
		}
	}
	if a := w.send("GET", "/", ""); a.status != 303 || a.header.Get("Location") != "/dashboard" {
		t.Errorf("/: %d %v", a.status, a.header)
	}
	if a := w.send("GET", "/pages/page.css", ""); a.status != 200 ||
		a.header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("stylesheet: %d %v", a.status, a.header)
	}
	if a := w.send("HEAD", "/sign-in", ""); a.status != 200 || a.body != "" || a.header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d %v", a.status, a.header)
	}
}

func TestBadForms(t *testing.T) {
	w := serve(t, storetest.Open(t), "https://shop.example")
	for _, tc := range []struct {
		method, path, body, media string
		status                    int
		allow                     string
	}{
		{method: "POST", path: "/sign-in", body: "email=a&email=b&password=x", media: formType, status: 400},
		{method: "POST", path: "/sign-in", body: "email=a&password=x&return_to=/a&return_to=/b", media: formType,
			status: 400},
		{method: "POST", path: "/sign-in", body: "email=%zz", media: formType, status: 400},
		{method: "POST", path: "/sign-in", body: "email=a;password=b", media: formType, status: 400},
		{method: "POST", path: "/sign-in", body: `{"email":"a"}`, media: "application/json", status: 415},
		{method: "POST", path: "/sign-in", body: "email=a", media: "text/plain", status: 415},
		{method: "POST", path: "/sign-in", body: "email=a", status: 415},
		{method: "POST", path: "/sign-in", body: "email=a&password=" + strings.Repeat("x", 17<<10), media: formType,
			status: 413},
		{method: "POST", path: "/sign-in", media: formType, status: 403},
		{method: "POST", path: "/sign-in?email=ada@example.com&password=x", media: formType, status: 403},
		{method: "POST", path: "/sign-in", body: "email=a&password=x", media: formType + "; charset=UTF-8",
			status: 403},
		{method: "DELETE", path: "/sign-in", status: 405, allow: "GET, HEAD, POST"},
		{method: "OPTIONS", path: "/sign-in", status: 405, allow: "GET, HEAD, POST"},
		{method: "GET", path: "/sign-out", status: 405, allow: "POST"},
		{method: "POST", path: "/", status: 405, allow: "GET, HEAD"},
	} {
		a := w.send(tc.method, tc.path, tc.body, "Content-Type", tc.media)
		if a.status != tc.status || a.header.Get("Allow") != tc.allow ||
			!strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s %s %.40s: %d %v, want %d", tc.method, tc.path, tc.body, a.status, a.header, tc.status)
		}
	}
}

func TestNotAllowed(t *testing.T) {
	w := serve(t, storetest.Open(t), "http://shop.example", func(c *account.Config, _ *rest.Config) {
		c.Allowed = false
	})
	w.shop("ada@example.com")
	for _, a := range []*reply{
		w.send("GET", "/sign-in", ""), w.post("/sign-in", credentials("ada@example.com", secret)),
	} {
		if a.status != 403 || a.cookie(t) != nil || !strings.Contains(a.body, "--insecure-http") ||
			strings.Contains(a.body, "<form") {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	k, err := session.NewKeeper(session.Config{Store: storetest.Open(t)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []account.Config{{}, {Sessions: k}, {Sessions: k, APIHost: "shop.example/x"}} {
		if _, err := account.New(c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}
