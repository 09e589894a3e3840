package rest_test

import (
	"bytes"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Documents for people and tools are compressed on request, name this service's address, and
// unknown ones show a page.
func TestDocumentsForPeople(t *testing.T) {
	s, _ := sqlite(t)
	as := func(accept, encoding string) map[string]string {
		return map[string]string{"Accept": accept, "Accept-Encoding": encoding}
	}
	for _, path := range []string{"/docs", "/docs/webhooks", "/openapi.json", "/openapi.yaml"} {
		plain := s.do(t, request{Path: path, Free: true, Header: as("*/*", "identity")})
		packed := s.do(t, request{Path: path, Free: true, Header: as("*/*", "gzip")})
		if packed.Header.Get("Content-Encoding") != "gzip" || plain.Header.Get("Content-Encoding") != "" ||
			len(packed.Body)*3 > len(plain.Body)*2 {
			t.Errorf("%s: %d bytes of %d", path, len(packed.Body), len(plain.Body))
		}
		if strings.HasPrefix(path, "/openapi") && (bytes.Contains(plain.Body, []byte("https://api.example.com")) ||
			!bytes.Contains(plain.Body, []byte(apiHost+"/api/public/v1/me"))) {
			t.Errorf("%s names another host than this", path)
		}
	}
	for _, path := range []string{"/docs/nope", "/docs/guides/nope"} {
		a := s.do(t, request{Path: path, Free: true, Header: as("text/html,*/*;q=0.8", "identity")})
		if a.Status != http.StatusNotFound || a.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
			!bytes.Contains(a.Body, []byte("<h1>Not found</h1>")) {
			t.Errorf("%s: %d %v", path, a.Status, a.Header)
		}
		s.do(t, request{Path: path, Free: true}).want(http.StatusNotFound, "not_found")
	}
	icon := s.raw(t, http.MethodGet, "/favicon.ico")
	if icon.Status != http.StatusOK || icon.Header.Get("Content-Type") != "image/svg+xml" || len(icon.Body) < 100 {
		t.Errorf("the icon: %d %v", icon.Status, icon.Header)
	}
}

// Every page of the dashboard leads to a guide that exists.
func TestGuidesOfTheDashboard(t *testing.T) {
	s, _ := sqlite(t)
	b, err := os.ReadFile("dashboard/static/app.js")
	if err != nil {
		t.Fatal(err)
	}
	page := string(s.do(t, request{Path: "/docs/guides/dashboard", Free: true}).Body)
	places := regexp.MustCompile(`\{ path: '[^']*', text: '([^']+)'`).FindAllStringSubmatch(string(b), -1)
	names := []string{"shipping", "tax", "payments", "security"} // of pages that the menu does not have
	for _, m := range places {
		names = append(names, strings.ReplaceAll(strings.ToLower(m[1]), " ", "-"))
	}
	if len(names) < 20 {
		t.Fatalf("only %d pages", len(names))
	}
	for _, name := range names {
		if !strings.Contains(page, `<h2 id="`+name+`">`) {
			t.Errorf("the guide lacks %s", name)
		}
	}
	for _, m := range regexp.MustCompile(`'/[a-z]+': '([a-z-]+)'`).FindAllStringSubmatch(
		between(string(b), "const taskGuides", "};"), -1) {
		s.do(t, request{Path: "/docs/guides/" + m[1], Free: true}).want(http.StatusOK, "")
	}
}

// between returns the text between two others.
func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}
