package e2e

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"

	"github.com/storefront-go/storefront/ent/storetest"
)

// stopsWithin is the time after an answer within which requests may still start: 250 ms, with a
// margin for slow machines.
const stopsWithin = slower * 500 * time.Millisecond

// An endpoint is deleted, disabled or given another address while a dispatcher in another process
// sends to it: after the answer no new request goes to the old address, and each request that
// arrived is in the log once.
func TestWebhookFence(t *testing.T) { // alone: it is about time
	storetest.Campaign(t)
	each(t, func(t *testing.T, s settings) {
		p := start(t, s.plus("--no-dispatch"))
		c, sink := hire(t, 200*time.Millisecond, p), receiving(t)
		var books []*book
		for _, path := range []string{"/deleted", "/disabled", "/moved"} {
			b := sink.open(path, func(*entry) mood { return slowly(700 * time.Millisecond) })
			p.register(t, c.store.Keys["all"], b, salesEvents...)
			books = append(books, b)
		}
		deleted, disabled, moved := books[0], books[1], books[2]
		c.stock(t, p, 200) // so that something is always to be sent
		dispatcher(t, s)
		c.sell(t, 1)
		sink.await(t, patience, func() string {
			for _, b := range books {
				if len(b.taken) < 30 {
					return b.path + " gets little"
				}
			}
			return ""
		})

		p.send(t, request{As: c.store.Keys["all"], Method: http.MethodDelete, Path: base + "/webhooks/" + deleted.id,
			Key: rand.Text()}).want(t, http.StatusNoContent, "")
		gone := time.Now()
		c.endpoint(t, p, disabled, `webhookEndpointDisable(id:$id,expectedVersion:1)`)
		stopped := time.Now()
		sink.also(moved, "/there")
		c.endpoint(t, p, moved, `webhookEndpointUpdate(id:$id,expectedVersion:1,input:{url:"`+sink.URL+`/there"})`)
		left := time.Now()
		beats(3 * time.Second) // longer than a lease goes without being renewed
		deleted.ends(t, gone)
		disabled.ends(t, stopped)
		moved.ends(t, left)
		c.endpoint(t, p, disabled, `webhookEndpointReactivate(id:$id,expectedVersion:2)`)
		c.finish(t, sink, nil, 0, disabled, moved)
		for _, b := range books {
			b.isLogged(t, s)
		}
	})
}

// stock creates n products with few requests.
func (c *crew) stock(t *testing.T, p *program, n int) {
	t.Helper()
	for made := 0; made < n; {
		var b strings.Builder
		for range min(rootFields, n-made) {
			fmt.Fprintf(&b, `m%d:productCreate(input:{title:"Stock",priceMinor:1,currency:"EUR"}){product{id}} `, made)
			made++
		}
		var data map[string]struct{ Product struct{ ID string } }
		p.graphql(t, c.store.StaffToken, "mutation{"+b.String()+"}", nil, &data)
		for _, done := range data {
			c.add(done.Product.ID, "product.created")
		}
	}
}

// endpoint changes the endpoint of a book.
func (c *crew) endpoint(t *testing.T, p *program, b *book, field string) {
	t.Helper()
	var data struct {
		Done struct {
			WebhookEndpoint *struct{ Version int64 }
			UserErrors      []struct{ Message string }
		}
	}
	p.graphql(t, c.store.StaffToken, "mutation($id:ID!){done:"+field+"{webhookEndpoint{version} userErrors{message}}}",
		map[string]any{"id": b.id}, &data)
	if data.Done.WebhookEndpoint == nil {
		t.Fatalf("%s: %+v", field, data.Done.UserErrors)
	}
}

// also makes a book record a second path.
func (s *sink) also(b *book, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books[path] = b
}

// ends checks that no request came to the first path of a book after a time.
func (b *book) ends(t *testing.T, at time.Time) {
	t.Helper()
	var last time.Duration
	late := 0
	for _, e := range b.all() {
		if e.path == b.path && e.at.After(at) {
			if last = e.at.Sub(at); last > stopsWithin {
				late++
			}
		}
	}
	t.Logf("%s: the last request comes %v after the answer", b.path, last.Round(time.Millisecond))
	if late > 0 {
		t.Errorf("%s: %d requests came later than %v after the answer, the last one %v after it", b.path, late,
			stopsWithin, last.Round(time.Millisecond))
	}
}

// shot is one attempt of a delivery.
type shot struct {
	sequence int64
	number   int
}

// isLogged waits until each request to a book is in the log of attempts, and checks that it arrived
// once and is logged once.
func (b *book) isLogged(t *testing.T, s settings) {
	t.Helper()
	came := map[shot]int{}
	for _, e := range b.all() {
		id, err := xid.Delivery.Parse(e.header.Get("X-Service-Delivery-Id"))
		if err != nil {
			t.Fatal(err)
		}
		came[shot{webhook.SequenceOf(id), e.attempt}]++
	}
	limit := time.Now().Add(takeOver)
	for {
		logged := b.logged(t, s)
		var wrong []string
		for at, n := range came {
			if n != 1 || logged[at] != 1 {
				wrong = append(wrong, fmt.Sprintf("attempt %d of delivery %d came %d times and stands there %d times",
					at.number, at.sequence, n, logged[at]))
			}
		}
		if len(wrong) == 0 {
			t.Logf("%s: %d requests came, and each stands in the log", b.path, len(came))
			return
		}
		if time.Now().After(limit) {
			slices.Sort(wrong)
			t.Errorf("%s: of %d requests %d are not in the log once:\n%s", b.path, len(came), len(wrong),
				strings.Join(wrong[:min(len(wrong), 5)], "\n"))
			return
		}
		beats(200 * time.Millisecond)
	}
}

// logged reads the log of attempts; a delivery's last attempt is stored with its outcome.
func (b *book) logged(t *testing.T, s settings) map[shot]int {
	t.Helper()
	id, err := xid.WebhookEndpoint.Parse(b.id)
	if err != nil {
		t.Fatal(err)
	}
	store, err := ent.Open(t.Context(), ent.Config{Database: s.database()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	rows, err := store.Raw().QueryContext(t.Context(), "SELECT sequence, number FROM attempts WHERE endpoint_id = ?"+
		" UNION ALL SELECT sequence, attempts FROM delivery_logs WHERE endpoint_id = ? AND began_at IS NOT NULL", id, id)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := map[shot]int{}
	for rows.Next() {
		var at shot
		if err := rows.Scan(&at.sequence, &at.number); err != nil {
			t.Fatal(err)
		}
		found[at]++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// database is the address of the data.
func (s settings) database() string {
	if i := slices.Index(s.Args, "--database"); i >= 0 {
		return s.Args[i+1]
	}
	return "sqlite:" + filepath.Join(s.Data, "storefront.db")
}
