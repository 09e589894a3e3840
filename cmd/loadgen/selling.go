package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
)

type sellingCommand struct {
	bench
	Products int `default:"100000" help:"Products of the store."`
}

// shopDomain follows the handle in the host of a store.
const shopDomain = "shops.localhost"

func (c *sellingCommand) Run(ctx context.Context) error {
	if c.Quick {
		c.Products = min(c.Products, 2000)
	}
	s := store{dir: fmt.Sprintf("%s-goods-%d", c.dir(), c.Products),
		size: corpus.Size{Orders: 1000, Stores: 2, Share: 60, Ties: 50, Products: 100, Goods: c.Products}}
	return c.run(ctx, s.dir, func(ctx context.Context, engine string) error { return c.engine(ctx, s, engine) })
}

func (c *sellingCommand) engine(ctx context.Context, s store, engine string) error {
	d, err := s.open(ctx, engine)
	if err != nil {
		return err
	}
	defer d.close()
	all := newChildren(s.dir, c.Binary, d)
	shop, err := openSeller(ctx, all)
	if err != nil {
		return err
	}
	defer shop.Close()
	server, err := all.server(ctx, "--no-dispatch", "--store-domain", shopDomain)
	if err != nil {
		return err
	}
	defer server.stop()
	preview, err := shop.preview(ctx)
	if err != nil {
		return err
	}
	for _, p := range pages(c.Products) {
		f, err := p.figure(ctx, server, shop.host, preview)
		if err != nil {
			return err
		}
		if err := c.measure(ctx, engine, f); err != nil {
			return err
		}
	}
	carts := &checkout{carts: shop.carts, host: shop.host}
	return c.measure(ctx, engine, figure{name: "an order of 3 lines", conns: cartConns, sides: []side{
		{"server", server, carts.next, http.StatusSeeOther, carts.fill}}})
}

type shopPage struct {
	name   string
	cached bool
	// target is the n-th address. The page at the first one shows least products at least.
	target func(n int) string
	least  int
}

const cards = 24

// pages are the pages of a store with so many goods.
func pages(goods int) []shopPage {
	always := func(path string) func(int) string { return func(int) string { return path } }
	product := func(n int) string { return fmt.Sprintf("/products/goods-%06d", n*7919%goods) }
	list := []shopPage{
		{"home, cached", true, always("/"), cards},
		{"collection, cached", true, always("/collections/" + collection), cards},
		{"product, cached", true, always(product(1)), 0},
		{"home", false, always("/"), cards},
		{"collection", false, always("/collections/" + collection), cards},
		{"product", false, product, 0},
		{"list, newest", false, always("/products"), cards},
		{"list by price", false, always("/products?sort=price"), cards},
		{"list by title", false, always("/products?sort=title"), cards},
		{"list of a color", false, always("/products?option=Colour%3AGreen"), cards},
		{"list of a color, by price from a price", false, func(n int) string {
			return fmt.Sprintf("/products?option=Colour%%3AGreen&sort=price&min=%d", n*37%900)
		}, 1},
		{"list by title, of a price that one in a thousand has", false, func(n int) string {
			return fmt.Sprintf("/products?sort=title&min=%d&max=%d", n*37%900+2, n*37%900+3)
		}, 0},
	}
	for _, words := range []string{"brake", "red brake", "braek", "reed braek", "THEIERE EMAILLEE", "ノート", "فرشاة"} {
		list = append(list, shopPage{"search: " + words, false, always("/search?q=" + url.QueryEscape(words)), 1})
	}
	return list
}

// figure returns the figure of a page. A page that is not cached is visited in a preview of the
// active theme, for which every page is rendered.
func (p shopPage) figure(ctx context.Context, server *child, host, preview string) (figure, error) {
	request := func(b []byte, _, n int) []byte {
		target := p.target(n)
		switch {
		case p.cached:
		case strings.Contains(target, "?"):
			target += "&" + preview
		default:
			target += "?" + preview
		}
		return fmt.Appendf(b, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: */*\r\n\r\n", target, host)
	}
	body, err := ask(ctx, server, request(nil, 0, 0))
	if err == nil && linked(body) < p.least {
		err = fmt.Errorf("%d products are shown, want %d", linked(body), p.least)
	}
	if err != nil {
		return figure{}, fmt.Errorf("%s: %w", p.name, err)
	}
	conns := 1
	if p.cached {
		conns = 16
	}
	return figure{name: p.name, conns: conns, sides: []side{{"server", server, request, http.StatusOK, nil}}}, nil
}

var productLink = regexp.MustCompile(`href="/products/([a-z0-9-]+)`)

func linked(page []byte) int {
	found := map[string]bool{}
	for _, m := range productLink.FindAllSubmatch(page, -1) {
		found[string(m[1])] = true
	}
	return len(found)
}

// preview returns the query of a preview of the active theme, which the server has given the store.
func (s *seller) preview(ctx context.Context) (string, error) {
	found, err := s.FindStore(ctx, s.handle)
	if err != nil {
		return "", err
	}
	if found.ActiveThemeID == nil {
		return "", errors.New("the store has no active theme")
	}
	_, query, _ := strings.Cut(s.core.PreviewURL(found, *found.ActiveThemeID), "?")
	return query, nil
}
