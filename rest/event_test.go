package rest_test

import (
	"database/sql"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/rest"
)

// ids are what stands for {id} in a path.
var ids = regexp.MustCompile(`(ord|whk|thm)_[0-9a-z]{26}`)

// deed is one write and what it tells.
type deed struct {
	name               string
	as, method, target string
	body               string
	status             int
	events             string
}

// TestEventsOfWrites sends each write of the table of routes three times with one
// key: the first tells what the mutation of the same name tells, its replays and
// everything that is refused tell nothing.
func TestEventsOfWrites(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		other := newShop(t, s.store, shopRow{})
		read := m.keyOf(scope.ProductsRead, scope.OrdersRead, scope.WebhooksRead, scope.ExportsRead, scope.ThemesRead)
		made := s.post(t, m.all, "made", "/webhooks", hook("order.paid")).endpoint()
		notes := "/orders/" + orderID + "/notes"
		log := new(storetest.Log)
		log.Mark(t, s.store)
		written := map[string]bool{}
		for _, d := range []deed{
			{"a draft", m.all, "POST", "/products", draft("Cup"), 201, "product.created"},
			{"a draft by v0", m.all, "POST", legacy + "/products", draft("Cup"), 410, ""},
			{"no price", m.all, "POST", "/products", `{"title":"Cup"}`, 422, ""},
			{"a handle that is taken", m.all, "POST", "/products", with(map[string]any{"handle": "blue-mug"}), 422, ""},
			{"no JSON", m.all, "POST", "/products", "{", 400, ""},
			{"a draft without the scope", read, "POST", "/products", draft("Cup"), 403, ""},

			{"a note", m.all, "POST", notes, `{"body":"x"}`, 201, "order.note_added"},
			{"a blank note", m.all, "POST", notes, `{"body":" "}`, 422, ""},
			{"another store's order", other.all, "POST", notes, `{"body":"x"}`, 404, ""},
			{"a note without the scope", read, "POST", notes, `{"body":"x"}`, 403, ""},

			{"an endpoint", m.all, "POST", "/webhooks", hook("order.paid"), 201, ""},
			{"an endpoint with a bad address", m.all, "POST", "/webhooks", `{"url":"https://10.0.0.1/","events":["order.paid"]}`, 422, ""},
			{"a deletion", m.all, "DELETE", "/webhooks/" + made.ID, "", 204, ""},
			{"a second deletion", m.all, "DELETE", "/webhooks/" + made.ID, "", 404, ""},

			{"an export", m.all, "POST", "/exports", `{"kind":"orders"}`, 202, ""},
			{"an export of nothing known", m.all, "POST", "/exports", `{"kind":"people"}`, 422, ""},
			{"an export without the scope", read, "POST", "/exports", `{"kind":"orders"}`, 403, ""},
			{"an export without the kind's scope", m.keyOf(scope.ExportsWrite), "POST", "/exports", `{"kind":"orders"}`, 403, ""},

			{"the active theme", m.all, "POST", "/themes/" + themeID + "/activate", "", 200, ""},
			{"another theme", m.all, "POST", "/themes/" + inactiveID + "/activate", "", 200, "theme.activated"},
			{"a theme that failed", m.all, "POST", "/themes/" + xid.Theme.Format(fixed(4)) + "/activate", "", 409, ""},
			{"another store's theme", other.all, "POST", "/themes/" + themeID + "/activate", "", 404, ""},
			{"a theme without the scope", read, "POST", "/themes/" + themeID + "/activate", "", 403, ""},
		} {
			t.Run(d.name, func(t *testing.T) {
				for i := range 3 {
					r := request{As: d.as, Method: d.method, Path: d.target, Body: d.body, Free: true, Header: map[string]string{"Idempotency-Key": strings.ReplaceAll(d.name, " ", "-")}}
					if got := s.do(t, r).Status; got != d.status {
						t.Errorf("status %d, want %d", got, d.status)
					}
					want := d.events
					if i > 0 {
						want = "" // a replay
					}
					if got := log.Since(t, s.store); got != want {
						t.Errorf("request %d told %q, want %q", i+1, got, want)
					}
				}
			})
			if d.status < http.StatusBadRequest {
				written[d.method+" "+ids.ReplaceAllString(d.target, "{id}")] = true
			}
		}
		for _, r := range rest.Routes() {
			if r.Method != http.MethodGet && !written[r.Method+" "+r.Path] {
				t.Errorf("%s %s is not in the table", r.Method, r.Path)
			}
		}
		m.told(t)
	})
}

// Twenty requests with one key at once tell one event.
func TestEventsOfTwins(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		log := new(storetest.Log)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { s.post(t, m.all, "k", "/products", draft("Cup")) })
		}
		wg.Wait()
		if got := log.Since(t, s.store); got != "product.created" {
			t.Errorf("told %q", got)
		}
	})
}

// A write whose answer cannot be kept leaves nothing behind: the event goes with
// the change, and both with the record of the key.
func TestNoEventWithoutItsAnswer(t *testing.T) {
	s, m := sqlite(t)
	log := new(storetest.Log)
	err := s.store.Admin(t.Context(), func(c *sql.Conn) error {
		_, err := c.ExecContext(t.Context(), "CREATE TRIGGER refuse BEFORE UPDATE ON idempotency_keys BEGIN SELECT RAISE(ABORT, 'refused'); END")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.post(t, m.all, "k", "/products", draft("Cup")).want(http.StatusInternalServerError, "internal_error")
	if got := log.Since(t, s.store); got != "" || s.products(t, m.all) != 0 {
		t.Errorf("told %q of a change that is not there", got)
	}
}
