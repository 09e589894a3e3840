package search_test

import (
	stdcmp "cmp"
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/index/search"
)

// many is how many orders the store has: more than are read for a word, or examined for a page.
const many = 16_000

// mostRead is how many rows a page may read: 3,000 entries of each of two words and 3,000 orders
// with a word of each, most of them a second time from a table in memory, and the entries of a word
// that only old orders have.
const mostRead = 12 * 3001

// words returns the words of the i-th order: everyone is a Smith, most have a name with an s, a
// third are Ann, another third Lee and hardly anyone both; few have other words.
func words(i int) (string, []string) {
	list := []string{"smith", fmt.Sprintf("sku%d", i%2000), "common"}
	if i < 40 {
		list = append(list, "oldest")
	}
	if i < 4000 {
		list = append(list, fmt.Sprintf("season%d", i))
	}
	if i%1000 == 0 {
		list = append(list, "rare")
	}
	if i%2 == 0 {
		list = append(list, "smithers")
	}
	if i%3 == 0 {
		list = append(list, "ann")
	}
	if i%3 == 1 || i%1500 == 0 {
		list = append(list, "lee")
	}
	if i < many/2 {
		list = append(list, "half")
	}
	status := "completed"
	if i%500 == 0 {
		status = "open"
	}
	return status, list
}

// openRanges returns the ranges of open orders.
func openRanges() ent.Ranges {
	r := ent.Ranges{Index: "order_states_id", Columns: []string{"status", "financial_status", "fulfillment_status"}}
	for _, financial := range state.FinancialStatuses() {
		for _, goods := range state.FulfillmentStatuses() {
			r.Values = append(r.Values, []any{"open", string(financial), string(goods)})
		}
	}
	return r
}

// TestFind: for frequent and rare words, pages show all matches once, newest first, and no page
// reads more than some thousand rows.
func TestFind(t *testing.T) {
	open := []search.Condition{{Text: "o.status = ?", Arg: "open"}}
	byStatus := openRanges()
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, _ := storetest.Merchant(t, s)
		other, _ := storetest.Merchant(t, s)
		plant(t, other, s, 30, words)
		plant(t, ctx, s, many, words)
		for _, tc := range []struct {
			text       string
			conditions []search.Condition
			newest     ent.Ranges
			fits       func(i int) bool
			most       int64 // rows of a page, if words are read side by side
		}{
			{text: "rare", fits: func(i int) bool { return i%1000 == 0 }},
			{text: "RÁRE smith", fits: func(i int) bool { return i%1000 == 0 }},
			{text: "oldest", fits: func(i int) bool { return i < 40 }},
			{text: "smi common", fits: func(i int) bool { return i >= many-250 }},
			{text: "s common oldest", fits: func(i int) bool { return i < 40 }},
			{text: "season", fits: func(i int) bool { return i < 4000 && i >= 3700 }},
			{text: "smithe", fits: func(i int) bool { return i%2 == 0 && i >= many-400 }},
			{text: "s", fits: func(i int) bool { return i >= many-250 }},
			{text: "s c", conditions: open, newest: byStatus, fits: func(i int) bool { return i%500 == 0 }},
			{text: "smith", conditions: open, newest: byStatus, fits: func(i int) bool { return i%500 == 0 }},
			{text: "rare", conditions: open, newest: byStatus, fits: func(i int) bool { return i%1000 == 0 }},
			{text: "7001", fits: func(i int) bool { return i == 7000 }},
			{text: "#00300", fits: func(i int) bool { return i == 299 }},
			{text: "s", conditions: open, newest: byStatus, fits: func(i int) bool { return i%500 == 0 }},
			{text: "ann lee", fits: func(i int) bool { return i%1500 == 0 }, most: 26_000},
			{text: "ann", conditions: open, newest: byStatus, fits: func(i int) bool { return i%1500 == 0 },
				most: 13_000},
			{text: "lee ann", conditions: open, newest: byStatus, fits: func(i int) bool { return i%1500 == 0 },
				most: 19_500},
			{text: "ann half", fits: func(i int) bool { return i%3 == 0 && i < many/2 }, most: 26_000},
			{text: "smith nobody"}, {text: "%"}, {text: "sm_th"}, {text: "*"}, {text: "🎈"}, {text: ""},
		} {
			t.Run(tc.text, func(t *testing.T) {
				want := []int(nil)
				for i := many - 1; i >= 0 && tc.fits != nil; i-- {
					if tc.fits(i) {
						want = append(want, i+1)
					}
				}
				q := search.Query{Kind: search.Orders, Question: search.Parse(tc.text), Conditions: tc.conditions,
					Newest: tc.newest, Limit: 60}
				got := walkWithin(t, ctx, s, q, len(want), stdcmp.Or(tc.most, mostRead))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	})
}

// walk reads pages up to n orders, and returns their numbers.
func walk(t *testing.T, ctx context.Context, s *ent.Store, q search.Query, n int) []int {
	t.Helper()
	return walkWithin(t, ctx, s, q, n, mostRead)
}

// walkWithin is walk with a bound on the rows that a page reads.
func walkWithin(t *testing.T, ctx context.Context, s *ent.Store, q search.Query, n int, most int64) (numbers []int) {
	t.Helper()
	for pages := 0; ; pages++ {
		if pages > many/60+5 {
			t.Fatal("the pages have no end")
		}
		var ids []xid.ID
		var stopped xid.ID
		read := storetest.Reads(t, ctx, s, func(ctx context.Context) { ids, stopped = page(t, ctx, s, q) })
		if read > most {
			t.Errorf("a page reads %d rows", read)
		}
		numbers = append(numbers, numbersOf(t, ctx, s, ids)...)
		switch {
		case len(numbers) >= n && n > 0:
			return numbers[:n]
		case len(ids) == q.Limit:
			q.Before = ids[len(ids)-1]
		case !stopped.IsNil():
			q.Before = stopped
		default:
			return numbers
		}
	}
}

// numbersOf returns the numbers of orders.
func numbersOf(t *testing.T, ctx context.Context, s *ent.Store, ids []xid.ID) []int {
	t.Helper()
	rows, err := s.DB(ctx).Order.Query().Where(order.IDIn(ids...)).Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	of := map[xid.ID]int{}
	for _, o := range rows {
		of[o.ID] = int(o.Number)
	}
	list := make([]int, len(ids))
	for i, id := range ids {
		list[i] = of[id]
	}
	return list
}
