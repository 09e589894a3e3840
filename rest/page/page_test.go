package page

import (
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const tried = `{{define "title"}}Try {{.Name}}{{end}}
{{define "main"}}<h1>Try</h1>{{template "alert" .Problem}}<form method="post">{{template "field" .Field}}
{{template "button" .Allow}}{{template "button" .Cancel}}</form>{{if .Broken}}{{.Name.Broken}}{{end}}{{end}}`

type trial struct {
	Name, Problem string
	Field         Field
	Allow, Cancel Button
	Broken        bool
}

func newSet(t *testing.T) *Set {
	t.Helper()
	s, err := New(fstest.MapFS{
		"templates/try.html": {Data: []byte(tried)}, "templates/notes.txt": {Data: []byte("{{")},
	},
		slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func show(s *Set, method, name string, data any) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Render(w, httptest.NewRequest(method, "/", nil), http.StatusOK, name, data)
	return w
}

func TestRender(t *testing.T) {
	s := newSet(t)
	w := show(s, http.MethodGet, "try", trial{
		Name: "<b>", Problem: `"><script>alert(1)</script>`,
		Field: Field{Name: "email", Label: "E-mail", Type: "email", Value: `"><img>`, Autocomplete: "username",
			Hint: "Yours.", Error: "Unknown.", Required: true, MaxLength: 20},
		Allow:  Button{Label: "Allow", Name: "decision", Value: "allow"},
		Cancel: Button{Label: "Cancel", Secondary: true},
	})
	body := w.Body.String()
	for _, want := range []string{
		"<!doctype html>", `<html lang="en">`, "<title>Try &lt;b&gt; · Storefront</title>", `href="` + StylePath + `"`,
		`<div class="alert" role="alert"><p>&#34;&gt;&lt;script&gt;`, `<label for="email">E-mail</label>`,
		`<input id="email" name="email" type="text" inputmode="email" value="&#34;&gt;&lt;img&gt;" ` +
			`autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="20" required ` +
			`aria-invalid="true" aria-describedby="email-hint email-error">`,
		`id="email-hint">Yours.`, `id="email-error">Unknown.`,
		`<button type="submit" class="primary" name="decision" value="allow">Allow</button>`,
		`<button type="submit" class="secondary">Cancel</button>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s\n%s", want, body)
		}
	}
	if strings.Contains(body, "<script") || strings.Contains(body, "//") &&
		regexp.MustCompile(`(?:src|href|action)="(?:https?:)?//`).MatchString(body) {
		t.Errorf("the page holds a script or an address of another host\n%s", body)
	}
	if strings.HasPrefix(body, "\n") || w.Header().Get("Content-Length") != strconv.Itoa(len(body)) {
		t.Errorf("%d bytes, Content-Length %s", len(body), w.Header().Get("Content-Length"))
	}
}

// An empty alert has no element, because one that appears later is read out.
func TestNoAlert(t *testing.T) {
	if body := show(newSet(t), http.MethodGet, "try", trial{}).Body.String(); strings.Contains(body, "role=") {
		t.Errorf("%s", body)
	}
}

func guarded(t *testing.T, name string, h http.Header) {
	t.Helper()
	for header, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; " +
			"frame-ancestors 'none'",
		"X-Frame-Options":            "DENY",
		"X-Content-Type-Options":     "nosniff",
		"Referrer-Policy":            "same-origin",
		"Cross-Origin-Opener-Policy": "",
		"Cache-Control":              "no-store",
	} {
		if got := h.Get(header); got != want {
			t.Errorf("%s: %s is %q, want %q", name, header, got, want)
		}
	}
}

func TestHeaders(t *testing.T) {
	s := newSet(t)
	w := show(s, http.MethodGet, "try", trial{})
	guarded(t, "page", w.Header())
	if got := w.Header().Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	head := show(s, http.MethodHead, "try", trial{})
	guarded(t, "HEAD", head.Header())
	if head.Body.Len() != 0 || head.Header().Get("Content-Length") != w.Header().Get("Content-Length") {
		t.Errorf("HEAD: %d bytes, Content-Length %s", head.Body.Len(), head.Header().Get("Content-Length"))
	}
	w = httptest.NewRecorder()
	Message(w, httptest.NewRequest(http.MethodPost, "/", nil), http.StatusForbidden, "No <b>", "Because & so.")
	guarded(t, "message", w.Header())
	if body := w.Body.String(); w.Code != http.StatusForbidden ||
		!strings.Contains(body, "<h1>No &lt;b&gt;</h1><p>Because &amp; so.</p>") {
		t.Errorf("%d %s", w.Code, body)
	}
	w = httptest.NewRecorder()
	Redirect(w, "/dashboard")
	guarded(t, "redirect", w.Header())
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/dashboard" || w.Body.Len() != 0 {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

// A page that fails half-way shows nothing of itself.
func TestBrokenPage(t *testing.T) {
	for _, name := range []string{"try", "unknown"} {
		w := show(newSet(t), http.MethodGet, name, trial{Name: "half", Broken: true})
		if body := w.Body.String(); w.Code != http.StatusInternalServerError || strings.Contains(body, "half") ||
			!strings.Contains(body, "<h1>Something went wrong</h1>") {
			t.Errorf("%s: %d %s", name, w.Code, body)
		}
		guarded(t, name, w.Header())
	}
}

func TestNewRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"syntax": {fstest.MapFS{"a.html": {Data: []byte(`{{define "title"}}`)}}, "a.html"},
		"no main": {fstest.MapFS{"a.html": {Data: []byte(`{{define "title"}}{{end}}`)}},
			`a.html: define "title" and "main"`},
		"no title": {fstest.MapFS{"a.html": {Data: []byte(`{{define "main"}}{{end}}`)}}, "a.html: define"},
		"twice": {fstest.MapFS{"a.html": {Data: []byte(tried)}, "b/a.html": {Data: []byte(tried)}},
			"b/a.html: another page has this name"},
	} {
		s, err := New(tc.files, nil)
		if err == nil {
			err = s.Check()
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, tc.want)
		}
	}
}

func TestStyle(t *testing.T) {
	ask := func(method, tag string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(method, StylePath, nil)
		r.Header.Set("If-None-Match", tag)
		Style().ServeHTTP(w, r)
		return w
	}
	w := ask(http.MethodGet, "")
	tag := w.Header().Get("ETag")
	if w.Code != http.StatusOK || tag == "" || w.Header().Get("Content-Type") != "text/css; charset=utf-8" ||
		w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if again := ask(http.MethodGet, tag); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("known tag: %d, %d bytes", again.Code, again.Body.Len())
	}
	if post := ask(http.MethodPost, ""); post.Code != http.StatusMethodNotAllowed ||
		post.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", post.Code, post.Header())
	}
	if css := w.Body.String(); strings.Contains(css, "url(") || strings.Contains(css, "@import") {
		t.Error("the stylesheet loads something")
	}
}

// WCAG 2.2, 1.4.3 and 1.4.11, computed from the stylesheet's colors.
func TestContrast(t *testing.T) {
	css, _ := files.ReadFile("page.css")
	light, dark, found := strings.Cut(string(css), "prefers-color-scheme: dark")
	dark, _, _ = strings.Cut(dark, "\n* {")
	if !found {
		t.Fatal("there is no dark scheme")
	}
	for scheme, text := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`).FindAllStringSubmatch(text, -1) {
			colours[m[1]] = luminance(t, m[2])
		}
		for _, pair := range []struct {
			ink, ground string
			least       float64
		}{
			{"text", "page", 4.5}, {"text", "card", 4.5}, {"soft", "card", 4.5}, {"link", "card", 4.5},
			{"on-link", "link", 4.5}, {"on-link", "link-over", 4.5},
			{"wrong", "card", 4.5}, {"wrong", "wrong-card", 4.5}, {"mark", "mark-card", 4.5},
			{"warn", "warn-card", 4.5}, {"edge", "card", 3}, {"link", "page", 3},
		} {
			a, okA := colours[pair.ink]
			b, okB := colours[pair.ground]
			if got := (max(a, b) + 0.05) / (min(a, b) + 0.05); !okA || !okB || got < pair.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", scheme,
					pair.ink, pair.ground, got, pair.least)
			}
		}
	}
}

// luminance returns the relative luminance of a color, as WCAG defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	var rgb [3]uint8
	if _, err := fmt.Sscanf(hex, "%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
		t.Fatal(err)
	}
	var linear [3]float64
	for i, c := range rgb {
		v := float64(c) / 255
		if linear[i] = v / 12.92; v > 0.04045 {
			linear[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*linear[0] + 0.7152*linear[1] + 0.0722*linear[2]
}
