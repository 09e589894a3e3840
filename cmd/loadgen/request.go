package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// root is the path of the REST API.
const root = "/api/public/v1"

// get makes a GET request.
func get(target, key string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nAuthorization: Bearer "+
		"%s\r\n\r\n", target, key)
}

// post appends a POST request with a JSON body; without an idempotency key it
// is a query.
func post(b []byte, target, key, idempotency string, body []byte) []byte {
	b = fmt.Appendf(b, "POST %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n", target, key, len(body))
	if idempotency != "" {
		b = fmt.Appendf(b, "Idempotency-Key: %s\r\n", idempotency)
	}
	return append(append(b, "\r\n"...), body...)
}

// series are requests that a load sends in turns.
type series [][]byte

// next gives each connection its own place in the series.
func (s series) next(b []byte, conn, n int) []byte {
	return append(b, s[(conn*7919+n)%len(s)]...)
}

// requests writes the requests of the figures for one corpus.
type requests struct {
	corpus *corpus.Corpus
	pages  *page.Codec
}

// cursor signs the cursor behind an order, as the service would.
func (r requests) cursor(shop int, order string) (string, error) {
	list, err := r.corpus.Shops[shop].List()
	if err != nil {
		return "", err
	}
	at, err := corpus.Position(order)
	if err != nil {
		return "", err
	}
	return r.pages.Sign(list, at), nil
}

// sampled writes one request for each sample.
func (r requests) sampled(write func(s corpus.Sample, key, cursor string) []byte) (series, error) {
	list := make(series, len(r.corpus.Samples))
	for i, s := range r.corpus.Samples {
		cursor, err := r.cursor(s.Shop, s.Order)
		if err != nil {
			return nil, err
		}
		list[i] = write(s, r.corpus.Shops[s.Shop].Key, cursor)
	}
	return list, nil
}

// orders asks for pages anywhere in the lists.
func (r requests) orders(limit int) (series, error) {
	return r.sampled(func(_ corpus.Sample, key, cursor string) []byte {
		return get(root+"/orders?limit="+strconv.Itoa(limit)+"&cursor="+cursor, key)
	})
}

// order asks for single orders.
func (r requests) order() (series, error) {
	return r.sampled(func(s corpus.Sample, key, _ string) []byte { return get(root+"/orders/"+s.Order, key) })
}

// products asks for the first page of every store.
func (r requests) products(limit int) series {
	var list series
	for _, s := range r.corpus.Shops {
		list = append(list, get(root+"/products?limit="+strconv.Itoa(limit), s.Key))
	}
	return list
}

// fields are those of the REST representation.
const fields = `id number status financialStatus fulfillmentStatus currency subtotalMinor discountMinor shippingMinor
 taxMinor totalMinor paidMinor refundedMinor customerId email
 billingAddress{name company line1 line2 city region postalCode country phone}
 shippingAddress{name company line1 line2 city region postalCode country phone}
 lineItems{id productId title sku quantity fulfilledQuantity refundedQuantity unitPriceMinor discountMinor taxMinor ` +
	`totalMinor}
 notesCount tags source placedAt paidAt fulfilledAt cancelledAt completedAt version createdAt updatedAt`

// summary is what a table of orders in a dashboard shows.
const summary = `id number status financialStatus fulfillmentStatus currency totalMinor email createdAt
 lineItems{title quantity totalMinor}`

// graph asks GraphQL for the same pages as [requests.orders].
func (r requests) graph(limit int, fields string) (series, error) {
	return r.sampled(func(_ corpus.Sample, key, cursor string) []byte {
		body, err := json.Marshal(map[string]any{
			"query": "query Orders($n:Int,$after:String){orders(first:$n,after:$after){nodes{" + fields +
				"}pageInfo{hasNextPage endCursor}}}",
			"variables": map[string]any{"n": limit, "after": cursor},
		})
		if err != nil {
			panic(err) // strings and numbers encode
		}
		return post(nil, "/graphql", key, "", body)
	})
}

// page asks for one page of the largest store: behind an order, or the first.
func (r requests) page(order string) (series, error) {
	target := root + "/orders?limit=" + strconv.Itoa(corpus.PageSize)
	if order != "" {
		cursor, err := r.cursor(0, order)
		if err != nil {
			return nil, err
		}
		target += "&cursor=" + cursor
	}
	return series{get(target, r.corpus.Shops[0].Key)}, nil
}

// create makes a product under a new key with every request, in the last store.
func (r requests) create(target string) func(b []byte, conn, n int) []byte {
	shop := r.corpus.Shops[len(r.corpus.Shops)-1]
	return func(b []byte, _, _ int) []byte {
		id := rand.Text()
		return post(b, target, shop.Key, id, product(id))
	}
}

// product is the body of a new product that its sku finds again.
func product(id string) []byte {
	return fmt.Appendf(nil, `{"title":"Load %s","price_minor":1250,"currency":"EUR","sku":%q}`, id, id)
}
