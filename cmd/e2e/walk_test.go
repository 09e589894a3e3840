package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/rest/client"
)

// imported is how many orders the walk has to find, and crowded how many share each of two
// microseconds.
const (
	imported = 2_000 / slower
	crowded  = 800 / slower
)

// rootFields is the maximum number of mutations in one request.
const rootFields = 50

// rfc3339Micros is the time format of the API.
const rfc3339Micros = "2006-01-02T15:04:05.000000Z"

// epoch is the time of the first imported order.
var epoch = time.Date(2024, 5, 6, 7, 8, 9, 123_456_000, time.UTC)

// placed returns the time of imported order i: two crowds, and the others a microsecond apart.
func placed(i int) time.Time {
	switch {
	case i < crowded:
		return epoch
	case i < 2*crowded:
		return epoch.Add(time.Hour)
	}
	return epoch.Add(time.Minute + time.Duration(i)*time.Microsecond)
}

// importOrders creates one order at each time and returns their ids.
func (p *program) importOrders(t testing.TB, token string, times []time.Time) []string {
	t.Helper()
	var ids []string
	for len(times) > 0 {
		n := min(len(times), rootFields)
		var b strings.Builder
		b.WriteString("mutation{")
		for i, at := range times[:n] {
			fmt.Fprintf(&b, `m%d:orderCreate(input:{placedAt:%q,source:"import",lines:[{title:"x",quantity:1,`+
				`unitPriceMinor:100}]}){order{id} userErrors{code message path}}`,
				i, at.Format(rfc3339Micros))
		}
		b.WriteString("}")
		var data map[string]struct {
			Order      *struct{ ID string }
			UserErrors []struct{ Code, Message string }
		}
		p.graphql(t, token, b.String(), nil, &data)
		for _, made := range data {
			if made.Order == nil {
				t.Fatalf("an order was not created: %+v", made.UserErrors)
			}
			ids = append(ids, made.Order.ID)
		}
		times = times[n:]
	}
	return ids
}

// A walk in pages of one hundred finds each of two thousand orders once, though hundreds share a
// microsecond and others arrive before and after its position meanwhile.
func TestWalk(t *testing.T) {
	storetest.Sequential(t)
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}})
	store := p.demo(t).Stores[0]
	times := make([]time.Time, imported)
	for i := range times {
		times[i] = placed(i)
	}
	began := time.Now()
	there := map[string]bool{}
	for _, id := range p.importOrders(t, store.StaffToken, times) {
		there[id] = true
	}
	t.Logf("imported %d orders in %v", len(there), time.Since(began).Round(time.Millisecond))
	if len(there) != imported {
		t.Fatalf("%d ids for %d orders", len(there), imported)
	}
	for _, list := range []struct {
		name   string
		params client.ListOrdersParams
	}{
		{"newest first", client.ListOrdersParams{Limit: new(100)}},
		{"filtered", client.ListOrdersParams{Limit: new(100), Status: new(client.OrderStatusOpen),
			FinancialStatus: new(client.FinancialStatusPending)}},
		{"oldest change first", client.ListOrdersParams{Limit: new(100), UpdatedFrom: new(epoch)}},
	} {
		t.Run(list.name, func(t *testing.T) {
			p.walk(t, store.Keys["orders.read"], store.StaffToken, list.params, there)
		})
	}
	t.Run("cursor flips", func(t *testing.T) { p.flipCursor(t, store.Keys["orders.read"]) })
}

// walk walks the list while orders arrive, and must find every one of ids.
func (p *program) walk(t *testing.T, key, token string, params client.ListOrdersParams, ids map[string]bool) {
	arrivals, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	made := 0
	wg.Go(func() {
		for arrivals.Err() == nil {
			// At both ends, and into the crowds.
			made += len(p.importOrders(t, token, []time.Time{
				time.Now().UTC(), epoch.Add(-time.Hour), epoch, epoch.Add(time.Hour),
			}))
		}
	})
	seen := map[string]bool{}
	var last time.Time
	for o, err := range p.client(t, key).Orders(t.Context(), &params) {
		if err != nil {
			t.Fatal(err)
		}
		if seen[o.ID] {
			t.Errorf("%s comes twice", o.ID)
		}
		seen[o.ID] = true
		if params.UpdatedFrom == nil && !last.IsZero() && o.CreatedAt.After(last) {
			t.Errorf("%s of %v comes behind %v", o.ID, o.CreatedAt, last)
		}
		last = o.CreatedAt
		if params.UpdatedFrom != nil && len(seen) >= imported {
			stop() // this list grows at its end, so the walk would never finish
		}
	}
	stop()
	wg.Wait()
	lost := 0
	for id := range ids {
		if !seen[id] {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d orders are lost", lost, len(ids))
	}
	t.Logf("walked %d orders while %d arrived", len(seen), made)
}

// flipCursor changes each character of a cursor: every changed cursor counts as absent and gives
// page one.
func (p *program) flipCursor(t *testing.T, key string) {
	page := func(cursor string) *answer {
		t.Helper()
		path := base + "/orders?limit=3"
		if cursor != "" {
			path += "&cursor=" + cursor
		}
		return p.send(t, request{As: key, Path: path}).want(t, http.StatusOK, "")
	}
	first := page("")
	var list struct {
		NextCursor string `json:"next_cursor"`
	}
	first.decode(t, &list)
	if len(list.NextCursor) != 56 {
		t.Fatalf("the cursor %q has not 56 characters", list.NextCursor)
	}
	if same(page(list.NextCursor), first) {
		t.Fatal("the second page is the first")
	}
	for i, c := range []byte(list.NextCursor) {
		for _, other := range []byte{'A', 'z', '_', c ^ 1, c ^ 0x20} {
			if other == c || !strings.ContainsRune(base64url, rune(other)) {
				continue
			}
			flipped := list.NextCursor[:i] + string(other) + list.NextCursor[i+1:]
			if !same(page(flipped), first) {
				t.Errorf("character %d as %q is not page one", i, other)
			}
		}
	}
	for name, cursor := range map[string]string{"shorter": list.NextCursor[1:], "longer": list.NextCursor +
		"A", "padded": list.NextCursor + "%3D",
		"nonsense": "nonsense", "not base64url": strings.Repeat("*", 56), "of another list": p.productCursor(t)} {
		if !same(page(cursor), first) {
			t.Errorf("a cursor that is %s is not page one", name)
		}
	}
}

const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// productCursor returns a valid cursor of the products.
func (p *program) productCursor(t *testing.T) string {
	t.Helper()
	var list struct {
		NextCursor string `json:"next_cursor"`
	}
	p.send(t, request{As: p.demo(t).Stores[0].Keys["all"], Path: base + "/products?limit=1"}).
		want(t, http.StatusOK, "").decode(t, &list)
	return list.NextCursor
}
