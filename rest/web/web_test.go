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
	h, err := Docs(document(t), problems, limit.Values{limit.People: 7})
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

func TestAnswers(t *testing.T) {
	d, e := docs(t), explorer(t)
	for _, tc := range []struct {
		name, method, target string
		h                    http.Handler
		status               int
		mediaType            string
	}{
		{name: "docs", method: "GET", target: "/docs", h: d, status: 200, mediaType: "text/html; charset=utf-8"},
		{name: "docs head", method: "HEAD", target: "/docs", h: d, status: 200, mediaType: "text/html; charset=utf-8"},
		{name: "docs slash", method: "GET", target: "/docs/", h: d, status: 308},
		{name: "docs post", method: "POST", target: "/docs", h: d, status: 405},
		{name: "docs other", method: "GET", target: "/docs/nothing", h: d, status: 404},
		{name: "docs traversal", method: "GET", target: "/docs/static/../templates/docs.html", h: d, status: 307},
		{name: "docs style", method: "GET", target: "/docs/static/docs.css", h: d, status: 200,
			mediaType: "text/css; charset=utf-8"},
		{name: "problems", method: "GET", target: "/docs/problems", h: d, status: 200,
			mediaType: "text/html; charset=utf-8"},
		{name: "limits", method: "GET", target: "/docs/limits", h: d, status: 200,
			mediaType: "text/html; charset=utf-8"},
		{name: "webhooks", method: "GET", target: "/docs/webhooks", h: d, status: 200,
			mediaType: "text/html; charset=utf-8"},
		{name: "webhooks head", method: "HEAD", target: "/docs/webhooks", h: d, status: 200,
			mediaType: "text/html; charset=utf-8"},
		{name: "explorer", method: "GET", target: "/graphql/explorer", h: e, status: 200,
			mediaType: "text/html; charset=utf-8"},
		{name: "explorer slash", method: "GET", target: "/graphql/explorer/", h: e, status: 308},
		{name: "explorer script", method: "GET", target: "/graphql/explorer/static/explorer.js", h: e, status: 200,
			mediaType: "text/javascript; charset=utf-8"},
		{name: "explorer style", method: "GET", target: "/graphql/explorer/static/explorer.css", h: e, status: 200,
			mediaType: "text/css; charset=utf-8"},
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
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			} {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s %q, want %q", name, got, want)
				}
			}
			policy := w.Header().Get("Content-Security-Policy")
			for _, want := range []string{
				"default-src 'none'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'",
			} {
				if !strings.Contains(policy, want) {
					t.Errorf("policy %q lacks %q", policy, want)
				}
			}
			if strings.Contains(policy, "unsafe") ||
				strings.Contains(policy, "script-src") != (strings.HasPrefix(tc.target, "/graphql/")) {
				t.Errorf("policy %q allows too much or too little", policy)
			}
			again := ask(tc.h, tc.method, tc.target, "If-None-Match", w.Header().Get("ETag"))
			if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
				t.Errorf("with its tag: %d and %d bytes, want 304 and none", again.Code, again.Body.Len())
			}
		})
	}
}

func TestDocsShowTheDocument(t *testing.T) {
	page := ask(docs(t), "GET", "/docs").Body.String()
	d, err := parse(document(t))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for path, item := range d.get("paths").entries() {
		for _, op := range item.entries() {
			id := op.get("operationId").text()
			if id == "" {
				continue
			}
			n++
			for _, want := range []string{
				`id="` + id + `"`, `href="#` + id + `"`, `<code class="path">` + path + `</code>`,
			} {
				if !strings.Contains(page, want) {
					t.Errorf("%s: the page lacks %s", id, want)
				}
			}
		}
	}
	if n != 19 {
		t.Errorf("%d operations in the document, want 19", n)
	}
	for name := range d.get("components", "schemas").entries() {
		if !strings.Contains(page, `id="schema-`+name+`"`) {
			t.Errorf("the page lacks schema %s", name)
		}
	}
	for _, want := range []string{
		`Scope <code class="scope">orders.write</code>`,
		`/docs/problems#validation-failed`,
		`<code>malformed_body</code>`, // has no entry in this test's list
		`curl &#34;$API_HOST/api/public/v1/orders?limit=20&#34;`,
		`-H &#39;Idempotency-Key: 4f0c2d0e`,
		`neighbour&#39;\&#39;&#39;s door`, // quoted for the shell
		`array of <a href="#schema-LineItem">LineItem</a>`,
		`<a href="#schema-Address">Address</a> or null`,
		`<h2 id="pages-and-cursors">Pages and cursors</h2>`,
		`<code>/api/public/v0</code>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// pages are those of the documentation.
var pages = []string{"/docs", "/docs/limits", "/docs/problems", "/docs/themes", "/docs/webhooks"}

// The page of limits has a row for each of the table, with the value that holds here.
func TestLimits(t *testing.T) {
	page := ask(docs(t), "GET", "/docs/limits").Body.String()
	for _, r := range limit.Rows() {
		here := r.Default
		if r.Name == limit.People {
			here = 7
		}
		want := fmt.Sprintf("<code>%s</code></th><td>%d</td>\n<td>%s</td><td>%d</td><td>%d, %d</td>", r.Name, here,
			html.EscapeString(r.Counts), r.Default, r.Least, r.Greatest)
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// Every link inside a page leads somewhere, and ids are unique.
func TestAnchors(t *testing.T) {
	h := docs(t)
	ids := map[string]bool{}
	for _, target := range pages {
		page := ask(h, "GET", target).Body.String()
		for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if ids[target+"#"+m[1]] {
				t.Errorf("%s: id %q twice", target, m[1])
			}
			ids[target+"#"+m[1]] = true
		}
	}
	for _, target := range pages {
		page := ask(h, "GET", target).Body.String()
		for _, m := range regexp.MustCompile(` href="(/docs[^"]*)?(#[^"]+)"`).FindAllStringSubmatch(page, -1) {
			if m[1] == "" {
				m[1] = target
			}
			if !ids[m[1]+m[2]] {
				t.Errorf("%s: the link %s%s leads nowhere", target, m[1], m[2])
			}
		}
	}
}

// Pages load nothing from other hosts, and link to none but the one for help.
func TestNoForeignHosts(t *testing.T) {
	allowed := map[string]bool{"https://github.com/storefront-go/storefront/issues": true}
	for target, h := range map[string]http.Handler{
		"/docs": docs(t), "/docs/limits": docs(t), "/docs/problems": docs(t), "/docs/webhooks": docs(t),
		"/docs/themes":      docs(t),
		"/graphql/explorer": explorer(t),
	} {
		page := ask(h, "GET", target).Body.String()
		for _, m := range regexp.MustCompile(`(?:src|href|action|srcset)\s*=\s*["']?([^"'\s>]+)`).
			FindAllStringSubmatch(page, -1) {
			if to := m[1]; !strings.HasPrefix(to, "#") &&
				(!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//")) && !allowed[to] {
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
			regexp.MustCompile(`https?://|@import|url\(|innerHTML|localStorage|sessionStorage|document\.cookie|eval\(`).
				Match(b) {
			t.Errorf("%s refers elsewhere or keeps or writes what it must not", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
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

// The script asks only for elements that the page has.
func TestExplorerElements(t *testing.T) {
	h := explorer(t)
	page := ask(h, "GET", "/graphql/explorer").Body.String()
	script := ask(h, "GET", "/graphql/explorer/static/explorer.js").Body.String()
	found := regexp.MustCompile(`at\('([a-z]+)'\)`).FindAllStringSubmatch(script, -1)
	if len(found) < 10 {
		t.Fatalf("only %d look-ups in the script", len(found))
	}
	for _, m := range found {
		if !strings.Contains(page, `id="`+m[1]+`"`) {
			t.Errorf("the page has no element %q", m[1])
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
			if _, err := Docs([]byte(tc.doc), nil, nil); err == nil {
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
