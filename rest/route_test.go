package rest_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/rest"
)

// paths are the served paths with their methods.
var paths = map[string]string{
	"/me": "GET, HEAD", "/orders": "GET, HEAD, POST", "/orders/" + orderID: "GET, HEAD, PATCH",
	"/orders/" + orderID + "/cancel": "POST", "/orders/" + orderID + "/payments": "POST",
	"/orders/" + orderID + "/fulfillments": "GET, HEAD, POST", "/orders/" + orderID + "/refunds": "POST",
	"/orders/" + orderID + "/returns": "POST", "/returns": "GET, HEAD", "/returns/x": "GET, HEAD",
	"/returns/x/approve": "POST", "/returns/x/decline": "POST", "/returns/x/receive": "POST",
	"/returns/x/refund": "POST", "/returns/x/exchange": "POST",
	"/orders/" + orderID + "/notes": "POST", "/products": "GET, HEAD, POST",
	"/products/" + productID + "/variants/x": "PATCH",
	"/products/" + productID:                 "GET, HEAD, PATCH", "/customers": "GET, HEAD, POST",
	"/products/" + productID + "/publish": "POST", "/products/" + productID + "/unpublish": "POST",
	"/products/" + productID + "/archive": "POST", "/products/by-reference/" + productID: "PUT",
	"/orders/" + orderID + "/fulfillments/x": "PATCH", "/inventory": "GET, HEAD", "/inventory/adjustments": "POST",
	"/customers/" + customerID: "GET, HEAD, PATCH", "/discounts": "GET, HEAD, POST", "/discounts/x": "DELETE, PATCH",
	"/inventory/transfers": "POST", "/locations": "GET, HEAD, POST", "/locations/x": "PATCH",
	"/location-order": "PUT", "/locations/x/close": "POST",
	"/custom-fields": "GET, HEAD, POST", "/custom-fields/x": "DELETE, PATCH",
	"/events": "GET, HEAD", "/events/x": "GET, HEAD",
	"/exports": "GET, HEAD, POST", "/exports/" + exportID: "GET, HEAD",
	"/imports": "GET, HEAD, POST", "/imports/" + importID: "GET, HEAD", "/imports/" + importID + "/errors": "GET, HEAD",
	"/webhooks": "GET, HEAD, POST", "/webhooks/" + webhookID: "DELETE",
	"/themes": "GET, HEAD", "/themes/" + themeID: "GET, HEAD", "/themes/" + themeID + "/assets": "GET, HEAD",
	"/themes/" + themeID + "/activate": "POST", "/marketplace/themes": "GET, HEAD",
}

func TestOtherMethods(t *testing.T) {
	s, m := sqlite(t)
	rows := 0
	for _, allow := range paths {
		rows += len(strings.Split(strings.ReplaceAll(allow, ", HEAD", ""), ", "))
	}
	if want := len(rest.Routes()); rows != want {
		t.Errorf("the paths here have %d methods but HEAD, the table has %d", rows, want)
	}
	for path, allow := range paths {
		for _, method := range []string{
			"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get",
		} {
			if strings.Contains(", "+allow+",", " "+method+",") {
				continue
			}
			for _, as := range []string{"", m.all} { // it comes before the credential
				for _, version := range []string{base, legacy} {
					a := s.do(t, request{As: as, Method: method, Path: version + path, Body: "x"})
					if got := a.Header.Get("Allow"); a.Status != http.StatusMethodNotAllowed || got != allow {
						t.Errorf("%s %s: got %d, Allow %q, want 405, %q", method, version+path, a.Status, got, allow)
					}
					if method != "HEAD" {
						a.want(http.StatusMethodNotAllowed, "method_not_allowed")
					}
				}
			}
		}
	}
}

func TestUnknownPaths(t *testing.T) {
	s, m := sqlite(t)
	for _, path := range []string{
		"", "/", "/nothing", "/me/", "/orders/", "/products/", "/products/" + productID +
			"/", "/orders/" + orderID + "/notes/",
		"//products", "/products//", "/./products", "/products/../me", "/../v1/products", "/orders//notes",
		"/orders/" + orderID + "/notes/note_01h455vb4pex5vsknk084sn02q", "/PRODUCTS", "/Products",
		"/products.json", "/products%2F", "/products%20", "/customers/cus_01h455vb4pex5vsknk084sn02q/x", "/me;v=1",
		"/%70roducts%00", "/webhooks/", "/exports/", "/exports/" + exportID + "/cancel",
		"/themes/", "/themes/" + themeID + "/", "/themes/" + themeID + "/activate/", "/marketplace", "/marketplace/",
		"/marketplace/themes/mkt_01h455vb4pex5vsknk084sn02q",
	} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS"} {
			for _, as := range []string{"", m.all} {
				for _, version := range []string{base, legacy} {
					s.do(t, request{As: as, Method: method, Path: version + path}).
						want(http.StatusNotFound, "not_found")
				}
			}
		}
	}
	for _, path := range []string{
		"/api/public/v2/products", "/api/public/v10/products", "/api/public/products", "/api/public/v1products", "/api",
	} {
		s.do(t, request{As: m.all, Path: path}).want(http.StatusNotFound, "not_found")
	}
}

// TestEncodedPaths: characters that need no encoding equal themselves encoded; an encoded slash
// does not separate.
func TestEncodedPaths(t *testing.T) {
	c := newCast(t)
	for path, status := range map[string]int{
		base + "/%6Frders": 200, base + "/orders/%6frd%5F" + orderID[4:]: 200, "/api/public/%761/me": 200,
		"/%6Fpenapi.json": 200, base + "/%70%72%6F%64ucts": 200, base + "/orders%2F" + orderID: 404, base + "/orders/" +
			orderID + "%2Fnotes": 404, base + "/%2Forders": 404, base + "/orders/%2e%2e/me": 404,
		base + "/%2e/orders": 404, base + "/orders%00": 404, base + "/%25%36%46rders": 404, base + "/%C3%B3rders": 404,
	} {
		if a := c.raw(t, http.MethodGet, path, "Authorization", "Bearer "+c.as["all"]); a.Status != status {
			t.Errorf("%s: %d, want %d", path, a.Status, status)
		}
	}
}

// TestChunkedRequestEndsItsConnection: a request with two lengths may hide another (RFC 9112,
// section 6.1).
func TestChunkedRequestEndsItsConnection(t *testing.T) {
	s, m := sqlite(t)
	for length, ends := range map[string]bool{"Content-Length: 2\r\nTransfer-Encoding: chunked": true,
		"Transfer-Encoding: chunked": true, "Content-Length: 12": false} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST %s/products HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nIdempotency-Key: "+
			"k\r\nContent-Type: application/json\r\n%s\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
			base, m.all, length)
		in := bufio.NewReader(conn)
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		if res.Body.Close(); res.Close != ends {
			t.Errorf("%s: %d, closing %t, want %t", length, res.StatusCode, res.Close, ends)
		}
		if !ends {
			continue
		}
		if _, err := in.ReadByte(); err != io.EOF {
			t.Errorf("%s: %v, want the end of the connection", length, err)
		}
	}
}

// TestHeadIsGetWithoutBody compares every header of the two.
func TestHeadIsGetWithoutBody(t *testing.T) {
	c := newCast(t)
	for _, path := range []string{
		"/me", "/orders", "/orders?limit=1", "/orders/" + orderID, "/products", "/products/" + productID, "/customers",
		"/exports", "/exports/" + exportID, "/webhooks", "/themes", "/themes/" + themeID,
		"/themes/" + themeID + "/assets", "/marketplace/themes", "/products/" + unknownID, "/products?limit=0",
		"/nothing", "/orders/" + orderID + "/x",
	} {
		for _, as := range []string{"all", "themes.read", ""} {
			get := c.do(t, request{As: c.as[as], Path: path})
			head := c.do(t, request{As: c.as[as], Path: path, Method: http.MethodHead})
			if head.Status != get.Status || len(head.Body) > 0 {
				t.Errorf("%s: HEAD %d with %d bytes, GET %d", path, head.Status, len(head.Body), get.Status)
			}
			for name := range get.Header {
				if name == "Date" || name == "X-Request-Id" || name == "Ratelimit" {
					continue
				}
				if g, h := get.Header.Get(name), head.Header.Get(name); g != h {
					t.Errorf("%s %s: GET says %q, HEAD %q", path, name, g, h)
				}
			}
			if len(head.Header) != len(get.Header) {
				t.Errorf("%s: HEAD has %d headers, GET %d", path, len(head.Header), len(get.Header))
			}
		}
	}
}

var requestID = regexp.MustCompile(`^req_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

// TestEveryAnswerHasARequestID: it is our own, never the client's.
func TestEveryAnswerHasARequestID(t *testing.T) {
	c := newCast(t)
	seen := map[string]bool{}
	for _, r := range []request{
		{Path: "/products", As: c.as["all"]},
		{Path: "/products", Method: "HEAD", As: c.as["all"]},
		{Path: "/products", Method: "POST", Body: draft("x"), As: c.as["all"]},
		{Path: "/products"}, {Path: "/nothing"}, {Path: "/products", Method: "PATCH"},
		{Path: "/products", Method: "OPTIONS", Header: map[string]string{"Access-Control-Request-Method": "GET"}},
		{Path: "/docs"}, {Path: "/docs/problems"}, {Path: "/docs/limits"}, {Path: "/docs/themes"},
		{Path: "/docs/nothing"},
		{Path: "/openapi.json"}, {Path: "/openapi.yaml"}, {Path: "/openapi.json", Method: "PUT"},
		{Path: "/api/public/v0/me", As: c.as["all"]},
	} {
		const own = "req_00000000000000000000000000"
		r.Header = mergeHeader(r.Header, map[string]string{"X-Request-Id": own})
		a := c.do(t, r)
		got := a.Header.Values("X-Request-Id")
		if len(got) != 1 || !requestID.MatchString(got[0]) || got[0] == own || seen[got[0]] {
			t.Errorf("%s %s: X-Request-Id %q", r.Method, r.Path, got)
			continue
		}
		seen[got[0]] = true
		if a.code() != "" && a.problem().RequestID != got[0] {
			t.Errorf("%s %s: the problem says %q, the header %q", r.Method, r.Path, a.problem().RequestID, got[0])
		}
	}
}

func mergeHeader(a, b map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{a, b} {
		maps.Copy(all, m)
	}
	return all
}

// TestProblemShape: every error has the members of RFC 9457 and ours, its type is an address of the
// documentation, and it is not cached.
func TestProblemShape(t *testing.T) {
	c := newCast(t)
	docs := string(c.do(t, request{Path: "/docs/problems"}).Body)
	for _, r := range []request{
		{Path: "/nothing"}, {Path: "/products", Method: "PUT"}, {Path: "/products"}, {Path: "/products", As: "x"},
		{Path: "/me", As: c.as["none"]}, {Path: "/products?limit=0", As: c.as["all"]},
		{Path: "/products", As: c.as["all"], Method: "POST", Body: "{"},
		{Path: "/products", As: c.as["all"], Method: "POST", Body: "{}"},
		{Path: "/products", As: c.as["all"], Method: "POST", Body: "{}",
			Header: map[string]string{"Idempotency-Key": ""}},
		{Path: "/products", As: c.as["all"], Method: "POST", Body: "{}", Header: map[string]string{"Content-Type": ""}},
		{Path: "/products/" + unknownID, As: c.as["all"]}, {Path: "/api/public/v0/me", As: c.as["all"]},
	} {
		a := c.do(t, r)
		var members map[string]any
		a.decode(&members)
		p := a.problem()
		if len(members) != 7 || p.Status != a.Status || p.Title == "" || p.Detail == "" || p.Errors == nil {
			t.Errorf("%s %s: %s", r.Method, r.Path, a.Body)
		}
		anchor := strings.ReplaceAll(p.Code, "_", "-")
		if p.Type != apiHost+"/docs/problems#"+anchor {
			t.Errorf("%s %s: type %q", r.Method, r.Path, p.Type)
		}
		if !strings.Contains(docs, `id="`+anchor+`"`) {
			t.Errorf("/docs/problems has no %s", anchor)
		}
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "Content-Type": "application/problem+json", "Etag": "",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s %s: %s %q, want %q", r.Method, r.Path, name, got, want)
			}
		}
	}
}
