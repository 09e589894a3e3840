package web

import (
	"strings"
	"testing"
)

func TestGuideTwins(t *testing.T) {
	h := docs(t)
	html := ask(h, "GET", "/docs/guides/oauth", "Accept", "text/html,*/*;q=0.8")
	twin := ask(h, "GET", "/docs/guides/oauth.md")
	if got := ask(h, "GET", "/docs/guides/oauth", "Accept", "text/markdown").Body.String(); got != twin.Body.String() {
		t.Errorf("by Accept: %.200s", got)
	}
	if !strings.HasPrefix(twin.Body.String(), "# ") || strings.Contains(twin.Body.String(), exampleHost) ||
		twin.Header().Get("Content-Type") != "text/markdown; charset=utf-8" {
		t.Errorf("%v %.200s", twin.Header(), twin.Body)
	}
	if html.Header().Get("Content-Type") != page || html.Header().Get("ETag") == twin.Header().Get("ETag") ||
		html.Header().Get("Vary") != "Accept, Accept-Encoding" ||
		twin.Header().Get("Vary") != html.Header().Get("Vary") ||
		html.Header().Get("Link") != `</docs/guides/oauth.md>; rel="alternate"; type="text/markdown"` {
		t.Errorf("%v %v", html.Header(), twin.Header())
	}
}
