package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
)

// openSink starts a sink in this process.
func openSink(t *testing.T) *child {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go new(sink).serve(l)
	return &child{addr: l.Addr().String()}
}

// delivery is a body as the service sends it.
func delivery(event, resource string, sequence int) string {
	return fmt.Sprintf(`{"event_id":%q,"type":"order.paid","api_version":"v1","store_id":"sto_1",`+
		`"resource":{"type":"order","id":%q,"version":7},"sequence":%d,"changed_fields":null,`+
		`"data":{"object":{"id":"other","sequence":99,"note":%q}},"payload_omitted":false}`,
		event, resource, sequence, strings.Repeat("x", 9000))
}

// deliver sends a body and returns the status of the answer, 0 where the receiver
// hangs: then it waits for a moment.
func (p *child) deliver(t *testing.T, path, body string, hangs bool) int {
	t.Helper()
	c := &http.Client{Timeout: patience}
	if hangs {
		c.Timeout = 100 * time.Millisecond
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+p.addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.Do(r)
	if err != nil {
		return 0
	}
	w.Body.Close()
	return w.StatusCode
}

func TestSink(t *testing.T) {
	s := openSink(t)
	for _, tc := range []struct {
		path, body string
		want       int
	}{
		{"/17", delivery("evt_1", "ord_1", 12), 200},
		{"/17", delivery("evt_2", "ord_1", 13), 200},
		{"/hang/4", delivery("evt_1", "ord_1", 12), 0},
		{"/17", "{}", 400},
		{"/x", delivery("evt_1", "ord_1", 12), 400},
	} {
		if got := s.deliver(t, tc.path, tc.body, tc.want == 0); got != tc.want {
			t.Errorf("%s %.40s: got %d, want %d", tc.path, tc.body, got, tc.want)
		}
	}
	if n, err := s.answered(t.Context()); n != 2 || err != nil {
		t.Errorf("answered %d, %v, want 2", n, err)
	}
	list, err := s.receipts(t.Context())
	if err != nil || len(list) != 3 {
		t.Fatalf("got %d receipts, %v", len(list), err)
	}
	if got := count(list); got.distinct != 3 || got.duplicates != 0 ||
		got.disorder != 2 { // both first ones are twelfth
		t.Errorf("got %+v", got)
	}
	for i, want := range []receipt{{Endpoint: 17, Event: "evt_1", Resource: "ord_1", Sequence: 12},
		{Endpoint: 17, Event: "evt_2", Resource: "ord_1", Sequence: 13},
		{Endpoint: 4, Event: "evt_1", Resource: "ord_1", Sequence: 12}} {
		got := list[i]
		if (got.Answered == 0) != (got.Endpoint == 4) || got.Answered != 0 && got.Answered < got.At ||
			time.Since(time.Unix(0, got.At)) > time.Minute {
			t.Errorf("receipt %d: came at %d, answered at %d", i, got.At, got.Answered)
		}
		if got.At, got.Answered = 0, 0; got != want {
			t.Errorf("receipt %d: got %+v, want %+v", i, got, want)
		}
	}
}

// Requests that come in one piece, and one that comes byte by byte.
func TestSinkReadsPieces(t *testing.T) {
	s := openSink(t)
	c, err := dial(t.Context(), s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	one := post(nil, "/1", "key", "", []byte(delivery("evt_1", "ord_1", 1)))
	if _, err := c.Write(bytes.Repeat(one, 3)); err != nil {
		t.Fatal(err)
	}
	for i := range one[:400] {
		if _, err := c.Write(one[i : i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Write(one[400:]); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if status, _, err := c.read(); status != 200 || err != nil {
			t.Errorf("answer %d: %d, %v", i, status, err)
		}
	}
}

func TestCount(t *testing.T) {
	r := func(endpoint int, event string, sequence, at, answered int64) receipt {
		return receipt{Endpoint: endpoint, Event: event, Resource: "r", Sequence: sequence, At: at, Answered: answered}
	}
	for _, tc := range []struct {
		name string
		list []receipt
		want tally
	}{
		{"nothing", nil, tally{}},
		{"in order", []receipt{r(1, "b", 2, 20, 21), r(1, "a", 1, 10, 11)}, tally{distinct: 2, first: 10, last: 20}},
		{"repeated", []receipt{r(1, "a", 1, 10, 11), r(1, "b", 2, 20, 21), r(1, "a", 1, 30, 31)},
			tally{distinct: 3 - 1, duplicates: 1, first: 10, last: 30}},
		{"too early", []receipt{r(1, "a", 1, 10, 15), r(1, "b", 2, 14, 16)},
			tally{distinct: 2, disorder: 1, first: 10, last: 14}},
		{"never answered before", []receipt{r(1, "a", 1, 10, 0), r(1, "b", 2, 20, 21), r(1, "a", 1, 30, 31)},
			tally{distinct: 2, duplicates: 1, disorder: 1, first: 10, last: 30}},
		{"answered the second time", []receipt{r(1, "a", 1, 10, 0), r(1, "a", 1, 15, 16), r(1, "b", 2, 20, 21)},
			tally{distinct: 2, duplicates: 1, first: 10, last: 20}},
		{"another endpoint", []receipt{r(1, "a", 1, 10, 11), r(2, "b", 2, 20, 21)},
			tally{distinct: 2, disorder: 1, first: 10, last: 20}},
	} {
		if got := count(tc.list); got != tc.want {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

func TestStreamReportsWrongAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	server := &http.Server{ReadHeaderTimeout: time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.Header.Get("Authorization"), "bad") {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, "{}")
		})}
	defer server.Close()
	go server.Serve(l)
	s := stream{addr: l.Addr().String(), shops: []corpus.Shop{{Key: "good"}}, rate: 500}
	sent, err := s.run(t.Context(), 100*time.Millisecond)
	if err != nil || len(sent) < 10 {
		t.Errorf("%d were sent, %v", len(sent), err)
	}
	s.shops = []corpus.Shop{{Key: "bad"}}
	if _, err := s.run(t.Context(), time.Minute); err == nil || !strings.Contains(err.Error(), "answered 401") {
		t.Errorf("got %v, want an error that names the status", err)
	}
}
