package main

import (
	"strings"
	"testing"
	"time"
)

func TestPageFigures(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range pageFigures(1000) {
		if seen[f.name] || f.bound == 0 || f.conns == 0 || !strings.HasPrefix(f.target(0), "/") {
			t.Errorf("%+v at %s", f, f.target(0))
		}
		seen[f.name] = true
		if f.name == "product" && f.target(1) == f.target(2) {
			t.Error("a product that is made anew is always the same")
		}
	}
}

func TestNextPage(t *testing.T) {
	const page = `<a href="/products?sort=title">Title</a> <a href="/products?sort=title&amp;after=x%3D&amp;store=s">On</a>`
	if got := nextPage.FindStringSubmatch(page); got == nil || got[1] != "/products?sort=title&amp;after=x%3D&amp;store=s" {
		t.Errorf("found %q", got)
	}
}

func TestPageTable(t *testing.T) {
	var out strings.Builder
	found := &result{figure: figure{name: "home"}, engine: "sqlite", sides: [][]reading{{{server: time.Millisecond,
		database: 4 * time.Millisecond, p50: 2 * time.Millisecond, p99: 3 * time.Millisecond}}}}
	(&report{pages: []pageRow{{found, madeBound, "4 ms", 1500, 3}}}).printPages(&out)
	const want = "| home | sqlite | 5.00 | 4.00 | 2.00 | 3.00 | 3.00 | 1.5 | ≤ 4 ms, missed |\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("printed\n%s, want\n%s", out.String(), want)
	}
}

func TestProductsOfAPage(t *testing.T) {
	const page = `<a href="/products/mug">Mug</a> <a href="/products/mug"><img></a> <a ` +
		`href="/products/cup-2?x=1">Cup</a> <a href="/search">all</a>`
	if got := products([]byte(page)); got != 2 {
		t.Errorf("got %d, want 2: each product once", got)
	}
}
