package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/page"
)

const root = "/api/public/v1"

func get(target, key string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nAuthorization: Bearer "+
		"%s\r\n\r\n", target, key)
}

// post appends a POST request with a JSON body; without an idempotency key it is a query.
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
	corpus  *corpus.Corpus
	cursors map[string]string // behind orders, by their ids
}

// newRequests signs the cursors behind all orders that the corpus names, as the service would.
func newRequests(c *corpus.Corpus, secret string) (requests, error) {
	r := requests{c, map[string]string{}}
	ring, err := keyring.Parse(secret)
	if err != nil {
		return r, err
	}
	codec := page.New(ring)
	sign := func(shop int, order string) error {
		list, err := c.Shops[shop].List()
		if err != nil {
			return err
		}
		at, err := corpus.Position(order)
		r.cursors[order] = codec.Sign(list, at)
		return err
	}
	for _, s := range c.Samples {
		if err := sign(s.Shop, s.Order); err != nil {
			return r, err
		}
	}
	for _, order := range append(slices.Collect(maps.Values(c.Shops[0].Marks)), c.Shops[0].Tied) {
		if err := sign(0, order); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (r requests) sampled(write func(s corpus.Sample, key, cursor string) []byte) series {
	list := make(series, len(r.corpus.Samples))
	for i, s := range r.corpus.Samples {
		list[i] = write(s, r.corpus.Shops[s.Shop].Key, r.cursors[s.Order])
	}
	return list
}

func (r requests) orders(limit int) series {
	return r.sampled(func(_ corpus.Sample, key, cursor string) []byte {
		return get(root+"/orders?limit="+strconv.Itoa(limit)+"&cursor="+cursor, key)
	})
}

func (r requests) order() series {
	return r.sampled(func(s corpus.Sample, key, _ string) []byte { return get(root+"/orders/"+s.Order, key) })
}

func (r requests) products(limit int) (list series) {
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
func (r requests) graph(limit int, fields string) series {
	return r.sampled(func(_ corpus.Sample, key, cursor string) []byte {
		body, err := json.Marshal(map[string]any{
			"query": "query Orders($n:Int,$after:String){orders(first:$n,after:$after){nodes{" + fields +
				"}pageInfo{hasNextPage endCursor}}}",
			"variables": map[string]any{"n": limit, "after": cursor},
		})
		if err != nil {
			panic(err) // strings and numbers always marshal
		}
		return post(nil, "/graphql", key, "", body)
	})
}

// page asks for one page of the largest store: the page behind an order, or the first one.
func (r requests) page(order string) series {
	target := root + "/orders?limit=" + strconv.Itoa(corpus.PageSize)
	if order != "" {
		target += "&cursor=" + r.cursors[order]
	}
	return series{get(target, r.corpus.Shops[0].Key)}
}

func (r requests) create(b []byte, _, _ int) []byte {
	return newProduct(b, r.corpus.Shops[len(r.corpus.Shops)-1].Key, "a product")
}

// newProduct appends a request that creates a product with a new idempotency key.
func newProduct(b []byte, key, description string) []byte {
	id := rand.Text()
	return post(b, root+"/products", key, id, fmt.Appendf(nil,
		`{"title":"Load %s","price_minor":1250,"currency":"EUR","sku":%q,"description":%q}`, id, id, description))
}
