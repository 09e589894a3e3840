package variants_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// begin is day 0 of the tests.
const begin = micros.Time(1_800_000_000_000_000)

func day(n int) micros.Time { return begin.Add(time.Duration(n) * 24 * time.Hour) }

// terms returns published terms: the price and, unless they are 0, the compare-at price and the sale price.
func terms(price, compare, sale int64, period ...int) variants.Terms {
	t := variants.Terms{Offered: true, PriceMinor: price}
	if compare > 0 {
		t.Compare = &compare
	}
	if sale > 0 {
		t.SaleMinor = &sale
	}
	if len(period) > 0 {
		t.Starts, t.Ends = new(day(period[0])), new(day(period[1]))
	}
	return t
}

func draft(price int64) variants.Terms { return variants.Terms{PriceMinor: price} }

type changed struct {
	day   int
	terms variants.Terms
}

// shownAt makes the changes and returns what shoppers see on a day.
func shownAt(t *testing.T, changes []changed, at int) variants.Price {
	t.Helper()
	v, past, before := &db.Variant{}, []variants.Past(nil), (*changed)(nil)
	for _, c := range changes {
		edit := variants.Change{Now: day(c.day), Terms: c.terms}
		if before != nil {
			past = append(past, variants.Past{Terms: before.terms, Until: edit.Now})
			if before.terms.Offered {
				edit.Was = new(variants.PriceAt(v, edit.Now))
			}
		}
		steps, err := edit.Steps(func() ([]variants.Past, error) { return past, nil })
		if err != nil {
			t.Fatal(err)
		}
		v.PriceMinor, v.CompareAtPriceMinor, before = c.terms.PriceMinor, c.terms.Compare, &c
		v.Prices = variants.Stored(steps, variants.Price{PriceMinor: v.PriceMinor, CompareAtMinor: c.terms.Compare})
	}
	return variants.PriceAt(v, day(at))
}

// The lowest price is that of the 30 days before the reduction began (Directive 98/6/EC, article 6a).
func TestLowestPrice(t *testing.T) {
	for _, tc := range []struct {
		name                   string
		changes                []changed
		day                    int
		price, compare, lowest int64 // 0 is none
	}{
		{name: "a reduction", changes: []changed{{0, terms(100, 0, 0)}, {40, terms(80, 100, 0)}},
			day: 40, price: 80, compare: 100, lowest: 100},
		{name: "raised under it", day: 45, price: 90, compare: 100, lowest: 80,
			changes: []changed{{0, terms(100, 0, 0)}, {40, terms(80, 100, 0)}, {45, terms(90, 100, 0)}}},
		{name: "raised long after the low price", day: 80, price: 90, compare: 100, lowest: 100,
			changes: []changed{{0, terms(80, 0, 0)}, {40, terms(100, 0, 0)}, {80, terms(90, 100, 0)}}},
		{name: "the low price counts for 30 days", day: 69, price: 90, compare: 100, lowest: 80,
			changes: []changed{{0, terms(80, 0, 0)}, {40, terms(100, 0, 0)}, {69, terms(90, 100, 0)}}},
		{name: "a further cut", day: 90, price: 70, compare: 100, lowest: 100,
			changes: []changed{{0, terms(100, 0, 0)}, {40, terms(80, 100, 0)}, {90, terms(70, 100, 0)}}},
		{name: "raised before it", day: 41, price: 110, compare: 150, lowest: 100,
			changes: []changed{{0, terms(100, 0, 0)}, {40, terms(150, 0, 0)}, {41, terms(110, 150, 0)}}},
		{name: "announced later", day: 50, price: 80, compare: 100, lowest: 80,
			changes: []changed{{0, terms(100, 0, 0)}, {40, terms(80, 0, 0)}, {50, terms(80, 100, 0)}}},
		{name: "nothing announced", day: 40, price: 80,
			changes: []changed{{0, terms(100, 0, 0)}, {40, terms(80, 0, 0)}}},
		{name: "a compare-at price below", changes: []changed{{0, terms(100, 0, 0)}, {40, terms(80, 70, 0)}},
			day: 40, price: 80, compare: 70},
		{name: "new", changes: []changed{{0, terms(80, 100, 0)}}, day: 0, price: 80, compare: 100},
		{name: "drafts do not count", day: 2, price: 80, compare: 100, lowest: 90,
			changes: []changed{{0, draft(10)}, {1, terms(90, 0, 0)}, {2, terms(80, 100, 0)}}},
		{name: "published again", day: 9, price: 90, compare: 100, lowest: 80,
			changes: []changed{{0, terms(80, 0, 0)}, {8, draft(90)}, {9, terms(90, 100, 0)}}},
		{name: "before a sale", changes: []changed{{0, terms(100, 0, 80, 40, 50)}}, day: 39, price: 100},
		{name: "during a sale", changes: []changed{{0, terms(100, 0, 80, 40, 50)}}, day: 40, price: 80, compare: 100,
			lowest: 100},
		{name: "after a sale", changes: []changed{{0, terms(100, 0, 80, 40, 50)}}, day: 50, price: 100},
		{name: "a sale from now on", changes: []changed{{0, terms(100, 0, 0)}, {5, terms(100, 0, 80)}},
			day: 500, price: 80, compare: 100, lowest: 100},
		{name: "a sale after a change", changes: []changed{{0, terms(60, 0, 0)}, {20, terms(100, 0, 80, 40, 50)}},
			day: 40, price: 80, compare: 100, lowest: 60},
		{name: "a sale long after a change", changes: []changed{{0, terms(60, 0, 0)}, {20, terms(100, 0, 80, 60, 70)}},
			day: 60, price: 80, compare: 100, lowest: 100},
		{name: "a former sale counts", changes: []changed{{0, terms(100, 0, 70, 10, 20)}, {30, terms(90, 100, 0)}},
			day: 30, price: 90, compare: 100, lowest: 70},
		{name: "a canceled sale does not", changes: []changed{{0, terms(100, 0, 70, 10, 20)}, {5, terms(90, 100, 0)}},
			day: 5, price: 90, compare: 100, lowest: 100},
		{name: "a sale of a reduced price goes on with it", day: 30, price: 60, compare: 120, lowest: 110,
			changes: []changed{{0, terms(110, 0, 0)}, {10, terms(100, 120, 60, 30, 40)}}},
		{name: "and ends with a rise", day: 40, price: 100, compare: 120, lowest: 60,
			changes: []changed{{0, terms(110, 0, 0)}, {10, terms(100, 120, 60, 30, 40)}}},
		{name: "a sale price that is not below", changes: []changed{{0, terms(100, 0, 100)}}, day: 1, price: 100},
		{name: "a sale that has ended", changes: []changed{{9, terms(100, 0, 80, 1, 5)}}, day: 9, price: 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := variants.Price{PriceMinor: tc.price}
			if tc.compare > 0 {
				want.CompareAtMinor = &tc.compare
			}
			if tc.lowest > 0 {
				want.LowestMinor = &tc.lowest
			}
			got := shownAt(t, tc.changes, tc.day)
			if got.From = 0; !cmp.Equal(got, want) {
				t.Errorf("%s", cmp.Diff(want, got))
			}
		})
	}
}

// A list shows the lowest price of the variants at every moment.
func TestSummarize(t *testing.T) {
	one, other := terms(100, 0, 50, 10, 20), terms(90, 0, 70, 15, 30)
	p := &db.Product{PriceMinor: 90, MaxPriceMinor: new(int64(100))}
	sum := variants.Summarize([][]variants.Price{one.Steps(day(0)), other.Steps(day(0))})
	p.Prices = variants.Stored(sum, variants.Price{PriceMinor: 90, HighestMinor: new(int64(100))})
	for at, want := range map[int][2]int64{0: {90, 100}, 10: {50, 90}, 15: {50, 70}, 20: {70, 100}, 30: {90, 100}} {
		if got := variants.LowestAt(p, day(at)); got.PriceMinor != want[0] || *got.HighestMinor != want[1] {
			t.Errorf("day %d: %d to %d, want %v", at, got.PriceMinor, *got.HighestMinor, want)
		}
	}
	for after, want := range map[int]micros.Time{0: day(10), 10: day(15), 29: day(30), 30: micros.Max} {
		if got := variants.NextPrice(p, day(after)); got != want {
			t.Errorf("next after day %d: %v, want %v", after, got, want)
		}
	}
	same := variants.Summarize([][]variants.Price{terms(5, 0, 0).Steps(day(0)), terms(5, 0, 0).Steps(day(0))})
	if doc := variants.Stored(same, variants.Price{PriceMinor: 5}); doc != nil {
		t.Errorf("columns that say everything: %s", doc)
	}
	broken := &db.Variant{PriceMinor: 7, Prices: document.Prices("{")}
	if got := variants.PriceAt(broken, day(0)); got.PriceMinor != 7 {
		t.Errorf("unreadable prices: %v", got)
	}
}
