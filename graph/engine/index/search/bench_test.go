package search_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/index/search"
)

var benchOrders = flag.Int("orders", 2000, "how many orders the benchmark has")

// BenchmarkFind searches for words of few and of many orders, alone and together. There are few
// given names, so each belongs to many orders; each address belongs to one.
func BenchmarkFind(b *testing.B) {
	run := func(b *testing.B, s *ent.Store) {
		ctx, _ := storetest.Merchant(b, s)
		r := rand.New(rand.NewPCG(1, 2))
		began := time.Now()
		plant(b, ctx, s, *benchOrders, func(i int) (string, []string) {
			status := "completed"
			if i%200 == 0 {
				status = "open"
			}
			given, family := coined(r, 200), coined(r, 20_000)
			words := []string{given, family, fmt.Sprintf("%s%d@example.com", given, i), "sku" + coined(r, 2000)}
			if i < *benchOrders/50 {
				words = append(words, "zz"+coined(r, 5000)) // old orders only
			}
			return status, words
		})
		b.Logf("%d orders in %s", *benchOrders, time.Since(began).Round(time.Second))
		r = rand.New(rand.NewPCG(3, 4))
		given, other, family := coined(r, 200), coined(r, 200), coined(r, 20_000)
		for _, tc := range []struct{ name, text string }{
			{name: "number", text: fmt.Sprint(*benchOrders / 2)}, {name: "digit", text: "1"},
			{name: "address", text: fmt.Sprintf("%s%d@example.com", given, *benchOrders/3)},
			{name: "family", text: family}, {name: "given", text: given}, {name: "letter", text: "b"},
			{name: "two letters", text: "ba ke"}, {name: "given and family", text: given + " " + family},
			{name: "two given", text: given + " " + other}, {name: "letter and given", text: "s " + given},
			{name: "all letters", text: "ba ke lo mi nu ra so sku"}, {name: "old ones", text: "zz"},
			{name: "nothing", text: "qqq"},
		} {
			for _, filtered := range []bool{false, true} {
				name, q := tc.name, search.Query{Kind: search.Orders, Question: search.Parse(tc.text), Limit: 26}
				if filtered {
					name, q.Newest = name+", open", openRanges()
					q.Conditions = []search.Condition{{Text: "o.status = ?", Arg: "open"}}
				}
				b.Run(name, func(b *testing.B) {
					n, before := 0, storetest.CPUTime()
					for b.Loop() {
						ids, _ := page(b, ctx, s, q)
						n = len(ids)
					}
					b.ReportMetric(float64(n), "found")
					b.ReportMetric((storetest.CPUTime()-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
				})
			}
		}
	}
	b.Run("sqlite", func(b *testing.B) { run(b, storetest.Unlinted(b)) })
	if storetest.HaveMySQL(b) {
		b.Run("mysql", func(b *testing.B) { run(b, storetest.UnlintedMySQL(b)) })
	}
}
