package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// everyField selects all fields of an order that REST shows.
const everyField = `query($first: Int) { orders(first: $first) { nodes {
	id number status financialStatus fulfillmentStatus currency subtotalMinor discountMinor shippingMinor taxMinor totalMinor
	paidMinor refundedMinor customerId email billingAddress { name line1 city country } shippingAddress { name line1 city country }
	lineItems { id productId title sku quantity fulfilledQuantity refundedQuantity unitPriceMinor discountMinor taxMinor totalMinor }
	notesCount tags source placedAt paidAt fulfilledAt cancelledAt completedAt version createdAt updatedAt
	} pageInfo { hasNextPage endCursor } } }`

// orders creates n orders with two lines each.
func orders(f *graphtest.Endpoint, n int) {
	f.T.Helper()
	ctx := graphtest.As(f.Ctx, viewer.Owner)
	for i := range n {
		line := func(title string) *model.OrderLineInput {
			return &model.OrderLineInput{Title: new(title), Quantity: 2, UnitPriceMinor: new(int64(1250))}
		}
		payload, err := f.Core.Mutation().OrderCreate(ctx, model.OrderCreateInput{
			Email: new(fmt.Sprintf("buyer%d@shop.example", i)),
			Lines: []*model.OrderLineInput{line("Lamp"), line("Chair")},
			ShippingAddress: &model.AddressInput{Name: new("A Buyer"), Line1: "Main Street 1", City: "Berlin",
				Country: "DE"},
			Tags: []string{"web", "gift"}, Source: "dashboard",
		})
		if err != nil || len(payload.UserErrors) > 0 {
			f.T.Fatal(err, payload)
		}
	}
}

// BenchmarkOrders20 lists 20 orders with all fields that REST shows, through the handler without a
// socket. The second benchmark reads the same rows with a plain call; the difference is the cost of
// GraphQL.
func BenchmarkOrders20(b *testing.B) {
	// Not storetest.Open: its SQL lint costs more than the rows.
	s := graphtest.Must[*ent.Store](b)(ent.Open(b.Context(), ent.Config{Database: storetest.SQLite(b)}))
	b.Cleanup(func() { s.Close() })
	f := newEndpoint(b, s, nil)
	orders(f, 25)
	token := keyFor(f, scope.OrdersRead)
	b.Run("graphql", func(b *testing.B) {
		h := f.HTTP
		body := graphtest.Must[[]byte](b)(json.Marshal(map[string]any{"query": everyField,
			"variables": map[string]any{"first": 20}}))
		b.ReportAllocs()
		for b.Loop() {
			r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusOK || w.Body.Len() < 10_000 {
				b.Fatal(w.Code, w.Body.String())
			}
		}
	})
	b.Run("resolver", func(b *testing.B) {
		ctx := graphtest.AsKey(f.Ctx, scope.OrdersRead)
		b.ReportAllocs()
		for b.Loop() {
			if c, err := f.Core.Query().Orders(ctx, new(20), nil, nil, nil, nil); err != nil || len(c.Nodes) != 20 {
				b.Fatal(err)
			}
		}
	})
}

// TestStatementsDoNotGrow checks that a page of 20 orders with all relations takes as many
// statements as a page of one.
func TestStatementsDoNotGrow(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		f := newEndpoint(t, s, nil)
		orders(f, 20)
		h, token := f.HTTP, staffToken(f, viewer.Owner)
		const document = `query($n: Int) { orders(first: $n) { nodes { id customer { id } notes { id author { name } } payments { id }
			fulfillments { id lines { quantity } } lineItems { id product { id } } } } }`
		count := func(n int) uint64 {
			ctx, counter := ent.CountStatements(context.Background())
			body := fmt.Sprintf(`{"query": %q, "variables": {"n": %d}}`, document, n)
			r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader([]byte(body))).WithContext(ctx)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := bytes.Count(w.Body.Bytes(), []byte(`"fulfillments"`)); got != n {
				t.Fatalf("%d orders, want %d: %s", got, n, w.Body)
			}
			return counter.N()
		}
		count(1) // also looks up the credential
		one, twenty := count(1), count(20)
		if one != twenty || one > 7 {
			t.Errorf("%d statements for one order, %d for twenty", one, twenty)
		}
	})
}
