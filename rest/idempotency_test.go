package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
)

// post writes with a key.
func (s *server) post(t testing.TB, as, key, path, body string) *answer {
	t.Helper()
	return s.do(t, request{
		As: as, Method: http.MethodPost, Path: path, Body: body, Header: map[string]string{"Idempotency-Key": key},
	})
}

// products counts a store's products through the API.
func (s *server) products(t testing.TB, as string) int {
	t.Helper()
	return len(s.do(t, request{As: as, Path: "/products?limit=100"}).list().Data)
}

func replayed(a *answer) bool { return a.Header.Get("Idempotent-Replayed") == "true" }

func TestIdempotencyKeys(t *testing.T) {
	s, m := sqlite(t)
	for _, tc := range []struct {
		name string
		keys []string
		code string // "" means accepted
	}{
		{"missing", nil, "idempotency_key_required"},
		{"empty", []string{""}, "idempotency_key_invalid"},
		{"space inside", []string{"a b"}, "idempotency_key_invalid"},
		{"tab inside", []string{"a\tb"}, "idempotency_key_invalid"},
		{"256", []string{strings.Repeat("k", 256)}, "idempotency_key_invalid"},
		{"not ASCII", []string{"clé"}, "idempotency_key_invalid"},
		{"two", []string{"a", "b"}, "idempotency_key_invalid"},
		{"two equal", []string{"a", "a"}, "idempotency_key_invalid"},
		{"one", []string{"k"}, ""},
		{"255", []string{strings.Repeat("k", 255)}, ""},
		{"all visible", []string{`!"#$%&'()*+,-./:;<=>?@[\]^_{|}~` + "`"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			// What the document refuses a schema library refuses too, with its own view of commas.
			a := s.do(t, request{As: m.all, Method: "POST", Path: "/products", Body: draft("x"),
				Free: tc.code == "", Edit: func(r *http.Request) {
					delete(r.Header, "Idempotency-Key")
					if tc.keys != nil {
						r.Header["Idempotency-Key"] = tc.keys
					}
				}})
			if tc.code == "" {
				a.want(http.StatusCreated, "")
				return
			}
			a.want(http.StatusBadRequest, tc.code)
			if p := a.problem(); len(p.Errors) != 1 || p.Errors[0].Header != "Idempotency-Key" {
				t.Errorf("errors: %s", a.Body)
			}
		})
	}
	// Keys differ in case.
	for _, key := range []string{"case", "CASE"} {
		if replayed(s.post(t, m.all, key, "/products", draft("x"))) {
			t.Errorf("%s was replayed", key)
		}
	}
	// A read takes no notice of one.
	s.do(t, request{As: m.all, Path: "/products", Header: map[string]string{"Idempotency-Key": "a b"}}).
		want(http.StatusOK, "")
}

// TestReplay repeats every kind of answer that is kept: byte for byte, and
// nothing happens again.
func TestReplay(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		s.post(t, m.all, "setup", "/products", with(map[string]any{"handle": "taken"}))
		for i, tc := range []struct {
			name, path, body string
			status           int
		}{
			{name: "created", path: "/products", body: draft("Cup"), status: 201},
			{name: "note", path: "/orders/" + orderID + "/notes", body: `{"body":"x"}`, status: 201},
			{name: "invalid", path: "/products", body: `{"title":1}`, status: 422},
			{name: "taken", path: "/products", body: with(map[string]any{"handle": "taken"}), status: 422},
			{name: "no body", path: "/products", status: 422},
			{name: "malformed", path: "/products", body: `{"title"`, status: 400},
			{name: "note on nothing", path: "/orders/" + xid.Order.Format(fixed(99)) + "/notes", body: `{"body":"x"}`,
				status: 404},
		} {
			t.Run(tc.name, func(t *testing.T) {
				before := s.products(t, m.all)
				key := fmt.Sprint("key-", i)
				first := s.post(t, m.all, key, tc.path, tc.body)
				if first.Status != tc.status || replayed(first) {
					t.Fatalf("got %d, replayed %t, want %d\n%s", first.Status, replayed(first), tc.status, first.Body)
				}
				for range 2 {
					again := s.post(t, m.all, key, tc.path, tc.body)
					same(t, first, again)
					if !replayed(again) || again.Header.Get("X-Request-Id") == first.Header.Get("X-Request-Id") {
						t.Errorf("replayed %t, request %s", replayed(again), again.Header.Get("X-Request-Id"))
					}
				}
				want := before
				if tc.name == "created" {
					want++
				}
				if got := s.products(t, m.all); got != want {
					t.Errorf("%d products, want %d", got, want)
				}
			})
		}
	})
}

// TestReplayKeepsTheFirstAnswer: a handle that was free when it was asked for
// stays the answer, and so does one that was taken.
func TestReplayKeepsTheFirstAnswer(t *testing.T) {
	s, m := sqlite(t)
	body := with(map[string]any{"handle": "mug"})
	made := s.post(t, m.all, "a", "/products", body).want(http.StatusCreated, "")
	refused := s.post(t, m.all, "b", "/products", body).want(422, "validation_failed")
	same(t, made, s.post(t, m.all, "a", "/products", body))
	same(t, refused, s.post(t, m.all, "b", "/products", body))
}

func TestReuse(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		body := `{"title":"Cup","price_minor":1,"currency":"EUR","tags":["a","b"],"sku":null}`
		first := s.post(t, m.all, "k", "/products", body).want(http.StatusCreated, "")
		for name, equal := range map[string]string{
			"order": `{"sku":null,"currency":"EUR","tags":["a","b"],"title":"Cup","price_minor":1}`,
			"space": "{\n \"title\" : \"Cup\", \"price_minor\":1,\t\"currency\":\"EUR\",\"tags\":[\"a\" , \"b\"]," +
				"\"sku\":null }\r\n",
			"escapes": `{"\u0074itle":"C\u0075p","price_minor":1,"currency":"EUR","tags":["a","b"],"sku":null}`,
		} {
			t.Run(name, func(t *testing.T) {
				again := s.post(t, m.all, "k", "/products", equal)
				if same(t, first, again); !replayed(again) {
					t.Error("not replayed")
				}
			})
		}
		for name, other := range map[string]struct{ path, body string }{
			"price": {"/products",
				`{"title":"Cup","price_minor":2,"currency":"EUR","tags":["a","b"],"sku":null}`},
			"number as written": {"/products",
				`{"title":"Cup","price_minor":1.0,"currency":"EUR","tags":["a","b"],"sku":null}`},
			"order of tags": {"/products",
				`{"title":"Cup","price_minor":1,"currency":"EUR","tags":["b","a"],"sku":null}`},
			"null left out": {"/products", `{"title":"Cup","price_minor":1,"currency":"EUR","tags":["a","b"]}`},
			"case": {"/products",
				`{"title":"cup","price_minor":1,"currency":"EUR","tags":["a","b"],"sku":null}`},
			"nothing":   {"/products", ``},
			"malformed": {"/products", body + "}"},
			"path":      {"/orders/" + orderID + "/notes", body},
		} {
			t.Run(name, func(t *testing.T) {
				a := s.post(t, m.all, "k", other.path, other.body).want(http.StatusConflict, "idempotency_key_reused")
				if replayed(a) {
					t.Error("a refusal of the key counts as replayed")
				}
			})
		}
		if got := s.products(t, m.all); got != 4 {
			t.Errorf("%d products, want 3 and 1", got)
		}
		// No body equals {}.
		empty := s.post(t, m.all, "empty", "/products", "").want(422, "validation_failed")
		same(t, empty, s.post(t, m.all, "empty", "/products", " {} "))
		// What does not parse counts by its bytes.
		broken := s.post(t, m.all, "broken", "/products", "{ ").want(400, "malformed_body")
		same(t, broken, s.post(t, m.all, "broken", "/products", "{ "))
		s.post(t, m.all, "broken", "/products", "{").want(http.StatusConflict, "idempotency_key_reused")
	})
}

// TestWhoseKey: a key belongs to the store and the rotation lineage.
func TestWhoseKey(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		lineage := xid.New()
		old := m.key(keyRow{Scopes: scope.Full(), Lineage: lineage, Slot: 1})
		rotated := m.key(keyRow{Scopes: scope.Full(), Lineage: lineage, Slot: 2})
		other := newShop(t, s.store, shopRow{})
		first := s.post(t, old, "k", "/products", draft("Cup")).want(http.StatusCreated, "")
		again := s.post(t, rotated, "k", "/products", draft("Cup"))
		if same(t, first, again); !replayed(again) {
			t.Error("the rotated key does not meet its first answer")
		}
		s.post(t, rotated, "k", "/products", draft("Jug")).want(http.StatusConflict, "idempotency_key_reused")
		for name, as := range map[string]string{"another lineage": m.all, "another store": other.all} {
			a := s.post(t, as, "k", "/products", draft("Cup")).want(http.StatusCreated, "")
			if replayed(a) || a.product().ID == first.product().ID {
				t.Errorf("%s got the answer of this one: %s", name, a.Body)
			}
			s.post(t, as, "k2", "/products", draft("Jug")).want(http.StatusCreated, "")
		}
		if mine, theirs := s.products(t, m.all), s.products(t, other.all); mine != 3 || theirs != 2 {
			t.Errorf("%d and %d products, want 3 and 2", mine, theirs)
		}
	})
}

// TestVersionsShareKeys: v0 and v1 are one service.
func TestVersionsShareKeys(t *testing.T) {
	s, _ := sqlite(t)
	old := newShop(t, s.store, shopRow{Legacy: true})
	for i, pair := range [][2]string{{base, legacy}, {legacy, base}} {
		key := fmt.Sprint("k", i)
		first := s.post(t, old.all, key, pair[0]+"/products", draft("Cup")).want(http.StatusCreated, "")
		again := s.post(t, old.all, key, pair[1]+"/products", draft("Cup"))
		if same(t, first, again); !replayed(again) {
			t.Error("not replayed")
		}
	}
}

// TestTwins sends 50 equal requests at once: one product, 50 equal answers.
func TestTwins(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		for name, body := range map[string]string{"good": draft("Twin"), "bad": `{"title":1}`} {
			answers := make([]*answer, 50)
			var wg sync.WaitGroup
			for i := range answers {
				wg.Go(func() { answers[i] = s.post(t, m.all, name, "/products", body) })
			}
			wg.Wait()
			fresh := 0
			for _, a := range answers {
				same(t, answers[0], a)
				fresh += b2i(!replayed(a))
			}
			if fresh != 1 {
				t.Errorf("%s: %d answers are not replayed, want 1", name, fresh)
			}
		}
		if got := s.products(t, m.all); got != 1 {
			t.Errorf("%d products, want 1", got)
		}
	})
}

// TestManyKeysAtOnce: writes with keys of their own do not disturb each other.
func TestManyKeysAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				s.post(t, m.all, fmt.Sprint("k", i), "/products", draft("Same title")).want(http.StatusCreated, "")
			})
		}
		wg.Wait()
		if got := s.products(t, m.all); got != 40 {
			t.Errorf("%d products, want 40", got)
		}
	})
}

// TestEarlyRefusalsKeepNothing: what is refused before the key is looked at, or
// for the moment only, leaves the key free.
func TestEarlyRefusalsKeepNothing(t *testing.T) {
	s, m := sqlite(t)
	reader := m.keyOf(scope.ProductsRead)
	lineage := xid.New()
	weak := m.key(keyRow{Scopes: scope.Of(scope.ProductsRead), Lineage: lineage})
	strong := m.key(keyRow{Scopes: scope.Full(), Lineage: lineage, Slot: 2})
	header := map[string]string{"Idempotency-Key": "k"}
	s.post(t, "", "k", "/products", draft("Cup")).want(http.StatusUnauthorized, "authentication_required")
	s.post(t, reader, "k", "/products", draft("Cup")).want(http.StatusForbidden, "insufficient_scope")
	s.post(t, weak, "k", "/products", draft("Cup")).want(http.StatusForbidden, "insufficient_scope")
	s.post(t, strong, "k", "/products?x=1", draft("Cup")).want(http.StatusBadRequest, "invalid_parameter")
	s.post(t, strong, "k", "/products", strings.Repeat(" ", 1<<20+1)).
		want(http.StatusRequestEntityTooLarge, "payload_too_large")
	s.do(t, request{As: strong, Method: "POST", Path: "/products", Body: draft("Jug"),
		Header: mergeHeader(header, map[string]string{"Content-Type": "text/plain"})}).
		want(http.StatusUnsupportedMediaType, "unsupported_media_type")
	s.post(t, strong, "k", legacy+"/products", draft("Cup")).want(http.StatusGone, "version_retired")
	if replayed(s.post(t, strong, "k", "/products", draft("Cup")).want(http.StatusCreated, "")) {
		t.Error("a refusal was kept")
	}
	// The scope is checked on replays too.
	s.post(t, weak, "k", "/products", draft("Cup")).want(http.StatusForbidden, "insufficient_scope")
}

// TestKeyExpires: 24 hours after its first use a key is free, though its row is
// still there.
func TestKeyExpires(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		first := s.post(t, m.all, "k", "/products", draft("Cup")).product()
		age := func(d time.Duration) {
			m.tx(func(ctx context.Context, c *db.Client) error {
				return c.Idempotency.Update().SetCreatedAt(micros.Now().Add(-d)).Exec(ctx)
			})
		}
		age(24*time.Hour - time.Minute)
		if again := s.post(t, m.all, "k", "/products", draft("Cup")); !replayed(again) {
			t.Error("the key was free before its time")
		}
		age(24 * time.Hour)
		again := s.post(t, m.all, "k", "/products", draft("Another"))
		if replayed(again) || again.product().ID == first.ID {
			t.Errorf("the key outlived its time: %s", again.Body)
		}
		if twice := s.post(t, m.all, "k", "/products", draft("Another")); !replayed(twice) {
			t.Error("the key's second life is not kept")
		}
	})
}

// TestStoredAnswersAreEncrypted: the row of a key shows nothing of its answer.
func TestStoredAnswersAreEncrypted(t *testing.T) {
	s, m := sqlite(t)
	s.post(t, m.all, "very-special-key", "/products", draft("Secret plan")).want(http.StatusCreated, "")
	rows, err := s.store.DB(m.ctx).Idempotency.Query().All(m.ctx)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if text := fmt.Sprintf("%s %s", rows[0].Answer, rows[0].KeyHash); strings.Contains(text, "Secret") ||
		strings.Contains(text, "special") {
		t.Errorf("the row can be read: %s", text)
	}
}

// TestOneTrace: a write leaves one event and one audit row, its replay and its
// refusal none.
func TestOneTrace(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		for i, tc := range []struct {
			path, body string
			events     int
		}{
			{"/products", draft("Cup"), 1}, {"/products", "{}", 0}, {"/products", "{", 0},
			{"/products", with(map[string]any{"handle": "blue-mug"}), 0},
			{"/orders/" + orderID + "/notes", `{"body":"x"}`, 1}, {"/orders/ord_1/notes", `{"body":"x"}`, 0},
		} {
			before := m.traces()
			for range 3 {
				s.post(t, m.all, fmt.Sprint("k", i), tc.path, tc.body)
			}
			if after := m.traces(); after[0]-before[0] != tc.events || after[1]-before[1] != tc.events {
				t.Errorf("%s %s: %d events and %d audit rows, want %d of each", tc.path, tc.body,
					after[0]-before[0], after[1]-before[1], tc.events)
			}
		}
	})
}

// traces counts the events and the audit rows of the shop.
func (m *shop) traces() (n [2]int) {
	m.t.Helper()
	var err error
	if n[0], err = m.store.DB(m.ctx).Event.Query().Count(m.ctx); err != nil {
		m.t.Fatal(err)
	}
	if n[1], err = m.store.DB(m.ctx).Audit.Query().Count(m.ctx); err != nil {
		m.t.Fatal(err)
	}
	return n
}
