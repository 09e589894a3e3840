package e2e

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
)

// prompt bounds the answer to nonsense: far more than a slow machine with the race detector needs,
// and less than a hang.
const prompt = 10 * time.Second

// quickly fails the test when f takes long.
func quickly(t *testing.T, what string, f func()) {
	t.Helper()
	began := time.Now()
	f()
	if took := time.Since(began); took > prompt {
		t.Errorf("%s took %v", what, took)
	}
}

// Oversized and too deep bodies are refused at once.
func TestAttackBodies(t *testing.T) {
	storetest.Sequential(t)
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}})
	store := p.demo(t).Stores[0]
	deep := strings.Repeat(`{"a":`, 150_000)
	for _, tc := range []struct {
		name, body string
		header     []string
		status     int
		code       string
	}{
		{name: "two mebibytes", body: `{"title":"` + strings.Repeat("x", 2<<20) + `"}`, status: 413,
			code: "payload_too_large"},
		{name: "deep", body: deep, status: 400, code: "malformed_body"},
		{name: "deep arrays", body: strings.Repeat("[", 500_000), status: 400, code: "malformed_body"},
		{name: "33 levels", body: `{"title":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`, status: 400,
			code: "malformed_body"},
		{name: "many members", body: `{"a0":0` + members(60_000) + `}`, status: 422, code: "validation_failed"},
		{name: "duplicate members", body: `{"title":"a","title":"b","price_minor":1,"currency":"EUR"}`, status: 400,
			code: "malformed_body"},
		{name: "trailing data", body: draft("x", "x") + "{}", status: 400, code: "malformed_body"},
		{name: "bad UTF-8", body: "{\"title\":\"\xff\"}", status: 400, code: "malformed_body"},
		{name: "a long number",
			body: `{"title":"x","currency":"EUR","price_minor":` + strings.Repeat("9", 500_000) + `}`, status: 422,
			code: "validation_failed"},
		{name: "a huge exponent", body: `{"title":"x","currency":"EUR","price_minor":1e999999999}`, status: 422,
			code: "validation_failed"},
		{name: "compressed", body: "\x1f\x8b\x08\x00", header: []string{"Content-Encoding", "gzip"}, status: 415,
			code: "unsupported_media_type"},
		{name: "a form", body: "title=x", header: []string{"Content-Type", "application/x-www-form-urlencoded"},
			status: 415, code: "unsupported_media_type"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			quickly(t, tc.name, func() {
				p.send(t, request{As: store.Keys["all"], Path: base + "/products", Body: tc.body, Header: tc.header}).
					want(t, tc.status, tc.code)
			})
		})
	}
	t.Run("chunks without end", func(t *testing.T) {
		w := dial(t, p.API)
		w.write(t, "POST "+base+"/products HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+store.Keys["all"]+
			"\r\nContent-Type: application/json\r\nIdempotency-Key: endless\r\nTransfer-Encoding: chunked\r\n\r\n")
		chunk := fmt.Sprintf("%x\r\n%s\r\n", 1<<16, strings.Repeat(" ", 1<<16))
		go func() {
			for {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		}()
		if res := w.read(t); res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("got %s, want 413", res.Status)
		}
	})
	t.Run("half a body", func(t *testing.T) {
		w := underWay(t, p, store.Keys["all"], draft("Half", "HALF"))
		w.write(t, `{"title":`)
		if err := w.Conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if res := w.read(t); res.StatusCode != http.StatusBadRequest {
			t.Errorf("got %s, want 400", res.Status)
		}
	})
	if n := p.countSKU(t, store.Keys["all"], "HALF"); n != 0 {
		t.Error("half a body created a product")
	}
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"a%d":0`, i+1)
	}
	return b.String()
}

// Clients that hold connections without sending a request slow nobody down.
func TestAttackSlow(t *testing.T) {
	storetest.Sequential(t)
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo"}})
	key := p.demo(t).Stores[0].Keys["all"]
	for range 150 {
		dial(t, p.API).write(t, "GET "+base+"/orders HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
	}
	for i := range 50 {
		dial(t, p.API).write(t, fmt.Sprintf(
			"POST %s/products HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
				"Idempotency-Key: slow-%d\r\nContent-Length: 100\r\n\r\n{", base, key, i))
	}
	quickly(t, "a request beside 200 slow ones", func() {
		p.send(t, request{As: key, Path: base + "/orders"}).want(t, http.StatusOK, "")
		p.send(t, request{As: key, Path: base + "/products", Body: draft("Quick", "QUICK")}).
			want(t, http.StatusCreated, "")
	})
}

// Malformed HTTP.
func TestAttackHTTP(t *testing.T) {
	storetest.Sequential(t)
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo"}})
	key := p.demo(t).Stores[0].Keys["all"]
	auth := "Host: localhost\r\nAuthorization: Bearer " + key + "\r\n"
	for _, tc := range []struct {
		name, text string
		status     int
	}{
		{"headers of 200 KiB", "GET " + base + "/me HTTP/1.1\r\n" + auth + "X-Big: " +
			strings.Repeat("x", 200<<10) + "\r\n\r\n", 431},
		{"no host", "GET " + base + "/me HTTP/1.1\r\n\r\n", 400},
		{"two hosts", "GET " + base + "/me HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
		{"two lengths", "POST " + base + "/products HTTP/1.1\r\n" + auth +
			"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}", 400},
		{"a negative length", "POST " + base + "/products HTTP/1.1\r\n" + auth + "Content-Length: -1\r\n\r\n", 400},
		{"an unknown coding", "POST " + base + "/products HTTP/1.1\r\n" + auth + "Transfer-Encoding: cow\r\n\r\n", 501},
		{"a folded header", "GET " + base + "/me HTTP/1.1\r\n" + auth + "X-A: b\r\n c\r\n bad\x00\r\n\r\n", 400},
		{"a space before the colon", "GET " + base + "/me HTTP/1.1\r\nAuthorization : Bearer x\r\n\r\n", 400},
		{"two credentials", "GET " + base + "/me HTTP/1.1\r\n" + auth +
			"Authorization: Bearer " + key + "\r\n\r\n", 401},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
		{"a proxy's request", "GET http://localhost" + base + "/me HTTP/1.1\r\n" + auth + "\r\n", 200},
		{"a proxy's request for another host", "GET http://evil.example" + base + "/me HTTP/1.1\r\n" + auth + "\r\n",
			404},
		{"TRACE", "TRACE " + base + "/me HTTP/1.1\r\n" + auth + "\r\n", 405},
		{"CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\n" + auth + "\r\n", 404},
		{"PUT", "PUT " + base + "/products HTTP/1.1\r\n" + auth + "Content-Length: 0\r\n\r\n", 405},
		{"DELETE", "DELETE " + base + "/orders HTTP/1.1\r\n" + auth + "\r\n", 405},
		{"a method of one's own", "GEET " + base + "/orders HTTP/1.1\r\n" + auth + "\r\n", 405},
		{"small letters", "get " + base + "/orders HTTP/1.1\r\n" + auth + "\r\n", 405},
		{"OPTIONS that is no preflight", "OPTIONS " + base + "/orders HTTP/1.1\r\n" + auth + "\r\n", 405},
		{"OPTIONS for all", "OPTIONS * HTTP/1.1\r\n" + auth + "\r\n", 200},
		{"doubled slashes", "GET /" + base + "//me HTTP/1.1\r\n" + auth + "\r\n", 404},
		{"another method by header", "POST " + base + "/me HTTP/1.1\r\n" + auth +
			"X-HTTP-Method-Override: GET\r\nContent-Length: 0\r\n\r\n", 405},
	} {
		t.Run(tc.name, func(t *testing.T) {
			quickly(t, tc.name, func() {
				w := dial(t, p.API)
				w.write(t, tc.text)
				res := w.read(t)
				if res.StatusCode != tc.status {
					t.Errorf("got %s, want %d", res.Status, tc.status)
				}
				if tc.status == http.StatusMethodNotAllowed && res.Header.Get("Allow") == "" {
					t.Error("405 without Allow")
				}
			})
		})
	}
}

// Paths lead to routes, never to files.
func TestAttackPaths(t *testing.T) {
	storetest.Sequential(t)
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo"}})
	for _, path := range []string{"/docs/../../../../etc/passwd", "/docs/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
		"/docs/..%2f..%2f..%2fetc%2fpasswd",
		"/docs//etc/passwd", "/docs/..%5c..%5cetc%5cpasswd", "/docs/%00", "/docs/%ff",
		"/graphql/explorer/../../demo.json", "/graphql/explorer/..%2f..%2fgo.mod", "/../storefront.db", "/.git/config",
		"/demo.json", "/secret.key", "/docs/demo.json",
		base + "/../../../docs/../demo.json", "/openapi.json/../demo.json"} {
		w := dial(t, p.API)
		w.write(t, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		res := w.read(t)
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		switch to := res.Header.Get("Location"); {
		case res.StatusCode == http.StatusNotFound, res.StatusCode == http.StatusBadRequest:
		case res.StatusCode == http.StatusTemporaryRedirect &&
			strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//"):
			// The same path without its dots.
			if a := p.send(t, request{Path: to}); a.Status != http.StatusNotFound {
				t.Errorf("%s, and then %s: %d", path, to, a.Status)
			}
		default:
			t.Errorf("%s: %s to %q", path, res.Status, to)
		}
		for _, leak := range []string{"root:", "sfk_", "module github.com", "SQLite format", "[core]", p.data} {
			if strings.Contains(string(body), leak) {
				t.Errorf("%s shows %q", path, leak)
			}
		}
	}
}

// The settings decide the service's own host, not what a client sends.
func TestAttackHost(t *testing.T) {
	storetest.Sequential(t)
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo"}})
	key := p.demo(t).Stores[0].Keys["all"]
	const evil = "evil.example"
	for _, path := range []string{base + "/me", base + "/orders?limit=1", base + "/nowhere", "/docs", "/docs/",
		"/openapi.json", "/graphql", "/graphql/explorer", "/"} {
		for _, credential := range []string{"", "Authorization: Bearer " + key + "\r\n"} {
			w := dial(t, p.API)
			w.write(t, "GET "+path+" HTTP/1.1\r\nHost: "+evil+"\r\nX-Forwarded-Host: "+evil+
				"\r\nX-Forwarded-Proto: https\r\nForwarded: host="+evil+
				"\r\nX-Original-URL: http://"+evil+"\r\n"+credential+"Connection: close\r\n\r\n")
			res := w.read(t)
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(fmt.Sprint(res.Header), evil) || strings.Contains(string(body), evil) {
				t.Errorf("%s repeats the host: %v %.300s", path, res.Header, body)
			}
		}
	}
	body := draft("Host", "HOST")
	w := dial(t, p.API)
	w.write(t, fmt.Sprintf("POST %s/products HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nIdempotency-Key: host\r\nContent-Length: %d\r\n\r\n%s", base, evil, key, len(body), body))
	if res := w.read(t); res.StatusCode != http.StatusNotFound || res.Header.Get("Set-Cookie") != "" {
		t.Errorf("%s, %v", res.Status, res.Header)
	}
	a := p.send(t, request{As: key, Path: base + "/products?sku=HOST"})
	if !strings.Contains(string(a.Body), `"data":[]`) {
		t.Errorf("a product was created for an unknown host: %s", a.Body)
	}
}

// Each credential has its own rate, and so does trying credentials.
func TestAttackRate(t *testing.T) {
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "5",
		"--trusted-proxies", "127.0.0.0/8"}})
	f := p.demo(t)
	key := request{As: f.Stores[0].Keys["orders.read"], Path: base + "/orders?limit=1"}
	limited := func(r request, tries int) *answer {
		t.Helper()
		for range tries {
			if a := p.send(t, r); a.Status == http.StatusTooManyRequests {
				return a.want(t, http.StatusTooManyRequests, "rate_limited")
			}
		}
		t.Fatalf("%d requests were not limited", tries)
		return nil
	}
	if a := limited(key, 200); a.Header.Get("Retry-After") == "" || a.Header.Get("RateLimit") == "" {
		t.Errorf("headers: %v", a.Header)
	}
	p.send(t, request{As: f.Stores[1].Keys["orders.read"], Path: base + "/orders"}).want(t, http.StatusOK, "")
	limited(request{
		As: "sfk_" + rand.Text(), Path: base + "/orders",
		Header: []string{"X-Forwarded-For", rand.Text() + ", 203.0.113.7"},
	}, 200)
	p.send(t, request{As: f.Stores[1].Keys["orders.read"], Path: base + "/orders"}).want(t, http.StatusOK, "")
}
