package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// cartConns is how many shoppers buy at a time.
	cartConns = 16
	// cartsPerSecond bounds how many carts a side can place in a second: far more than two CPUs
	// do. Where the carts run out, the run ends with an error, not with a wrong figure.
	cartsPerSecond = 4000
	placePath      = "/checkout/place"
	// cartsEach is how many carts a connection puts goods into, in turns.
	cartsEach = 200
)

// checkout are the carts that one side places, each once.
type checkout struct {
	carts *corpus.Carts
	host  string

	mu    sync.Mutex
	ready []corpus.Ready
}

// fill brings the carts to what a turn of the length can need.
func (c *checkout) fill(ctx context.Context, turn time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	missing := int(cartsPerSecond*turn.Seconds()) + cartConns - len(c.ready)
	if missing <= 0 {
		return nil
	}
	more, err := c.carts.Make(ctx, missing)
	c.ready = append(c.ready, more...)
	return err
}

// next places a cart; nil says that there is none.
func (c *checkout) next(b []byte, _, _ int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ready) == 0 {
		return nil
	}
	cart := c.ready[0]
	c.ready = c.ready[1:]
	return submit(b, c.host, placePath, cart.Token, "total="+strconv.FormatInt(cart.Total, 10))
}

// submit appends the request that a form of the shop makes.
func submit(b []byte, host, path, token, body string) []byte {
	b = fmt.Appendf(b, "POST %s HTTP/1.1\r\nHost: %s\r\nAccept: text/html\r\n", path, host)
	if token != "" {
		b = fmt.Appendf(b, "Cookie: cart=%s\r\n", token)
	}
	return fmt.Appendf(b, "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", len(body),
		body)
}

// placing are the figures of placing an order: rate and CPU.
func (s *seller) placing(server *child, host string) []figure {
	var list []figure
	for _, kind := range []kind{throughput, cpuPerRequest} {
		c := &checkout{carts: s.carts, host: host}
		list = append(list, figure{name: "an order of 3 lines, 16 connections", kind: kind, conns: cartConns,
			sides: []side{{name: "server", at: server, next: c.next, status: http.StatusSeeOther, fill: c.fill}}})
	}
	return list
}

// basket puts goods into carts.
type basket struct {
	carts  *corpus.Carts
	host   string
	tokens []string // of every connection its own; none for carts that begin
}

// fill makes the carts at the first time.
func (k *basket) fill(ctx context.Context, _ time.Duration) error {
	if k.tokens != nil {
		return nil
	}
	list, err := k.carts.Make(ctx, cartConns*cartsEach)
	for _, c := range list {
		k.tokens = append(k.tokens, c.Token)
	}
	return err
}

func (k *basket) next(b []byte, conn, n int) []byte {
	item := k.carts.Items[(conn*7919+n*13)%len(k.carts.Items)]
	token := ""
	if k.tokens != nil {
		token = k.tokens[conn*cartsEach+n%cartsEach]
	}
	return submit(b, k.host, "/cart/add", token, "quantity=1&product_id="+xid.Product.Format(item.ID))
}

// adding are the figures of putting something into a cart.
func (s *seller) adding(server *child, host string) []figure {
	known, fresh := &basket{carts: s.carts, host: host}, &basket{carts: s.carts, host: host}
	return []figure{
		{name: "adding to a cart", conns: cartConns, sides: []side{{name: "server", at: server, next: known.next,
			status: http.StatusSeeOther, fill: known.fill}}},
		{name: "adding to a cart that begins", conns: cartConns, sides: []side{plain("server", server, fresh.next,
			http.StatusSeeOther)}},
	}
}
