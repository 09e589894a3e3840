package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
)

// poll asks for a list that the client has already.
func (s *server) poll(t testing.TB, as, path, tag string) *answer {
	t.Helper()
	return s.do(t, request{As: as, Path: path, Header: map[string]string{"If-None-Match": tag}})
}

// Who asks again and again for a list that does not change is answered without its rows, and
// is told of a change at once.
func TestPolls(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		s.post(t, m.all, "1", "/products", draft("Cup")).want(http.StatusCreated, "")
		const path = "/products?limit=20"
		tag := s.do(t, request{As: m.all, Path: path}).Header.Get("ETag")
		var costs []uint64
		for range 3 {
			before := s.store.Statements()
			if got := s.poll(t, m.all, path, tag).want(http.StatusNotModified, "").Header.Get("ETag"); got != tag {
				t.Errorf("the tag %s became %s", tag, got)
			}
			costs = append(costs, s.store.Statements()-before)
		}
		// the first one finds out whether it is a test store, what the revision is, and the rows
		if want := [3]uint64{3, 1, 1}; [3]uint64(costs) != want {
			t.Errorf("the polls cost %d statements, want %d", costs, want)
		}
		for name, tags := range map[string]string{"another tag": `W/"x"`, "other tags": `W/"x", "y"`} {
			if got := s.poll(t, m.all, path, tags).want(http.StatusOK, ""); len(got.list().Data) != 1 {
				t.Errorf("%s: %s", name, got.Body)
			}
		}
		s.poll(t, m.all, path, `"x", `+tag).want(http.StatusNotModified, "")
		s.poll(t, m.all, path, "*").want(http.StatusNotModified, "")
		s.poll(t, m.all, path+"0", tag).want(http.StatusNotModified, "") // the same rows
		s.poll(t, m.all, path+"x", tag).want(http.StatusBadRequest, "invalid_parameter")
		s.poll(t, m.keyOf("orders.read"), path, tag).want(http.StatusForbidden, "insufficient_scope")
		stranger := newShop(t, s.store, shopRow{})
		if got := s.poll(t, stranger.all, path, tag).want(http.StatusOK, ""); len(got.list().Data) != 0 {
			t.Errorf("another store sees %s", got.Body)
		}
		s.post(t, m.all, "2", "/products", draft("Mug")).want(http.StatusCreated, "")
		if got := s.poll(t, m.all, path, tag).want(http.StatusOK, ""); len(got.list().Data) != 2 {
			t.Errorf("after a change: %s", got.Body)
		}
	})
}

// Things go from a test store without events when it is reset, so its lists are read.
func TestPollsOfATestStore(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		trial := newShop(t, m.store, shopRow{Test: true})
		s.post(t, trial.all, "1", "/products", draft("Cup")).want(http.StatusCreated, "")
		tag := s.do(t, request{As: trial.all, Path: "/products"}).Header.Get("ETag")
		for range 3 {
			s.poll(t, trial.all, "/products", tag).want(http.StatusNotModified, "")
		}
		trial.tx(func(ctx context.Context, c *db.Client) error {
			_, err := c.Product.Delete().Exec(ctx)
			return err
		})
		s.poll(t, trial.all, "/products", tag).want(http.StatusOK, "")
	})
}

// Whoever has changed something sees the change, however many change and poll at once.
func TestPollsAmongWriters(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		changes := []struct{ path, write, body string }{
			{"/products?limit=100", "/products", draft("Cup")},
			{"/orders?limit=100", "/orders/" + orderID + "/notes", `{"body":"x"}`},
		}
		var wait sync.WaitGroup
		for i := range 4 {
			change := changes[i%len(changes)]
			wait.Go(func() {
				for n := range 12 {
					tag := s.do(t, request{As: m.all, Path: change.path}).Header.Get("ETag")
					s.poll(t, m.all, change.path, tag)
					s.poll(t, m.all, change.path, tag)
					a := s.post(t, m.all, fmt.Sprintf("%d-%d", i, n), change.write, change.body)
					if a.Status != http.StatusCreated {
						t.Errorf("%s: %d %s", change.write, a.Status, a.Body)
						return
					}
					if a := s.poll(t, m.all, change.path, tag); a.Status != http.StatusOK {
						t.Errorf("%s: %d after a change that was acknowledged", change.path, a.Status)
					}
				}
			})
		}
		wait.Wait()
	})
}
