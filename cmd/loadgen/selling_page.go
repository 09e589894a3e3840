package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	clock "github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/domain/appearance"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// What a page may take of CPU, of server and database.
const (
	keptBound   = 100 * time.Microsecond
	madeBound   = 4 * time.Millisecond
	searchBound = 20 * time.Millisecond
	addBound    = 2 * time.Millisecond
)

// cards is how many products a page shows.
const cards = 24

// pageFigure is a page of the shop.
type pageFigure struct {
	name  string
	conns int
	bound time.Duration
	asked string
	// target is the n-th address that is visited. A list is walked from there.
	target func(n int) string
	walk   bool
	// least is how many products the page shows at least.
	least int
}

// always visits one address.
func always(path string) func(int) string { return func(int) string { return path } }

// pageFigures are the pages of a store with so many goods. Those that are made anew are
// looked at in a preview of the active theme, which keeps nothing.
func pageFigures(goods int) []pageFigure {
	product := func(n int) string { return fmt.Sprintf("/products/goods-%06d", n*7919%goods) }
	list := []pageFigure{
		{name: "home, kept", target: always("/"), least: cards},
		{name: "collection, kept", target: always("/collections/" + collection), least: cards},
		{name: "product, kept", target: always(product(1))},
	}
	for i := range list {
		list[i].conns, list[i].bound, list[i].asked = 16, keptBound, "0.1 ms"
	}
	made := []pageFigure{
		{name: "home", target: always("/"), least: cards},
		{name: "collection", target: always("/collections/" + collection), least: cards},
		{name: "product", target: product},
		{name: "list, newest, walked", target: always("/products"), walk: true, least: cards},
		{name: "list by price, walked", target: always("/products?sort=price"), walk: true, least: cards},
		{name: "list by title, walked", target: always("/products?sort=title"), walk: true, least: cards},
		{name: "list of a colour", target: always("/products?option=Colour%3AGreen"), walk: true, least: cards},
		{name: "list of a colour, by price from a price", least: 1, target: func(n int) string {
			return fmt.Sprintf("/products?option=Colour%%3AGreen&sort=price&min=%d", n*37%900)
		}},
		{name: "list by title, of a price that one in a thousand has", target: func(n int) string {
			return fmt.Sprintf("/products?sort=title&min=%d&max=%d", n*37%900+2, n*37%900+3)
		}},
	}
	for i := range made {
		made[i].conns, made[i].bound, made[i].asked = 1, madeBound, "4 ms"
	}
	return append(append(list, made...), searchFigures()...)
}

// searchFigures look for words as people type them.
func searchFigures() (list []pageFigure) {
	for _, q := range []struct{ name, text string }{
		{"a common word", "brake"},
		{"two common words", "red brake"},
		{"a typo", "braek"},
		{"two typos", "reed braek"},
		{"upper case without accents", "THEIERE EMAILLEE"},
		{"Japanese", "ノート"},
		{"Arabic", "فرشاة"},
		{"nothing that there is", "xylophonist"},
	} {
		f := pageFigure{name: "search, " + q.name + ": " + q.text, conns: 1, bound: searchBound, asked: "20 ms",
			target: always("/search?q=" + url.QueryEscape(q.text)), least: 1}
		if strings.HasPrefix(q.name, "nothing") {
			f.least = 0
		}
		list = append(list, f)
	}
	return list
}

// signedQuery is what lets the active theme be looked at as a preview.
func (s *shopper) signedQuery(secret, store string) (string, error) {
	ring, err := keyring.Parse(secret)
	if err != nil {
		return "", err
	}
	address := link.New(ring).Sign("/", clock.Now().Add(24*time.Hour), appearance.PreviewTheme, s.active.ID,
		appearance.PreviewStore, store)
	_, query, ok := strings.Cut(address, "?")
	if !ok {
		return "", errors.New("a preview without a query")
	}
	return query, nil
}

// in adds a query to an address.
func in(target, query string) string {
	if strings.Contains(target, "?") {
		return target + "&" + query
	}
	return target + "?" + query
}

// nextPage is where a list goes on.
var nextPage = regexp.MustCompile(`href="(/[^"]*[?&;]after=[^"]+)"`)

// look measures one page.
func (s *shopper) look(ctx context.Context, r *report, m meter, engine string, f pageFigure) error {
	query := s.preview
	if f.bound == keptBound {
		query = ""
	}
	address := func(n int) string {
		if query == "" {
			return f.target(n)
		}
		return in(f.target(n), query)
	}
	page, err := ask(ctx, s.server, visit(s.host, address(0)))
	if err != nil {
		return err
	}
	if n := products(page); n < f.least {
		return fmt.Errorf("%s shows %d products, want %d: %s", f.name, n, f.least, address(0))
	}
	var answers atomic.Int64
	var next string
	at := plain("server", s.server, func(b []byte, _, n int) []byte {
		if f.walk && next != "" {
			return append(b, visit(s.host, next)...)
		}
		return append(b, visit(s.host, address(n))...)
	}, 200)
	at.took = func(_ int, body []byte) error {
		answers.Add(1)
		if !f.walk { // else there is one connection alone
			return nil
		}
		next = ""
		if found := nextPage.FindSubmatch(body); found != nil {
			next = html.UnescapeString(string(found[1]))
		}
		return nil
	}
	before, err := s.server.statements(ctx)
	if err != nil {
		return err
	}
	found, err := m.measure(ctx, engine, figure{name: f.name, conns: f.conns, sides: []side{at}})
	if err != nil {
		return err
	}
	after, err := s.server.statements(ctx)
	if err != nil {
		return err
	}
	r.pages = append(r.pages, pageRow{found, f.bound, f.asked, len(page),
		(after - before) / float64(max(answers.Load(), 1))})
	return nil
}

// pageRow is a row of the table of pages.
type pageRow struct {
	*result
	bound      time.Duration
	asked      string
	size       int
	statements float64
}

// within shows a bound and whether it is kept.
func within(v, bound time.Duration, asked string) string {
	if v > bound {
		return "≤ " + asked + ", missed"
	}
	return "≤ " + asked + ", kept"
}
