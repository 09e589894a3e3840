package listings_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

var benchProducts = flag.Int("products", 500, "how many products the benchmarks have")

// stock inserts active products with titles of made-up words, and indexes them. Some words are in
// every tenth title, most in a few.
func stock(b testing.TB, ctx context.Context, s *ent.Store) {
	b.Helper()
	n, r := *benchProducts, rand.New(rand.NewPCG(1, 2))
	for from := 0; from < n; from += 500 {
		err := s.InTx(ctx, func(ctx context.Context) error {
			var created []*db.ProductCreate
			for i := from; i < min(from+500, n); i++ {
				id := xid.New()
				title := coined(r, 10) + " " + coined(r, 500) + " " + coined(r, 50_000)
				created = append(created, s.DB(ctx).Product.Create().SetID(id).SetTitle(title).
					SetHandle(fmt.Sprintf("item-%d", i)).SetStatus(state.ProductActive).
					SetPriceMinor(r.Int64N(100_000)).SetCurrency("EUR").SetTags([]byte("[]")).
					SetPublishedAt(id.Time()).SetUpdatedAt(id.Time()))
			}
			return s.DB(ctx).Product.CreateBulk(created...).Exec(ctx)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := listings.NewKeeper(s).Backfill(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// coined returns one of n words made of syllables.
func coined(r *rand.Rand, n int) string {
	syllables := []string{"ba", "ke", "lo", "mi", "nu", "ra", "so", "ti", "va", "zen"}
	var text strings.Builder
	for i := n + r.IntN(n); i > 0; i /= 10 {
		text.WriteString(syllables[i%10])
	}
	return text.String()
}

// onBoth runs f on SQLite, and on MySQL or MariaDB when there is one.
func onBoth(b *testing.B, f func(b *testing.B, s *ent.Store)) {
	b.Run("sqlite", func(b *testing.B) { f(b, storetest.Unlinted(b)) })
	if storetest.HaveMySQL(b) {
		b.Run("mysql", func(b *testing.B) { f(b, storetest.UnlintedMySQL(b)) })
	}
}

// reader reads the lists of the viewer's store.
func reader(ctx context.Context, s *ent.Store) listings.Reader {
	return listings.Reader{Client: s.DB(ctx), Engine: s.Dialect(), Store: viewer.From(ctx).Store}
}

// BenchmarkFind searches for words of many and of few products, with and without typos.
func BenchmarkFind(b *testing.B) {
	onBoth(b, func(b *testing.B, s *ent.Store) {
		ctx, _ := storetest.Merchant(b, s)
		stock(b, ctx, s)
		r := rand.New(rand.NewPCG(1, 2))
		often, some, seldom := coined(r, 10), coined(r, 500), coined(r, 50_000)
		for name, question := range map[string]string{
			"often": often, "seldom": seldom, "all": often + " " + some + " " + seldom,
			"mistake": seldom[:2] + seldom[3:], "swapped": seldom[:3] + seldom[4:5] + seldom[3:4] + seldom[5:],
			"beginning": seldom[:5], "two often": often + " " + some, "nothing": "qqqq",
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					if _, err := reader(ctx, s).Find(ctx, listings.Parse(question)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// BenchmarkRead reads a page in the middle of a list, in every order, and with a filter.
func BenchmarkRead(b *testing.B) {
	onBoth(b, func(b *testing.B, s *ent.Store) {
		ctx, _ := storetest.Merchant(b, s)
		stock(b, ctx, s)
		for name, l := range map[string]listings.List{
			"newest": {Sort: listings.Newest}, "price": {Sort: listings.PriceUp}, "title": {Sort: listings.Title},
			"few pass": {Sort: listings.Title, Most: new(int64(50))},
		} {
			l.ID, l.Limit = listings.All, 24
			b.Run(name, func(b *testing.B) {
				first, err := reader(ctx, s).Read(ctx, l)
				if err != nil {
					b.Fatal(err)
				}
				l.After = first.After
				for b.Loop() {
					if _, err := reader(ctx, s).Read(ctx, l); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}
