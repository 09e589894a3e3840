package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// cards is how many products a home page shows.
	cards = 24
	// homeBound is the CPU time that a home page may take, of server and database.
	homeBound = 2 * time.Millisecond
)

// home measures the home page of the store, which is kept in memory.
func (s *shopper) home(ctx context.Context, r *report, m meter, engine string) error {
	request := visit(s.host, "/")
	page, err := ask(ctx, s.server, request)
	if err != nil {
		return err
	}
	if n := products(page); n != cards {
		return fmt.Errorf("the home page shows %d products, want %d", n, cards)
	}
	for _, conns := range []int{1, 16} {
		var answers atomic.Int64
		at := plain("server", s.server, series{request}.next, 200)
		at.took = func(int, []byte) error { answers.Add(1); return nil }
		before, err := s.server.statements(ctx)
		if err != nil {
			return err
		}
		found, err := m.measure(ctx, engine, figure{
			name: "storefront home, connections: " + strconv.Itoa(conns), conns: conns, sides: []side{at},
		})
		if err != nil {
			return err
		}
		after, err := s.server.statements(ctx)
		if err != nil {
			return err
		}
		r.facts = append(r.facts, homeFacts(found, len(page), (after-before)/float64(max(answers.Load(), 1)))...)
	}
	return nil
}

// homeFacts are the results of a load on the home page: a page of so many bytes, so
// many statements for each request, with those of the server's own loops.
func homeFacts(found *result, size int, statements float64) []fact {
	name := fmt.Sprintf("%s, %s, ", found.name, found.engine)
	v := found.middle(0)
	return []fact{
		{name + "CPU", millis(v.server+v.database) + " ms", within(v.server+v.database, homeBound, "2 ms")},
		{name + "p50, p99", millis(v.p50) + " ms, " + millis(v.p99) + " ms", ""},
		{name + "pages of " + fmt.Sprintf("%.1f kB", float64(size)/1e3), fmt.Sprintf("%.0f/s", v.rate), ""},
		{name + "statements per page", fmt.Sprintf("%.4f", statements), ""},
	}
}

// within shows a bound as it was asked for, and whether it is kept.
func within(v, bound time.Duration, asked string) string {
	if v > bound {
		return "≤ " + asked + ", missed"
	}
	return "≤ " + asked + ", kept"
}

// productLink is the address of a product's page.
var productLink = regexp.MustCompile(`href="/products/([a-z0-9-]+)`)

// products counts the products to which a page leads.
func products(page []byte) int {
	found := map[string]bool{}
	for _, m := range productLink.FindAllSubmatch(page, -1) {
		found[string(m[1])] = true
	}
	return len(found)
}
