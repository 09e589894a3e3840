package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/limit"
)

var problems = []Problem{
	{Code: "validation_failed", Status: 422, Title: "Validation failed",
		Sentence: "Members of the body are wrong <here>."},
	{Code: "limit_reached", Status: 409, Title: "Limit reached", Sentence: "It is reached."},
	{Code: "rate_limited", Status: 429, Title: "Too many requests", Sentence: "Wait."},
	{Code: "not_found", Status: 404, Title: "Not found", Sentence: "There is no such resource."},
}

func document(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func docs(t *testing.T) http.Handler {
	t.Helper()
	h, err := Docs(DocsConfig{OpenAPI: document(t), Problems: problems, Limits: limit.Values{limit.People: 7},
		APIHost: "https://api.test"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func explorer(t *testing.T) http.Handler {
	t.Helper()
	h, err := Explorer()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func ask(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const (
	page   = "text/html; charset=utf-8"
	style  = "text/css; charset=utf-8"
	script = "text/javascript; charset=utf-8"
)

func TestAnswers(t *testing.T) {
	d, e := docs(t), explorer(t)
	for _, tc := range []struct {
		name, method, target string
		h                    http.Handler
		status               int
		mediaType            string
	}{
		{name: "docs", method: "GET", target: "/docs", h: d, status: 200, mediaType: page},
		{name: "docs head", method: "HEAD", target: "/docs", h: d, status: 200, mediaType: page},
		{name: "docs slash", method: "GET", target: "/docs/", h: d, status: 308},
		{name: "docs post", method: "POST", target: "/docs", h: d, status: 405},
		{name: "docs other", method: "GET", target: "/docs/nothing", h: d, status: 404},
		{name: "docs traversal", method: "GET", target: "/docs/static/../templates/docs.html", h: d, status: 307},
		{name: "docs style", method: "GET", target: "/docs/static/docs.css", h: d, status: 200, mediaType: style},
		{name: "docs script", method: "GET", target: "/docs/static/reference.js", h: d, status: 200,
			mediaType: script},
		{name: "viewer", method: "GET", target: named(t, d, "/docs", "standalone.js"), h: d, status: 200,
			mediaType: script},
		{name: "viewer head", method: "HEAD", target: named(t, d, "/docs", "standalone.js"), h: d, status: 200,
			mediaType: script},
		{name: "guides", method: "GET", target: "/docs/guides", h: d, status: 200, mediaType: page},
		{name: "guide", method: "GET", target: "/docs/guides/oauth", h: d, status: 200, mediaType: page},
		{name: "problems", method: "GET", target: "/docs/problems", h: d, status: 200, mediaType: page},
		{name: "limits", method: "GET", target: "/docs/limits", h: d, status: 200, mediaType: page},
		{name: "webhooks", method: "GET", target: "/docs/webhooks", h: d, status: 200, mediaType: page},
		{name: "webhooks head", method: "HEAD", target: "/docs/webhooks", h: d, status: 200, mediaType: page},
		{name: "explorer", method: "GET", target: "/graphql/explorer", h: e, status: 200, mediaType: page},
		{name: "explorer slash", method: "GET", target: "/graphql/explorer/", h: e, status: 308},
		{name: "explorer script", method: "GET", target: "/graphql/explorer/static/explorer.js", h: e, status: 200,
			mediaType: script},
		{name: "explorer style", method: "GET", target: named(t, e, "/graphql/explorer", "graphiql.min.css"), h: e,
			status: 200, mediaType: style},
		{name: "explorer part", method: "GET", target: named(t, e, "/graphql/explorer", "graphiql.min.js"), h: e,
			status: 200, mediaType: script},
		{name: "explorer post", method: "POST", target: "/graphql/explorer", h: e, status: 405},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := ask(tc.h, tc.method, tc.target)
			if w.Code != tc.status {
				t.Fatalf("status %d, want %d", w.Code, tc.status)
			}
			if tc.mediaType == "" {
				return
			}
			if got := w.Header().Get("Content-Type"); got != tc.mediaType {
				t.Errorf("content type %q, want %q", got, tc.mediaType)
			}
			if empty := w.Body.Len() == 0; empty != (tc.method == http.MethodHead) {
				t.Errorf("%d bytes for %s", w.Body.Len(), tc.method)
			}
			again := ask(tc.h, tc.method, tc.target, "If-None-Match", w.Header().Get("ETag"))
			if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
				t.Errorf("with its tag: %d and %d bytes, want 304 and none", again.Code, again.Body.Len())
			}
			safe(t, tc.target, w.Header())
		})
	}
}

// safe checks what an answer allows: scripts and style elements only where a viewer needs them, and
// nothing from other hosts.
func safe(t *testing.T, target string, h http.Header) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s %q, want %q", name, got, want)
		}
	}
	want := "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self' data:; " +
		"style-src 'self'"
	viewed := target == "/docs" || strings.HasPrefix(target, "/graphql/") ||
		strings.HasSuffix(target, "/standalone.js") || strings.HasSuffix(target, "/reference.js")
	if viewed {
		want += " 'unsafe-inline'; script-src 'self'; connect-src 'self'"
	}
	if strings.HasPrefix(target, "/graphql/") {
		want += "; font-src data:"
	}
	if got := h.Get("Content-Security-Policy"); got != want {
		t.Errorf("policy %q, want %q", got, want)
	}
}

// named returns the address of a file that a page loads, by its last element.
func named(t *testing.T, h http.Handler, at, file string) string {
	t.Helper()
	body := ask(h, "GET", at).Body.String()
	m := regexp.MustCompile(`"(/[^"]*/` + regexp.QuoteMeta(file) + `)"`).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("%s loads no %s", at, file)
	}
	return m[1]
}

// Documents are compressed on request, third-party files are the same either way; their address
// holds a version, so browsers cache them.
func TestCompressed(t *testing.T) {
	d, e := docs(t), explorer(t)
	for target, h := range map[string]http.Handler{
		"/docs/webhooks": d, "/docs/guides/sync": d, named(t, d, "/docs", "standalone.js"): d,
		named(t, e, "/graphql/explorer", "graphiql.min.js"): e,
	} {
		plain, packed := ask(h, "GET", target), ask(h, "GET", target, "Accept-Encoding", "gzip")
		if packed.Header().Get("Content-Encoding") != "gzip" ||
			!strings.HasSuffix(packed.Header().Get("Vary"), "Accept-Encoding") ||
			plain.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: %v", target, packed.Header())
		}
		if !bytes.Equal(unpacked(packed.Body.Bytes()), plain.Body.Bytes()) || packed.Body.Len() >= plain.Body.Len() {
			t.Errorf("%s: %d bytes compressed, %d plain", target, packed.Body.Len(), plain.Body.Len())
		}
		kept := strings.Contains(packed.Header().Get("Cache-Control"), "immutable")
		if kept != strings.HasSuffix(target, ".js") {
			t.Errorf("%s: Cache-Control %q", target, packed.Header().Get("Cache-Control"))
		}
	}
}

// pages returns the pages of the documentation.
func pages() []string {
	list := []string{"/docs", "/docs/limits", "/docs/problems", "/docs/themes", "/docs/webhooks", guidesPath}
	for _, name := range guideNames {
		list = append(list, guidesPath+"/"+name)
	}
	return list
}

// The page of limits has a row for each limit, with this server's value.
func TestLimits(t *testing.T) {
	page := ask(docs(t), "GET", "/docs/limits").Body.String()
	for _, r := range limit.Rows() {
		here := r.Default
		if r.Name == limit.People {
			here = 7
		}
		want := fmt.Sprintf("<code>%s</code></th><td>%d</td>\n<td>%s</td><td>%d</td><td>%d to %d</td>", r.Name, here,
			html.EscapeString(r.Counts), r.Default, r.Least, r.Greatest)
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// Every link within a page has a target, and ids are unique.
func TestAnchors(t *testing.T) {
	h := docs(t)
	ids := map[string]bool{}
	for _, target := range pages() {
		ids[target] = true
		page := ask(h, "GET", target).Body.String()
		for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if ids[target+"#"+m[1]] {
				t.Errorf("%s: id %q twice", target, m[1])
			}
			ids[target+"#"+m[1]] = true
		}
	}
	for _, target := range pages() {
		page := ask(h, "GET", target).Body.String()
		for _, m := range regexp.MustCompile(` href="(/docs[^"#]*)?(#[^"]+)?"`).FindAllStringSubmatch(page, -1) {
			if m[1] == "" {
				m[1] = target
			}
			if !ids[m[1]+m[2]] && !strings.HasPrefix(m[1], "/docs/static/") {
				t.Errorf("%s: the link %s%s leads nowhere", target, m[1], m[2])
			}
		}
	}
}

// Pages load nothing from other hosts, and link to none.
func TestNoForeignHosts(t *testing.T) {
	d := docs(t)
	all := map[string]http.Handler{"/graphql/explorer": explorer(t)}
	for _, target := range pages() {
		all[target] = d
	}
	for target, h := range all {
		page := ask(h, "GET", target).Body.String()
		for _, m := range regexp.MustCompile(`<[^>]*(?:src|href|action|srcset)\s*=\s*["']?([^"'\s>]+)`).
			FindAllStringSubmatch(page, -1) {
			if to := m[1]; !strings.HasPrefix(to, "#") && (!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//")) {
				t.Errorf("%s refers to %s", target, to)
			}
		}
		if strings.Contains(page, " style=") || regexp.MustCompile(` on[a-z]+=`).MatchString(page) ||
			strings.Contains(page, "<style") {
			t.Errorf("%s has inline style or script, which the policy blocks", target)
		}
	}
	err := fs.WalkDir(files, "static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := files.ReadFile(path)
		if bytes.Contains(b, []byte("//cdn")) ||
			regexp.MustCompile(`https?://|@import|url\(|innerHTML|document\.cookie|eval\(`).Match(b) {
			t.Errorf("%s refers elsewhere or writes what it must not", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The viewer is configured to contact no other host, which it does by default.
func TestReferenceKeepsToItself(t *testing.T) {
	settings := ask(docs(t), "GET", "/docs/static/reference.js").Body.String()
	for _, want := range []string{"fetch('/openapi.json')", "telemetry: false", "withDefaultFonts: false",
		"proxyUrl: ''", "agent: { disabled: true", "mcp: { disabled: true", "hideClientButton: true",
		"persistAuth: false"} {
		if !strings.Contains(settings, want) {
			t.Errorf("the settings lack %s", want)
		}
	}
}

func TestProblems(t *testing.T) {
	page := ask(docs(t), "GET", "/docs/problems").Body.String()
	for _, want := range []string{
		`<h2 id="validation-failed">`, `<h2 id="not-found">`, `Status <code>422</code>`, `Code <code>not_found</code>`,
		`Members of the body are wrong &lt;here&gt;.`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// Pages link to the explorer if it is served.
func TestExplorerIsNamed(t *testing.T) {
	for _, there := range []bool{true, false} {
		h, err := Docs(DocsConfig{OpenAPI: document(t), Explorer: there})
		if err != nil {
			t.Fatal(err)
		}
		if named := strings.Contains(ask(h, "GET", "/docs").Body.String(), explorerPath); named != there {
			t.Errorf("named %t, want %t", named, there)
		}
	}
}

// The server that embeds the documentation answers for missing pages.
func TestMissing(t *testing.T) {
	h, err := Docs(DocsConfig{OpenAPI: document(t), Missing: http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })})
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]int{"/docs/nope": 418, "/docs/guides/nope": 418, "/docs": 200, "/docs/": 308} {
		if got := ask(h, "GET", target).Code; got != want {
			t.Errorf("%s: %d, want %d", target, got, want)
		}
	}
}

func TestDocsRefuses(t *testing.T) {
	for _, tc := range []struct{ name, doc string }{
		{"not yaml", "\t{"},
		{"empty", ""},
		{"a list", "- 1"},
		{"another version", "openapi: 3.0.3\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := Docs(DocsConfig{OpenAPI: []byte(tc.doc)}); err == nil {
				t.Error("want an error")
			}
			if _, err := JSON([]byte(tc.doc)); err == nil {
				t.Error("JSON: want an error")
			}
		})
	}
}

func TestJSON(t *testing.T) {
	got, err := JSON([]byte("openapi: 3.1.0\nz: {'200': x, b: [1, 1.5, true, null, 'null', '2026-03-01'], c: " +
		"<&>}\na: [{}, []]\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"openapi":"3.1.0","z":{"200":"x","b":[1,1.5,true,null,"null","2026-03-01"],"c":"<&>"},"a":[{},[]]}`
	if string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	whole, err := JSON(document(t))
	if err != nil || !json.Valid(whole) {
		t.Errorf("the document: %v, valid %t", err, json.Valid(whole))
	}
}
