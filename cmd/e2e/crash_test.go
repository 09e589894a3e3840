package e2e

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/rest/client"
)

// deed is one keyed write: what was sent, and the answer if there was one.
type deed struct {
	request
	acknowledged *answer
}

// load sends keyed writes over many connections.
type load struct {
	program *program
	key     string
	order   string // the order that gets all notes
	conns   int

	mu    sync.Mutex
	deeds []*deed
	acks  int
	after chan struct{} // closed when enough are acknowledged
	until int
}

func newLoad(p *program, key, order string, until int) *load {
	return &load{program: p, key: key, order: order, conns: 16, after: make(chan struct{}), until: until}
}

// next returns a write that can be found by its key: mostly products, some notes, and some that are
// refused, since refusals are stored too.
func (l *load) next(n int) *deed {
	id := rand.Text()
	d := &deed{
		request: request{
			As: l.key, Method: http.MethodPost, Path: base + "/products", Key: id, Body: draft("Load", id),
		},
	}
	switch n % 8 {
	case 3:
		d.Path, d.Body = base+"/orders/"+l.order+"/notes", fmt.Sprintf(`{"body":%q}`, id)
	case 5:
		d.Body = fmt.Sprintf(`{"title":"","price_minor":-1,"currency":"EUR","sku":%q}`, id)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deeds = append(l.deeds, d)
	return d
}

// run writes until each connection has lost the server.
func (l *load) run(t *testing.T) {
	var wg sync.WaitGroup
	for range l.conns {
		wg.Go(func() {
			for n := 0; ; n++ {
				d := l.next(n)
				a, err := l.program.do(t, d.request)
				if err != nil {
					return
				}
				if a.Status >= http.StatusInternalServerError {
					t.Errorf("%d %s", a.Status, a.Body)
				}
				l.acknowledge(d, a)
			}
		})
	}
	wg.Wait()
}

func (l *load) acknowledge(d *deed, a *answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.acknowledged = a
	if l.acks++; l.acks == l.until {
		close(l.after)
	}
}

// verify retries every key. Acknowledged answers must be replayed byte for byte; all other writes
// must be done now, or have been done.
func (l *load) verify(t *testing.T, p *program) {
	t.Helper()
	work := make(chan *deed)
	var wg sync.WaitGroup
	for range l.conns {
		wg.Go(func() {
			for d := range work {
				if err := d.verify(t, p); err != nil {
					t.Errorf("key %s: %v", d.Key, err)
				}
			}
		})
	}
	for _, d := range l.deeds {
		work <- d
	}
	close(work)
	wg.Wait()
}

func (d *deed) verify(t *testing.T, p *program) error {
	a, err := p.do(t, d.request)
	switch {
	case err != nil:
		return err
	case a.Status != http.StatusCreated && a.Status != http.StatusUnprocessableEntity:
		return fmt.Errorf("the retry answers %d %s", a.Status, a.Body)
	case d.acknowledged == nil:
		d.acknowledged = a
		return nil
	case !same(a, d.acknowledged) || a.Header.Get("Idempotent-Replayed") != "true":
		return fmt.Errorf("acknowledged\n%d %s\nreplayed\n%d %s", d.acknowledged.Status,
			d.acknowledged.Body, a.Status, a.Body)
	}
	return nil
}

// tally counts the rows of every key.
func (p *program) tally(t *testing.T, key, token, order string) map[string]int {
	t.Helper()
	rows := map[string]int{}
	for product, err := range p.client(t, key).Products(t.Context(), &client.ListProductsParams{Limit: new(100)}) {
		if err != nil {
			t.Fatal(err)
		}
		if product.SKU != nil {
			rows[*product.SKU]++
		}
	}
	for after := new(string); after != nil; {
		var data struct {
			OrderNotes struct {
				Nodes    []struct{ Body string }
				PageInfo struct {
					HasNextPage bool
					EndCursor   *string
				}
			}
		}
		p.graphql(t, token, `query($id:ID!,$after:String){orderNotes(orderId:$id,first:100,after:$after){nodes{body} `+
			`pageInfo{hasNextPage endCursor}}}`,
			map[string]any{"id": order, "after": *after}, &data)
		for _, n := range data.OrderNotes.Nodes {
			rows[n.Body]++
		}
		if after = data.OrderNotes.PageInfo.EndCursor; !data.OrderNotes.PageInfo.HasNextPage {
			after = nil
		}
	}
	return rows
}

// Whenever a crash comes: every key has exactly one row after its retry, and every acknowledged
// answer stays the same.
func TestCrash(t *testing.T) {
	storetest.Campaign(t)
	together(t, func(t *testing.T, s settings) {
		var all []*deed
		for round := range 3 {
			p := start(t, s)
			store := p.demo(t).Stores[0]
			l := newLoad(p, store.Keys["all"], p.firstOrder(t, store.Keys["all"]), 100+50*round)
			var wg sync.WaitGroup
			wg.Go(func() { l.run(t) })
			<-l.after
			p.kill()
			wg.Wait()

			p = start(t, s)
			l.verify(t, p)
			all = append(all, l.deeds...)
			checkRows(t, all, p.tally(t, store.Keys["all"], store.StaffToken, l.order))
			t.Logf("round %d: %d keys, %d acknowledged before the crash", round+1, len(l.deeds), l.acks)
			p.stop(t)
		}
	})
}

func checkRows(t *testing.T, deeds []*deed, rows map[string]int) {
	t.Helper()
	for _, d := range deeds {
		want := 1
		if d.acknowledged != nil && d.acknowledged.Status != http.StatusCreated {
			want = 0
		}
		if got := rows[d.Key]; got != want {
			t.Errorf("%s %s has %d rows, want %d", d.Path, d.Key, got, want)
		}
	}
}

// firstOrder returns the id of the newest order.
func (p *program) firstOrder(t *testing.T, key string) string {
	t.Helper()
	var list struct{ Data []struct{ ID string } }
	p.send(t, request{As: key, Path: base + "/orders?limit=1"}).want(t, http.StatusOK, "").decode(t, &list)
	if len(list.Data) == 0 {
		t.Fatal("the store has no order")
	}
	return list.Data[0].ID
}
