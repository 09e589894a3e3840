package search_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/index/search"
)

// planted is an order that is inserted directly, with its words.
type planted struct {
	id     xid.ID
	status string
	words  []string
}

// plant inserts n orders with their words, oldest first.
func plant(t testing.TB, ctx context.Context, s *ent.Store, n int, each func(i int) (status string, words []string)) {
	t.Helper()
	began := micros.Now()
	for from := 0; from < n; from += 400 {
		var rows []planted
		for i := from; i < min(from+400, n); i++ {
			status, words := each(i)
			id := xid.At(began + micros.Time(i))
			rows = append(rows, planted{id, status, words})
		}
		err := s.InTx(ctx, func(ctx context.Context) error { return insert(ctx, s, from, rows) })
		if err != nil {
			t.Fatal(err)
		}
	}
}

func insert(ctx context.Context, s *ent.Store, from int, rows []planted) error {
	const one = "(?, ?, ?, ?, 'paid', 'unfulfilled', 'EUR', 1, 0, 0, 0, 1, 1, 0, ?, 0, '[]', 'test', ?, 1, 1, ?), "
	store := viewer.From(ctx).Store
	var orders, terms strings.Builder
	var args, more []any
	for i, r := range rows {
		orders.WriteString(one)
		args = append(args, store, r.id, from+i+1, r.status, "nobody@example.com", r.id.Time(), r.id.Time())
		for _, w := range r.words {
			terms.WriteString("(?, ?, ?, ?), ")
			more = append(more, store, "o"+w, r.id, false)
		}
	}
	_, err := s.DB(ctx).ExecContext(ctx, "INSERT INTO orders (store_id, id, number, status, financial_status, "+
		"fulfillment_status, currency, subtotal_minor, discount_minor, shipping_minor, tax_minor, total_minor, "+
		"paid_minor, refunded_minor, email, notes_count, tags, source, placed_at, version, event_sequence, updated_at) "+
		"VALUES "+strings.TrimSuffix(orders.String(), ", "), args...)
	if err != nil {
		return err
	}
	_, err = s.DB(ctx).ExecContext(ctx, "INSERT INTO search_terms (store_id, term, id, personal) VALUES "+
		strings.TrimSuffix(terms.String(), ", "), more...)
	return err
}

// coined returns one of n words made of syllables.
func coined(r *rand.Rand, n int) string {
	syllables := []string{"ba", "ke", "lo", "mi", "nu", "ra", "so", "ti", "va", "zen"}
	var text strings.Builder
	for i := n + r.IntN(n); i > 0; i /= 10 {
		text.WriteString(syllables[i%10])
	}
	return text.String()
}

// finder returns a finder for the store of ctx.
func finder(ctx context.Context, s *ent.Store) search.Finder {
	return search.Finder{Client: s.DB(ctx), Engine: s.Dialect(), Store: viewer.From(ctx).Store}
}

// page returns a page, and where the next one continues if the search ended at its bound.
func page(t testing.TB, ctx context.Context, s *ent.Store, q search.Query) (ids []xid.ID, stopped xid.ID) {
	t.Helper()
	ids, stopped, err := finder(ctx, s).Find(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	return ids, stopped
}
