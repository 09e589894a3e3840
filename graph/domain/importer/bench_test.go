package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// BenchmarkImport imports 5,000 published products with three variants each, and then the same again, on both engines.
func BenchmarkImport(b *testing.B) {
	const products = 5000
	var file strings.Builder
	for i := range products {
		fmt.Fprintf(&file, `{"handle":"p-%d","title":"Product %d","price_minor":100,"currency":"EUR","status":"active",`+
			`"tags":["a","b"],"options":[{"name":"Size","values":["S","M","L"]}],"variants":[`, i, i)
		for n, size := range []string{"S", "M", "L"} {
			if n > 0 {
				file.WriteByte(',')
			}
			fmt.Fprintf(&file, `{"options":[%q],"price_minor":100,"sku":"P-%d-%s","inventory_quantity":5}`, size, i, size)
		}
		file.WriteString("]}\n")
	}
	in := input(file.String())
	b.Run("sqlite", func(b *testing.B) { benchmarkImport(b, storetest.Unlinted, in, products) })
	if storetest.HaveMySQL(b) {
		b.Run("mysql", func(b *testing.B) { benchmarkImport(b, storetest.UnlintedMySQL, in, products) })
	}
}

func benchmarkImport(
	b *testing.B, open func(*testing.B) *ent.Store, in model.ImportStartInput, products int64,
) {
	for _, again := range []bool{false, true} {
		name, want := "new", [5]int64{products}
		if again {
			name, want = "unchanged", [5]int64{0, 0, products}
		}
		b.Run(name, func(b *testing.B) {
			for range b.N {
				p := graphtest.NewShop(b, graphtest.NewCore(b, open(b)))
				if again {
					run(b, p, in)
				}
				b.ResetTimer()
				before := storetest.CPUTime()
				if i := run(b, p, in); counts(i) != want {
					b.Fatal(counts(i))
				}
				b.ReportMetric(float64((storetest.CPUTime()-before).Microseconds())/float64(products), "µs-CPU/product")
			}
		})
	}
}
