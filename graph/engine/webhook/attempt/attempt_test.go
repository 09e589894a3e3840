package attempt_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

const (
	secretA = "whsec_WY+yKqwlAlxSubNXVLrJs7A7fdEn8CinTC92a70Bs9w="
	secretB = "whsec_DG9kWUOGvb/E3uvdhwpwfO/xyvbsO/+5Jsg87K+fMVw="
)

// Go reads proxies from the environment once per process, so the proxy is set from the start: a
// client that used it would fail in every test with a host name.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == hangs {
		hang(os.Args[2])
	}
	os.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	os.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	os.Exit(m.Run())
}

// client returns a client that may send to this machine.
func client(t *testing.T) *attempt.Client {
	t.Helper()
	c := attempt.New(attempt.Config{Egress: egress.Policy{AllowLoopback: true}})
	t.Cleanup(c.Close)
	return c
}

// request returns a request to an address.
func request(t *testing.T, address, body string) attempt.Request {
	t.Helper()
	target, err := attempt.NewTarget(address, secretA, secretB)
	if err != nil {
		t.Fatal(err)
	}
	return attempt.Request{Target: target, Body: []byte(body), EventID: "evt_1", EventType: "order.paid",
		DeliveryID: "dlv_1", Number: 3}
}

// receiver serves HTTP on this machine.
func receiver(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// wire serves connections by hand, each after the head and body of one request were read, and
// returns their address.
func wire(t *testing.T, serve func(c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					io.Copy(io.Discard, r.Body)
					serve(c)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestRequest(t *testing.T) {
	var got *http.Request
	var body []byte
	address := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, "thanks")
	})
	before := time.Now()
	result := client(t).Do(t.Context(), request(t, address+"/hook?a=b;c&d=%2F", `{"a":1}`))
	if result.Outcome != attempt.Delivered || result.Status != 202 || string(result.Response) != "thanks" ||
		result.Reused || result.Detail != "" || result.Began.Before(before) || result.Duration <= 0 ||
		result.Duration > time.Since(before) {
		t.Errorf("%+v", result)
	}
	if got.Method != http.MethodPost || got.RequestURI != "/hook?a=b;c&d=%2F" || "http://"+got.Host != address ||
		got.Proto != "HTTP/1.1" {
		t.Errorf("%s %s %s of %s", got.Method, got.RequestURI, got.Proto, got.Host)
	}
	if string(body) != `{"a":1}` || got.ContentLength != 7 || len(got.TransferEncoding) > 0 {
		t.Errorf("body %q, length %d, %v", body, got.ContentLength, got.TransferEncoding)
	}
	want := map[string]string{
		"Content-Type": "application/json", "User-Agent": "Storefront-Webhooks/1", "X-Service-Event": "order.paid",
		"X-Service-Delivery-Id": "dlv_1", "X-Service-Attempt": "3", "Webhook-Id": "evt_1",
	}
	for name, value := range want {
		if v := got.Header[name]; len(v) != 1 || v[0] != value {
			t.Errorf("%s: %q, want %q", name, v, value)
		}
	}
	if err := verify(got.Header, body, time.Now(), secretA); err != nil {
		t.Error(err)
	}
	if len(got.Header) != len(want)+5 { // two signatures, two timestamps, the length
		t.Errorf("unexpected headers: %v", got.Header)
	}
}

// No proxy from the environment comes between the checked address and the receiver.
func TestNoProxy(t *testing.T) {
	var dials []string
	c := attempt.New(attempt.Config{Dial: func(_ context.Context, _, addr string) (net.Conn, error) {
		dials = append(dials, addr)
		return nil, io.EOF
	}})
	defer c.Close()
	c.Do(t.Context(), request(t, "http://shop.example/", "{}"))
	c.Do(t.Context(), request(t, "https://shop.example:8443/", "{}"))
	if !slices.Equal(dials, []string{"shop.example:80", "shop.example:8443"}) {
		t.Errorf("dialed %q", dials)
	}
}

func TestStatus(t *testing.T) {
	var status, followed atomic.Int32
	address := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/next" {
			followed.Add(1)
		}
		w.Header().Set("Location", "/next")
		w.WriteHeader(int(status.Load()))
	})
	c := client(t)
	for code, want := range map[int]attempt.Outcome{
		200: attempt.Delivered, 201: attempt.Delivered, 204: attempt.Delivered, 299: attempt.Delivered,
		300: attempt.Redirect, 301: attempt.Redirect, 302: attempt.Redirect, 304: attempt.Redirect,
		307: attempt.Redirect, 308: attempt.Redirect, 400: attempt.ClientError, 404: attempt.ClientError,
		410: attempt.ClientError, 429: attempt.ClientError, 499: attempt.ClientError,
		500: attempt.ServerError, 503: attempt.ServerError, 599: attempt.ServerError,
		600: attempt.UnexpectedStatus, 999: attempt.UnexpectedStatus,
	} {
		status.Store(int32(code))
		got := c.Do(t.Context(), request(t, address, "{}"))
		if got.Outcome != want || got.Status != code {
			t.Errorf("status %d: %+v, want %s", code, got, want)
		}
		if (want == attempt.Redirect) != (got.Detail == "redirects are not followed") {
			t.Errorf("status %d: detail %q", code, got.Detail)
		}
	}
	if followed.Load() > 0 {
		t.Error("a redirect was followed")
	}
}

func TestRedirectInside(t *testing.T) {
	address := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
	})
	got := client(t).Do(t.Context(), request(t, address, "{}"))
	if got.Outcome != attempt.Redirect || got.Status != 302 || strings.Contains(got.Detail, "169") {
		t.Errorf("%+v", got)
	}
}

// Answers that no net/http server gives.
func TestWire(t *testing.T) {
	say := func(text string) func(net.Conn) { return func(c net.Conn) { io.WriteString(c, text) } }
	for _, tc := range []struct {
		name   string
		serve  func(net.Conn)
		want   attempt.Outcome
		status int
	}{
		{name: "closes at once", serve: say(""), want: attempt.Reset},
		{name: "resets at once", serve: func(c net.Conn) { c.(*net.TCPConn).SetLinger(0) }, want: attempt.Reset},
		{name: "ends within the headers", serve: say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"), want: attempt.Reset},
		{name: "ends within a header", serve: say("HTTP/1.1 200 OK\r\nContent-"), want: attempt.MalformedAnswer},
		{name: "ends within the status", serve: say("HTTP/1.1 2"), want: attempt.MalformedAnswer},
		{name: "garbage", serve: say("\x00\x01\x02 no HTTP at all\r\n\r\n"), want: attempt.MalformedAnswer},
		{name: "another protocol", serve: say("SSH-2.0-Server\r\n"), want: attempt.MalformedAnswer},
		{name: "a status that is no number", serve: say("HTTP/1.1 2xx OK\r\n\r\n"), want: attempt.MalformedAnswer},
		{name: "a negative length", serve: say("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
			want: attempt.MalformedAnswer},
		{name: "two lengths", serve: say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
			want: attempt.MalformedAnswer},
		{name: "a broken header", serve: say("HTTP/1.1 200 OK\r\n: x\r\n\r\n"), want: attempt.MalformedAnswer},
		{name: "one huge header", serve: say("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n"),
			want: attempt.MalformedAnswer},
		{name: "many headers", serve: say("HTTP/1.1 200 OK\r\n" + strings.Repeat("x: y\r\n", 8<<10) + "\r\n"),
			want: attempt.MalformedAnswer},
		{name: "large headers that fit",
			serve: say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: " + strings.Repeat("x", 30<<10) + "\r\n\r\n"),
			want:  attempt.Delivered, status: 200},
		{name: "informational only", serve: say("HTTP/1.1 103 Early Hints\r\n\r\n"), want: attempt.Reset},
		{name: "informational, then good",
			serve: say("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
			want:  attempt.Delivered, status: 200},
		{name: "informational without end", serve: say(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 10000)),
			want: attempt.MalformedAnswer},
		{name: "switching protocols",
			serve: say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
			want:  attempt.UnexpectedStatus, status: 101},
		{name: "a status below 100", serve: say("HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n"),
			want: attempt.UnexpectedStatus, status: 99},
		{name: "HTTP/1.0 until the end", serve: say("HTTP/1.0 200 OK\r\n\r\nuntil the end"), want: attempt.Delivered,
			status: 200},
		{name: "a body that ends early", serve: say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
			want: attempt.Delivered, status: 200},
		{name: "a body with broken chunks", serve: say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
			want: attempt.Delivered, status: 200},
		{name: "a reset within the body", serve: func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
			c.(*net.TCPConn).SetLinger(0)
		}, want: attempt.Delivered, status: 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := client(t).Do(t.Context(), request(t, wire(t, tc.serve), "{}"))
			if got.Outcome != tc.want || got.Status != tc.status {
				t.Errorf("%+v, want %s with status %d", got, tc.want, tc.status)
			}
			if (got.Detail == "") != (tc.status != 0 && tc.status != 101) {
				t.Errorf("detail %q", got.Detail)
			}
		})
	}
}

func TestResponseBody(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	address := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		var n int
		for _, c := range r.URL.Query().Get("n") {
			n = 10*n + int(c-'0')
		}
		w.Header().Set("Content-Encoding", r.URL.Query().Get("encoding"))
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, text[:n])
	})
	c := client(t)
	for _, tc := range []struct {
		n    string
		kept int
	}{{"0", 0}, {"1", 1}, {"4095", 4095}, {"4096", 4096}, {"4097", 4096}, {"60000", 4096}, {"1000000", 4096}} {
		got := c.Do(t.Context(), request(t, address+"/?n="+tc.n, "{}"))
		if got.Outcome != attempt.ServerError || string(got.Response) != text[:tc.kept] {
			t.Errorf("%s bytes: %s with %d bytes kept, want %d", tc.n, got.Outcome, len(got.Response), tc.kept)
		}
	}
	// An answer declared as compressed is kept as it is.
	if got := c.Do(t.Context(), request(t, address+"/?n=10&encoding=gzip", "{}")); string(got.Response) != text[:10] {
		t.Errorf("%+v", got)
	}
}

// A connection serves the next attempt only if the body was read to its end.
func TestReuse(t *testing.T) {
	size := 0
	address := receiver(t, func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, size)) })
	c := client(t)
	for i, tc := range []struct {
		size   int
		reused bool
	}{{0, false}, {100, true}, {4096, true}, {5000, true}, {60000, true}, {70000, true}, {0, false}, {200000, true},
		{1, false}} {
		size = tc.size
		if got := c.Do(t.Context(), request(t, address, "{}")); got.Outcome != attempt.Delivered ||
			got.Reused != tc.reused {
			t.Errorf("attempt %d: %s, reused: %v, want %v", i, got.Outcome, got.Reused, tc.reused)
		}
	}
}

// A large answer costs what is kept of it, not what is sent.
func TestHundredMegabytes(t *testing.T) {
	var sent atomic.Int64
	done := make(chan struct{})
	address := wire(t, func(c net.Conn) {
		defer close(done)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n")
		chunk := make([]byte, 64<<10)
		for range 1600 {
			n, err := c.Write(chunk)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	got := client(t).Do(t.Context(), request(t, address, "{}"))
	<-done
	if got.Outcome != attempt.Delivered || len(got.Response) != 4096 || sent.Load() > 50<<20 {
		t.Errorf("%s, %d bytes kept, %d bytes sent", got.Outcome, len(got.Response), sent.Load())
	}
}

func TestCancelled(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	address := receiver(t, func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	})
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	c := client(t)
	if got := c.Do(ctx, request(t, address, "{}")); got.Outcome != attempt.Cancelled || got.Status != 0 {
		t.Errorf("%+v", got)
	}
	if got := c.Do(ctx, request(t, address, "{}")); got.Outcome != attempt.Cancelled {
		t.Errorf("with a context that has ended: %+v", got)
	}
}

func TestRetryAfter(t *testing.T) {
	value, status := "", http.StatusTooManyRequests
	address := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Retry-After"] = []string{value}
		w.WriteHeader(status)
	})
	c := client(t)
	day := 24 * time.Hour
	at := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "1": time.Second, "120": 2 * time.Minute, "0120": 2 * time.Minute, "86400": day,
		"2592001": 30 * day, "99999999999": 30 * day, "99999999999999999999999999": 30 * day, "-5": 0, "+5": 0,
		"1.5": 0, "1e3": 0, "0x10": 0, "5 s": 0, "soon": 0, "12, 13": 0, at(time.Hour): time.Hour, at(-time.Hour): 0,
		at(100 * day): 30 * day, "Mon, 99 Foo 2026 00:00:00 GMT": 0,
		time.Now().Add(time.Hour).UTC().Format(time.ANSIC): time.Hour, "Fri, 31 Dec 9999 23:59:59 GMT": 30 * day,
		"Mon, 01 Jan 0001 00:00:00 GMT": 0,
	} {
		value = text
		got := c.Do(t.Context(), request(t, address, "{}")).RetryAfter
		if got > want || got < want-2*time.Second || got < 0 {
			t.Errorf("Retry-After %q: %v, want %v", text, got, want)
		}
	}
	value, status = "60", http.StatusServiceUnavailable
	if got := c.Do(t.Context(), request(t, address, "{}")); got.RetryAfter != time.Minute {
		t.Errorf("503: %v", got.RetryAfter)
	}
	status = http.StatusOK
	if got := c.Do(t.Context(), request(t, address, "{}")); got.RetryAfter != 0 {
		t.Errorf("200: %v", got.RetryAfter)
	}
}

func TestOutcomes(t *testing.T) {
	seen := map[attempt.Outcome]bool{}
	for _, o := range attempt.Outcomes() {
		if seen[o] || o == "" || strings.Trim(string(o), "abcdefghijklmnopqrstuvwxyz_") != "" {
			t.Errorf("outcome %q", o)
		}
		seen[o] = true
	}
	if len(seen) != 15 || attempt.Outcomes()[0] != attempt.Delivered {
		t.Errorf("%v", attempt.Outcomes())
	}
}
