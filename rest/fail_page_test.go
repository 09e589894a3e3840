package rest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/rest/account"
)

// browserAccept is the Accept header of browsers that open an address.
const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

// A person who opens a download in a browser reads what is wrong and gets back to the export; a
// client gets the same problem as before.
func TestFailedDownloadForPeople(t *testing.T) {
	for name, tc := range map[string]struct {
		failure error
		address func(c *counter) string
		status  int
		code    string
		want    []string
	}{
		"late": {address: func(c *counter) string { return c.address(-time.Second) }, status: 403, code: "link_expired",
			want: []string{"Link expired", "The address has expired"}},
		"changed": {address: func(c *counter) string { return c.address(time.Minute) + "x" }, status: 403,
			code: "link_invalid", want: []string{"Invalid link"}},
		"gone": {failure: fmt.Errorf("open: %w", export.ErrGone), status: 410, code: "file_gone",
			want: []string{"File gone", "start a new export"}},
		"too many": {failure: &fault.Error{Kind: fault.RateLimited, Detail: "Wait.", RetryAfter: 3 * time.Second},
			status: 429, code: "rate_limited", want: []string{"Too many requests", "Wait 3 s", `href="">Try again`}},
		"away": {failure: &fault.Error{Kind: fault.Unavailable, Detail: "Away.", RetryAfter: time.Second}, status: 503,
			code: "unavailable", want: []string{"Away.", `href="">Try again`}},
		"broken": {failure: errors.New("secret"), status: 500, code: "internal_error", want: []string{"Dashboard"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCounter(t, 10)
			c.openErr = tc.failure
			address := c.address(time.Minute)
			if tc.address != nil {
				address = tc.address(c)
			}
			for _, accept := range []string{"*/*", "application/json"} {
				refused(t, accept, c.serve("GET", address, "Accept", accept), tc.status, tc.code)
			}
			res := c.serve("GET", address, "Accept", browserAccept)
			id := res.Header.Get("X-Request-Id")
			if tc.status < 429 {
				tc.want = append(tc.want, `href="/dashboard/exports/`+xid.Export.Format(c.id)+`"`)
			}
			shown(t, res, tc.status, append(tc.want, id)...)
			if wait := res.Header.Get("Retry-After"); (wait != "") != (tc.status == 429 || tc.status == 503) {
				t.Errorf("Retry-After %q", wait)
			}
		})
	}
}

// A person who has to sign in is sent to the sign-in page and back.
func TestWayToSignIn(t *testing.T) {
	a := &API{Config: Config{Account: new(account.Account)}}
	r, err := http.NewRequestWithContext(t.Context(), "GET", "/dashboard/audit.jsonl?store=a", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	links := a.failureLinks(r, &fault.Error{Kind: fault.AuthenticationRequired})
	if want := account.SignInAddress("/dashboard/audit.jsonl?store=a"); links[0].Href != want {
		t.Errorf("got %v, want %s first", links, want)
	}
}

// shown checks a page of a failure.
func shown(t *testing.T, res *http.Response, status int, want ...string) {
	t.Helper()
	body := text(t, res)
	h := res.Header
	if res.StatusCode != status || h.Get("Content-Type") != "text/html; charset=utf-8" ||
		h.Get("Cache-Control") != "no-store" ||
		!strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d %v", res.StatusCode, h)
	}
	for _, w := range want {
		if !strings.Contains(body, w) {
			t.Errorf("the page lacks %q: %s", w, body)
		}
	}
	if strings.Contains(body, "secret") || strings.Contains(body, "signature=") {
		t.Errorf("the page says too much: %s", body)
	}
}

// An unknown address shows a page to people, except at the API's own paths.
func TestNothingHereForPeople(t *testing.T) {
	c := newCounter(t, 10)
	for _, path := range []string{"/nothing", "/%3Cscript%3E", "/api", "/api/public/v10/x"} {
		shown(t, c.serve("GET", path, "Accept", browserAccept), 404, "Not found", `href="/docs"`, `href="/dashboard"`)
		refused(t, path, c.serve("GET", path, "Accept", "*/*"), 404, "not_found")
		refused(t, path, c.serve("POST", path, "Accept", browserAccept), 404, "not_found")
	}
	for _, path := range []string{Base + "/nothing", Base, legacyBase + "/orders"} {
		refused(t, path, c.serve("GET", path, "Accept", browserAccept), 404, "not_found")
	}
}
