package rest_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/rest"
)

// TestHeavyPages walks products with descriptions of 262 KB: each page ends before it exceeds the
// limit of an answer, and the walk sees every product once.
func TestHeavyPages(t *testing.T) {
	s, m := sqlite(t)
	const n = 80
	ids := crowd(n)
	m.stock(ids...)
	text := strings.Repeat("😀", limit.Description)
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Product.Update().SetDescription(text).Exec(ctx)
	})
	seen := map[string]int{}
	pages := 0
	for path := "/products?limit=100"; path != ""; pages++ {
		a := s.do(t, request{As: m.all, Path: path, Free: true})
		if len(a.Body) > limit.Answer+1000 {
			t.Fatalf("page %d has %d bytes", pages+1, len(a.Body))
		}
		page := a.list()
		for _, id := range ids {
			seen[xid.Product.Format(id)] += bytes.Count(a.Body, []byte(`"id":"`+xid.Product.Format(id)+`"`))
		}
		path = ""
		if page.NextCursor != nil {
			path = "/products?limit=100&cursor=" + *page.NextCursor
		}
	}
	for id, times := range seen {
		if times != 1 {
			t.Errorf("%s was seen %d times", id, times)
		}
	}
	if pages < 3 || pages > 8 || len(seen) != n {
		t.Errorf("%d products on %d pages", len(seen), pages)
	}
}

// TestAnswersInTheMaking holds many large answers at once, as slow readers do: those beyond the
// store's share are refused, and the memory is released once they have been sent.
func TestAnswersInTheMaking(t *testing.T) {
	s, m := sqlite(t)
	m.stock(crowd(40)...)
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Product.Update().SetDescription(strings.Repeat("😀", limit.Description)).Exec(ctx)
	})
	ask := func() *http.Request {
		r := request{As: m.all, Path: "/products?limit=100"}.build(t, "http://api.test")
		r.RemoteAddr = "192.0.2.1:1"
		return r
	}
	gate, held := make(chan struct{}), make(chan int)
	var all sync.WaitGroup
	bodies := 0
	for range 20 {
		all.Go(func() { s.handler.ServeHTTP(&slowReader{gate, held, http.Header{}}, ask()) })
		if status := <-held; status == http.StatusOK {
			bodies++
		} else if status != http.StatusTooManyRequests {
			t.Errorf("status %d", status)
		}
	}
	if bodies < 4 || bodies > 12 {
		t.Errorf("%d large answers were held at once", bodies)
	}
	close(gate)
	all.Wait()
	s.do(t, request{As: m.all, Path: "/products?limit=100", Free: true}).want(http.StatusOK, "")
}

// slowReader is a client that reads the status, and the body when gate is closed.
type slowReader struct {
	gate   chan struct{}
	held   chan int
	header http.Header
}

func (r *slowReader) Header() http.Header { return r.header }

func (r *slowReader) WriteHeader(status int) { r.held <- status }

func (r *slowReader) Write(p []byte) (int, error) {
	<-r.gate
	return len(p), nil
}

// TestWrittenBytes: the bytes that a store writes per minute are limited. The refusal says when to
// try again and is not stored with the key.
func TestWrittenBytes(t *testing.T) {
	s, m := sqlite(t, func(c *rest.Config) { c.Core.Limits[limit.WrittenBytes] = 1 << 20 })
	body := `{"title":"Mug","price_minor":1,"currency":"EUR"}` + strings.Repeat(" ", 700_000)
	for i, want := range []int{http.StatusCreated, http.StatusCreated, http.StatusTooManyRequests} {
		a := s.do(t, request{As: m.all, Method: http.MethodPost, Path: "/products", Body: body})
		if a.Status != want {
			t.Fatalf("request %d: %d %s", i+1, a.Status, a.Body)
		}
		if want == http.StatusTooManyRequests && (a.Header.Get("Retry-After") == "" ||
			!bytes.Contains(a.Body, []byte(string(limit.WrittenBytes)))) {
			t.Errorf("%v %s", a.Header, a.Body)
		}
	}
}
