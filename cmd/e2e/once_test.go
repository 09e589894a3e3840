package e2e

import (
	"net/http"
	"sync"
	"testing"
)

// Fifty equal concurrent writes create one product and get fifty equal answers.
func TestOnce(t *testing.T) {
	each(t, func(t *testing.T, s settings) {
		p := start(t, s)
		f := p.demo(t)
		key := f.Stores[0].Keys["products.write"]
		write := request{As: key, Path: base + "/products", Key: "fifty",
			Body: `{"title":"Once","price_minor":1450,"currency":"EUR","sku":"ONCE"}`}

		answers := make([]*answer, 50)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() {
				a, err := p.do(t, write)
				if err != nil {
					t.Error(err)
					a = &answer{}
				}
				answers[i] = a
			})
		}
		wg.Wait()
		replays := 0
		for _, a := range answers {
			if a.Status != http.StatusCreated || !same(a, answers[0]) {
				t.Fatalf("the answers differ:\n%d %s\n%d %s", a.Status, a.Body, answers[0].Status, answers[0].Body)
			}
			if a.Header.Get("Idempotent-Replayed") == "true" {
				replays++
			}
		}
		if replays != len(answers)-1 {
			t.Errorf("%d of the answers are replays, want all but one", replays)
		}
		if n := p.countSKU(t, key, "ONCE"); n != 1 {
			t.Errorf("%d products, want 1", n)
		}
		t.Run("same meaning", func(t *testing.T) {
			other := write
			other.Body = "{ \"sku\": \"\\u004fNCE\", \"currency\": \"EUR\"," +
				"\n\"price_minor\": 1450, \"title\": \"Once\" }"
			if a := p.send(t, other); !same(a, answers[0]) || a.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
		t.Run("other body", func(t *testing.T) {
			other := write
			other.Body = `{"title":"Once","price_minor":1451,"currency":"EUR","sku":"ONCE"}`
			p.send(t, other).want(t, http.StatusConflict, "idempotency_key_reused")
		})
		t.Run("other path", func(t *testing.T) {
			other := write
			other.As = f.Stores[0].Keys["all"] // reaches both paths, and is another principal
			p.send(t, other).want(t, http.StatusCreated, "")
			other.Path = base + "/orders/" + p.firstOrder(t, other.As) + "/notes"
			p.send(t, other).want(t, http.StatusConflict, "idempotency_key_reused")
		})
		t.Run("other store", func(t *testing.T) {
			other := write
			other.As = f.Stores[1].Keys["products.write"]
			a := p.send(t, other).want(t, http.StatusCreated, "")
			if same(a, answers[0]) || a.Header.Get("Idempotent-Replayed") != "" {
				t.Errorf("the other store's answer is shown: %s", a.Body)
			}
			if n := p.countSKU(t, other.As, "ONCE"); n != 1 {
				t.Errorf("%d products, want 1", n)
			}
		})
	})
}

// countSKU counts the products of a sku.
func (p *program) countSKU(t *testing.T, key, sku string) int {
	t.Helper()
	var list struct{ Data []struct{ ID string } }
	p.send(t, request{As: key, Path: base + "/products?limit=100&sku=" + sku}).
		want(t, http.StatusOK, "").decode(t, &list)
	return len(list.Data)
}

// Two processes on one database are one service: a key counts in both.
func TestOnceAcrossProcesses(t *testing.T) {
	s := either(t)
	first := start(t, s)
	key := first.demo(t).Stores[0].Keys["products.write"]
	second := start(t, s)
	write := request{As: key, Path: base + "/products", Key: "both", Body: draft("Both", "BOTH")}
	answers := make([]*answer, 20)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			a, err := []*program{first, second}[i%2].do(t, write)
			if err != nil {
				t.Error(err)
				a = &answer{}
			}
			answers[i] = a
		})
	}
	wg.Wait()
	for _, a := range answers {
		if a.Status != http.StatusCreated || !same(a, answers[0]) {
			t.Fatalf("the answers differ:\n%d %s\n%d %s", a.Status, a.Body, answers[0].Status, answers[0].Body)
		}
	}
	if n := second.countSKU(t, key, "BOTH"); n != 1 {
		t.Errorf("%d products, want 1", n)
	}
}
