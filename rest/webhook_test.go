package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/scope"
)

// endpoint is the part of a webhook endpoint that tests read.
type endpoint struct {
	ID, URL, Status string
	Events          []string
	Secret          *string
	Hint            string `json:"secret_hint"`
}

func (a *answer) endpoint() (e endpoint) {
	a.t.Helper()
	a.want(http.StatusCreated, "").decode(&e)
	return e
}

// remove deletes an endpoint.
func (s *server) remove(t testing.TB, as, key, id string) *answer {
	t.Helper()
	return s.do(t, request{
		As: as, Method: http.MethodDelete, Path: "/webhooks/" + id, Header: map[string]string{"Idempotency-Key": key},
	})
}

// The secret is only in the answer to the registration and in replays of it, even after the
// endpoint was deleted.
func TestWebhookSecretIsShownOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		first := s.post(t, m.all, "k", "/webhooks", hook("order.paid"))
		e := first.endpoint()
		if e.Secret == nil || !strings.HasPrefix(*e.Secret, "whsec_") || !strings.HasSuffix(*e.Secret, e.Hint) ||
			len(e.Hint) != 4 {
			t.Fatalf("made %+v", e)
		}
		if got := first.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control %q", got)
		}
		list := s.do(t, request{As: m.all, Path: "/webhooks"}).want(http.StatusOK, "")
		if strings.Contains(string(list.Body), *e.Secret) || !strings.Contains(string(list.Body), e.ID) {
			t.Errorf("the list: %s", list.Body)
		}
		s.remove(t, m.all, "d", e.ID).want(http.StatusNoContent, "").empty()
		again := s.post(t, m.all, "k", "/webhooks", hook("order.paid"))
		same(t, first, again)
		if again.Header.Get("Idempotent-Replayed") != "true" || again.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("the replay has %v", again.Header)
		}
		if other := s.post(t, m.all, "k2", "/webhooks", hook("order.paid")).endpoint(); other.ID == e.ID ||
			*other.Secret == *e.Secret {
			t.Errorf("the second of the same address is %+v", other)
		}
	})
}

// A deletion is answered again for the same key, and 404 for another.
func TestWebhookDeleteIsRepeatable(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		e := s.post(t, m.all, "k", "/webhooks", hook("order.paid")).endpoint()
		first := s.remove(t, m.all, "d", e.ID).want(http.StatusNoContent, "")
		again := s.remove(t, m.all, "d", e.ID).want(http.StatusNoContent, "")
		same(t, first, again)
		again.empty()
		if again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("the replay has %v", again.Header)
		}
		s.remove(t, m.all, "d2", e.ID).want(http.StatusNotFound, "not_found")
		if ids := s.do(t, request{As: m.all, Path: "/webhooks"}).list().ids(); len(ids) != 0 {
			t.Errorf("left %v", ids)
		}
		// The key belongs to the path too; {} equals an empty body.
		s.remove(t, m.all, "d", webhookID).want(http.StatusConflict, "idempotency_key_reused")
		s.do(t, request{As: m.all, Method: http.MethodDelete, Path: "/webhooks/" + e.ID, Body: "{}",
			Header: map[string]string{"Idempotency-Key": "d", "Content-Type": "application/json"}}).
			want(http.StatusNoContent, "").empty()
		s.do(t, request{As: m.all, Method: http.MethodDelete, Path: "/webhooks/" + e.ID,
			Header: map[string]string{"Idempotency-Key": ""}}).want(http.StatusBadRequest, "idempotency_key_required")
	})
}

// An app sees only its own endpoints; the store sees all.
func TestWebhooksOfAnApp(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		all := scope.Of(scope.WebhooksWrite, scope.OrdersRead)
		one, two := m.install(all, all, all), m.install(all, all, all)
		mine := s.post(t, one.tokens[0], "k", "/webhooks", hook("order.paid")).endpoint()
		theirs := s.post(t, two.tokens[0], "k", "/webhooks", hook("order.paid")).endpoint()
		stores := s.post(t, m.all, "k", "/webhooks", hook("order.paid")).endpoint()
		for as, want := range map[string][]string{
			one.tokens[0]: {mine.ID}, two.tokens[0]: {theirs.ID}, m.all: {stores.ID, theirs.ID, mine.ID},
		} {
			if diff := cmp.Diff(want, s.do(t, request{As: as, Path: "/webhooks"}).list().ids()); diff != "" {
				t.Errorf("the list (-want +got):\n%s", diff)
			}
		}
		for _, id := range []string{theirs.ID, stores.ID} {
			s.remove(t, one.tokens[0], id, id).want(http.StatusNotFound, "not_found")
		}
		s.post(t, one.tokens[0], "p", "/webhooks", hook("product.updated")).
			want(http.StatusForbidden, "insufficient_scope")
		before := s.store.Statements()
		s.do(t, request{As: m.all, Path: "/webhooks"})
		if got := s.store.Statements() - before; got != 3 {
			t.Errorf("a page with endpoints of apps costs %d statements, want 3", got)
		}
		s.remove(t, one.tokens[0], "own", mine.ID).want(http.StatusNoContent, "")
		s.remove(t, m.all, "as-store", theirs.ID).want(http.StatusNoContent, "")
	})
}

// Pages are newest first, and a cursor belongs to its list and its caller.
func TestWebhookPages(t *testing.T) {
	s, m := sqlite(t)
	all := scope.Of(scope.WebhooksWrite)
	app := m.install(all, all, all).tokens[0]
	var want []string
	for i := range 7 {
		as := m.all
		if i%2 == 0 {
			as = app
		}
		want = append(want, s.post(t, as, fmt.Sprint(i), "/webhooks", hook("app.grant_revoked")).endpoint().ID)
	}
	slices.Reverse(want)
	var got []string
	for at := "/webhooks?limit=3"; at != ""; {
		page := s.do(t, request{As: m.all, Path: at}).list()
		got = append(got, page.ids()...)
		at = ""
		if page.NextCursor != nil {
			at = "/webhooks?limit=3&cursor=" + *page.NextCursor
			if first := s.do(t, request{As: app, Path: at}).list().ids(); len(first) != 3 || first[0] != want[0] {
				t.Errorf("the store's cursor takes the app to %v", first)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the walk (-want +got):\n%s", diff)
	}
}

// A refusal for a scope is not stored with the key: with the scope the write succeeds.
func TestWebhookScopeIsJudgedAnew(t *testing.T) {
	s, m := sqlite(t)
	lineage := keyRow{Scopes: scope.Of(scope.WebhooksWrite), Lineage: fixed(50)}
	s.post(t, m.key(lineage), "k", "/webhooks", hook("order.paid")).want(http.StatusForbidden, "insufficient_scope")
	lineage.Scopes, lineage.Slot = scope.Full(), 2
	s.post(t, m.key(lineage), "k", "/webhooks", hook("order.paid")).want(http.StatusCreated, "")
}

// With concurrent requests, a store has at most 100 endpoints, and the refusal is stored.
func TestWebhookLimit(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		statuses := make([]int, 110)
		var next sync.Mutex
		n := 0
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					next.Lock()
					i := n
					n++
					next.Unlock()
					if i >= len(statuses) {
						return
					}
					statuses[i] = s.post(t, m.all, fmt.Sprint("k", i), "/webhooks", hook("order.paid")).Status
				}
			})
		}
		wg.Wait()
		made := 0
		for _, status := range statuses {
			if status == http.StatusCreated {
				made++
			} else if status != http.StatusConflict {
				t.Errorf("got %d", status)
			}
		}
		ids := s.do(t, request{As: m.all, Path: "/webhooks?limit=100"}).list().ids()
		if made != 100 || len(ids) != 100 {
			t.Fatalf("%d were created, %d exist, want 100", made, len(ids))
		}
		s.post(t, m.all, "full", "/webhooks", hook("order.paid")).want(http.StatusConflict, "limit_reached")
		s.remove(t, m.all, "room", ids[0]).want(http.StatusNoContent, "")
		if a := s.post(t, m.all, "full", "/webhooks", hook("order.paid")).want(http.StatusConflict,
			"limit_reached"); a.Header.Get("Idempotent-Replayed") != "true" {
			t.Error("the refusal was not kept")
		}
		s.post(t, m.all, "one-more", "/webhooks", hook("order.paid")).want(http.StatusCreated, "")
	})
}

// Lengths, and valid characters of a description.
func TestWebhookBodies(t *testing.T) {
	s, m := sqlite(t)
	body := func(url, description string, events ...string) string {
		names := `"` + strings.Join(events, `","`) + `"`
		return fmt.Sprintf(`{"url":%q,"events":[%s],"description":%q}`, url, names, description)
	}
	const at = "https://hooks.example.com/"
	for _, tc := range []struct {
		name, body string
		want       []string // nil if it is accepted
	}{
		{"2,048", body(at+strings.Repeat("x", 2048-len(at)), "x", "order.paid"), nil},
		{"2,049", body(at+strings.Repeat("x", 2049-len(at)), "x", "order.paid"), []string{"#/url too_long"}},
		{"255", body(at, strings.Repeat("é", 255), "order.paid"), nil},
		{"256", body(at, strings.Repeat("é", 256), "order.paid"), []string{"#/description too_long"}},
		{"two lines", body(at, "a\nb", "order.paid"), []string{"#/description invalid_format"}},
		{"a wildcard", body(at, "x", "*"), []string{"#/events/0 unknown_value"}},
		{"another case", body(at, "x", "Order.paid"), []string{"#/events/0 unknown_value"}},
		{"no texts", `{"url":"` + at + `","events":[1,null]}`,
			[]string{"#/events/0 invalid_type", "#/events/1 invalid_type"}},
		{"no list", `{"url":"` + at + `","events":"order.paid"}`, []string{"#/events invalid_type"}},
		{"a null", `{"url":null,"events":null}`, []string{"#/url required", "#/events required"}},
		{"too many", body(at, "x", slices.Repeat([]string{"order.paid"}, 101)...), []string{"#/events too_long"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := s.do(t, request{As: m.all, Method: "POST", Path: "/webhooks", Body: tc.body, Free: tc.want == nil})
			if tc.want == nil {
				a.want(http.StatusCreated, "")
				return
			}
			if diff := cmp.Diff(tc.want, a.want(422, "validation_failed").problem().places()); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// hostileURLs are addresses with a form that no endpoint may have.
var hostileURLs = []string{
	"", " ", "hooks.example.com", "//hooks.example.com/", "/in", "http://hooks.example.com/",
	"ftp://hooks.example.com/", "javascript:alert(1)",
	"https://", "https:///in", "https://user@hooks.example.com/",
	"https://user:pass@hooks.example.com/", "https://hooks.example.com/#part",
	"https://hooks.example.com:0/", "https://hooks.example.com:99999/", "https://hooks.example.com/a b",
	"https://hooks.example.com/\n", "https://hooks.example.com\\@10.0.0.1/",
	"https://localhost/", "https://localhost./", "https://api.localhost/", "https://intranet/",
	"https://printer.local/", "https://db.internal/", "https://metadata.google.internal/",
	"https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f000001/",
	"https://0177.0.0.1/", "https://0/", "https://0.0.0.0/",
	"https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/", "https://169.254.169.254/latest/meta-data/",
	"https://100.64.0.1/", "https://255.255.255.255/", "https://224.0.0.1/",
	"https://[::1]/", "https://[::]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:a9fe:a9fe]/",
	"https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[fc00::1]/",
	"https://[64:ff9b::a00:1]/", "https://[2002:7f00:1::]/", "https://[2001:0:7f00:1::]/", "https://[ff02::1]/",
}

// An address is checked by its form at registration: nothing is resolved.
func TestHostileWebhookURLs(t *testing.T) {
	s, m := sqlite(t)
	for _, address := range hostileURLs {
		t.Run(clipped(address), func(t *testing.T) {
			body, _ := json.Marshal(map[string]any{"url": address, "events": []string{"order.paid"}})
			a := s.do(t, request{As: m.all, Method: "POST", Path: "/webhooks", Body: string(body), Free: true})
			if got := a.want(422, "validation_failed").problem().
				places(); !slices.Equal(got, []string{"#/url invalid_format"}) {
				t.Errorf("got %v", got)
			}
		})
	}
}
