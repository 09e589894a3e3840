package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
)

const (
	webhookSecret = "whsec_DG9kWUOGvb/E3uvdhwpwfO/xyvbsO/+5Jsg87K+fMVw="
	webhookBody   = `{"event_id":"evt_1","type":"order.paid","resource":{"type":"order","id":"ord_1","version":2},` +
		`"sequence":3,"data":{"object":{"a":"<b>"}}}`
)

// listening is a running webhooks listen.
type listening struct {
	t      *testing.T
	lines  *bufio.Reader
	signal context.CancelFunc
	ended  chan outcome
	url    string
}

// listen starts the command and waits for its first line.
func (c cli) listen(args ...string) *listening {
	c.t.Helper()
	ctx, signal := context.WithCancel(c.t.Context())
	read, write := io.Pipe()
	l := &listening{t: c.t, lines: bufio.NewReader(read), signal: signal, ended: make(chan outcome, 1)}
	go func() {
		var err bytes.Buffer
		code := run(ctx, append([]string{"webhooks", "listen", "--addr", "127.0.0.1:0"}, args...), c.env,
			stdio{out: write, err: &err})
		write.Close()
		l.ended <- outcome{code: code, err: err.String()}
	}()
	first := l.line()
	if i := strings.Index(first, "http://127.0.0.1:"); i >= 0 {
		l.url = strings.FieldsFunc(first[i:], func(r rune) bool { return strings.ContainsRune("\"; \n", r) })[0]
	}
	if l.url = strings.TrimSuffix(l.url, "."); l.url == "" {
		c.t.Fatalf("it printed %q and ended with %+v", first, <-l.ended)
	}
	return l
}

func (l *listening) line() string {
	line, err := l.lines.ReadString('\n')
	if err != nil && err != io.EOF {
		l.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// deliver sends a delivery and returns the status; edit may change its headers.
func (l *listening) deliver(body string, edit func(http.Header)) chan int {
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	r, err := http.NewRequestWithContext(l.t.Context(), http.MethodPost, l.url, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set(hook.HeaderTimestamp, timestamp)
	r.Header.Set(hook.HeaderSignature, hook.Signature(webhookSecret, timestamp, []byte(body)))
	r.Header.Set(hook.HeaderDeliveryID, "dlv_1")
	r.Header.Set(hook.HeaderAttempt, "2")
	if edit != nil {
		edit(r.Header)
	}
	status := make(chan int, 1)
	go func() {
		res, err := (&http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		if err != nil {
			status <- 0
			return
		}
		res.Body.Close()
		status <- res.StatusCode
	}()
	return status
}

// end sends the signal and expects a clean end without another line.
func (l *listening) end() {
	l.t.Helper()
	l.signal()
	if rest := l.line(); rest != "" {
		l.t.Errorf("another line: %q", rest)
	}
	if o := <-l.ended; o.code != exitOK || o.err != "" {
		l.t.Errorf("%+v, want a clean end", o)
	}
}

func TestListenVerifiesAndPrints(t *testing.T) {
	l := newCLI(t).listen("--secret", "whsec_bmV4dA==,"+webhookSecret)
	for _, tc := range []struct {
		name   string
		body   string
		edit   func(http.Header)
		status int
		want   string
	}{
		{name: "good", body: webhookBody, status: 204,
			want: "order.paid  ord_1  #3  dlv_1  attempt 2  answered 204  verified"},
		{name: "another signature", body: webhookBody, edit: func(h http.Header) { h.Set(hook.HeaderSignature, "00") },
			status: 401,
			want:   "order.paid  ord_1  #3  dlv_1  attempt 2  answered 401  NOT VERIFIED: signature does not match"},
		{name: "no timestamp", body: webhookBody, edit: func(h http.Header) { h.Del(hook.HeaderTimestamp) },
			status: 401, want: "NOT VERIFIED: header is missing: x-service-timestamp"},
		{name: "old", body: webhookBody, edit: func(h http.Header) { h.Set(hook.HeaderTimestamp, "1767311999") },
			status: 401, want: "NOT VERIFIED: timestamp is more than 300 seconds away"},
		{name: "not an event", body: "{}", status: 400,
			want: "-  -  #0  dlv_1  attempt 2  answered 400  NOT VERIFIED: body is not an event"},
		{name: "steering the terminal", body: strings.Replace(webhookBody, "ord_1", `\u001b[2J\u009b1m\r`, 1),
			status: 204, want: "order.paid  \ufffd[2J\ufffd1m\ufffd  #3"},
	} {
		status := l.deliver(tc.body, tc.edit)
		if line := l.line(); !strings.Contains(line, tc.want) || strings.ContainsAny(line, "\x1b\u009b\r") ||
			strings.Contains(line, webhookSecret) {
			t.Errorf("%s: printed %q, want %q", tc.name, line, tc.want)
		}
		if got := <-status; got != tc.status {
			t.Errorf("%s: status %d, want %d", tc.name, got, tc.status)
		}
	}
	l.end()
}

func TestListenJSON(t *testing.T) {
	c := newCLI(t)
	c.env = append(c.env, "STOREFRONT_WEBHOOK_SECRET="+webhookSecret)
	l := c.listen("--json", "--body", "--fail-with", "503", "--fail-first", "2")
	for _, tc := range []struct {
		body, attempt, wantBody string
		status                  int
		verified                bool
	}{
		{body: webhookBody, attempt: "1", wantBody: webhookBody, status: 503, verified: true},
		{body: webhookBody, attempt: "2", wantBody: webhookBody, status: 503, verified: true},
		{body: webhookBody, attempt: "3", wantBody: webhookBody, status: 204, verified: true},
		{body: "not json\x00", attempt: "3", wantBody: `"not json\u0000"`, status: 400},
	} {
		status := l.deliver(tc.body, func(h http.Header) { h.Set(hook.HeaderAttempt, tc.attempt) })
		var got sight
		line := l.line()
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if got.Verified != tc.verified || (got.Problem == nil) != tc.verified || got.Status == nil ||
			*got.Status != tc.status || string(got.Body) != tc.wantBody ||
			strconv.Itoa(got.Attempt) != tc.attempt || got.DeliveryID != "dlv_1" ||
			tc.verified && (got.EventID != "evt_1" || got.ResourceID != "ord_1" || got.Sequence != 3) {
			t.Errorf("attempt %s: %s", tc.attempt, line)
		}
		if got := <-status; got != tc.status {
			t.Errorf("attempt %s: status %d, want %d", tc.attempt, got, tc.status)
		}
	}
	l.end()
}

// A delay does not delay the end, and without a secret nothing counts as verified.
func TestListenDelay(t *testing.T) {
	l := newCLI(t).listen("--delay", "1h", "--body")
	// A read of the body means that the delivery has arrived.
	arrived := make(chan struct{})
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(arrived) }})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, strings.NewReader(webhookBody))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Expect", "100-continue")
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		client := http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute, DisableKeepAlives: true}}
		if res, err := client.Do(r); err == nil {
			res.Body.Close()
		}
	}()
	<-arrived
	l.signal()
	if line := l.line(); !strings.HasSuffix(line,
		"#3  -  attempt 0  no response in time  NOT VERIFIED: no secret was given") {
		t.Errorf("printed %q", line)
	}
	if body, _ := io.ReadAll(l.lines); !strings.Contains(string(body), `  "a": "<b>"`) {
		t.Errorf("printed the body %q", body)
	}
	<-answered
	if o := <-l.ended; o.code != exitOK || o.err != "" {
		t.Errorf("%+v, want a clean end", o)
	}
}

// apiStub answers POST and DELETE /webhooks.
type apiStub struct {
	mu    sync.Mutex
	calls []string
	post  http.HandlerFunc
	gone  int
}

func (a *apiStub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, strings.Join([]string{r.Method, r.URL.Path, r.Header.Get("Authorization"),
		strconv.FormatBool(len(r.Header.Get("Idempotency-Key")) >= 26), string(body)}, " "))
	if r.Method == http.MethodDelete {
		w.WriteHeader(a.gone)
		return
	}
	a.post(w, r)
}

func (a *apiStub) seen() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.calls)
}

func registered(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, `{"id":"whk_1","secret":"`+webhookSecret+`"}`)
}

func TestListenRegisters(t *testing.T) {
	for _, gone := range []int{http.StatusNoContent, http.StatusNotFound} {
		stub := &apiStub{post: registered, gone: gone}
		server := httptest.NewServer(stub)
		c := newCLI(t)
		c.env = append(c.env, "STOREFRONT_API_KEY=sfk_test")
		l := c.listen("--api", server.URL+"/", "--events", "order.paid,product.updated")
		status := l.deliver(webhookBody, nil)
		if line := l.line(); !strings.HasSuffix(line, "verified") || <-status != 204 {
			t.Errorf("printed %q", line)
		}
		l.end()
		want := []string{
			`POST /api/public/v1/webhooks Bearer sfk_test true {"description":"storefront webhooks listen",` +
				`"events":["order.paid","product.updated"],"url":"` + l.url + `"}`,
			`DELETE /api/public/v1/webhooks/whk_1 Bearer sfk_test true `,
		}
		if got := stub.seen(); !slices.Equal(got, want) {
			t.Errorf("calls\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		server.Close()
	}
}

func TestListenRefused(t *testing.T) {
	for _, tc := range []struct {
		name string
		post http.HandlerFunc
		gone int
		want string
	}{
		{name: "a problem", post: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			io.WriteString(w, `{"detail":"Wrong.\u001b","errors":[{"pointer":"#/url","detail":"Not https."}]}`)
		}, gone: 204, want: "422: Wrong.\ufffd: url: Not https."},
		{name: "no problem",
			post: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, gone: 204,
			want: "answered 502"},
		{name: "no secret", post: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			io.WriteString(w, `{"id":"whk_1"}`)
		}, gone: 204, want: "no id and secret"},
		{name: "elsewhere", post: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, gone: 204, want: "answered 307"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			stub := &apiStub{post: tc.post, gone: tc.gone}
			server := httptest.NewServer(stub)
			defer server.Close()
			o := newCLI(t).run("webhooks", "listen", "--addr", "127.0.0.1:0", "--api", server.URL, "--key",
				"sfk_test", "--events", "order.paid")
			if o.code != exitFailed || o.out != "" || !strings.Contains(o.err, tc.want) ||
				strings.Contains(o.err, "sfk_test") || strings.Count(o.err, "\n") != 1 || len(stub.seen()) != 1 {
				t.Errorf("%+v after %d calls, want %q", o, len(stub.seen()), tc.want)
			}
		})
	}
	stub := &apiStub{post: registered, gone: http.StatusServiceUnavailable}
	server := httptest.NewServer(stub)
	defer server.Close()
	l := newCLI(t).listen("--api", server.URL, "--key", "sfk_test", "--events", "order.paid", "--json")
	l.signal()
	if o := <-l.ended; o.code != exitFailed || !strings.Contains(o.err, "delete endpoint whk_1: the API answered 503") {
		t.Errorf("%+v, want it to say that the endpoint is left", o)
	}
}

func TestListenMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"--fail-with 200":                             "--fail-with",
		"--fail-with 9999":                            "--fail-with",
		"--fail-first 2":                              "--fail-with",
		"--fail-with 500 --fail-first=-1":             "--fail-first",
		"--delay=-1s":                                 "--delay",
		"--secret whsec_a,,":                          "--secret",
		"--delay soon":                                "--delay",
		"--events order.paid":                         "--key",
		"--events order.paid --key sfk_x --api ftp:x": "--api",
	} {
		o := newCLI(t).run(append([]string{"webhooks", "listen"}, strings.Fields(args)...)...)
		if o.code != exitUsage || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 || o.out != "" {
			t.Errorf("%s: %+v", args, o)
		}
	}
	if o := newCLI(t).run("webhooks", "listen", "--addr", "127.0.0.1:x"); o.code != exitFailed ||
		!strings.Contains(o.err, "listen") {
		t.Errorf("%+v", o)
	}
}

// webhooks test says what a receiver does wrong, and fails if there is anything.
func TestWebhooksTest(t *testing.T) {
	c := newCLI(t)
	good, err := hook.NewHandler(hook.Config{Verifier: hook.Verifier{Secrets: []string{webhookSecret}}},
		func(context.Context, hook.Event) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	bad := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, tc := range []struct {
		receiver http.Handler
		code     int
		want     string
	}{
		{good, 0, "ok    refuses a wrong signature"},
		{bad, 1, "FAIL  refuses a wrong signature: the answer was 200, not 400 to 499.\n      Answer 401"},
	} {
		server := httptest.NewServer(tc.receiver)
		got := c.run("webhooks", "test", server.URL, "--secret", webhookSecret)
		server.Close()
		if got.code != tc.code || !strings.Contains(got.out, tc.want) || !strings.Contains(got.out, "3 skipped") {
			t.Errorf("%+v", got)
		}
	}
	if got := c.run("webhooks", "test", "app.example", "--secret", webhookSecret); got.code != 2 {
		t.Errorf("no address: %+v", got)
	}
}
