package sales_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// pages walks a list to its end and calls between after each page.
func pages(
	t testing.TB, ctx context.Context, r *graph.Resolver, first int, filter *model.OrderFilter, between func(),
) (seen []*model.Order) {
	t.Helper()
	var after *string
	for {
		c, err := r.Query().Orders(ctx, &first, after, filter, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Nodes) == 0 && after != nil {
			t.Error("an empty page follows another")
		}
		if len(c.Nodes) > first {
			t.Errorf("a page of %d", len(c.Nodes))
		}
		seen = append(seen, c.Nodes...)
		if c.Next == "" {
			return seen
		}
		after = &c.Next
		between()
	}
}

// TestOrderWalk walks thousands of orders of one microsecond while others are written around them:
// each is returned once, newest first.
func TestOrderWalk(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		const tie = micros.Time(1_700_000_000_000_000)
		at := func(from int) func(int, *db.OrderCreate) xid.ID {
			return func(i int, _ *db.OrderCreate) xid.ID { return xid.At(tie + micros.Time((from+i)%3)) }
		}
		old := graphtest.Plant(t, ctx, r, 3000, func(i int, _ *db.OrderCreate) xid.ID { return xid.At(tie) })
		old = append(old, graphtest.Plant(t, ctx, r, 201, at(1))...)
		seen := pages(t, ctx, r, 100, nil, func() {
			graphtest.Plant(t, ctx, r, 3, at(0))
		})
		count := map[xid.ID]int{}
		for i, o := range seen {
			count[o.ID]++
			if i > 0 && o.ID.Compare(seen[i-1].ID) >= 0 {
				t.Fatalf("row %d is not older than the one before", i)
			}
		}
		for _, id := range old {
			if count[id] != 1 {
				t.Fatalf("an order was seen %d times", count[id])
			}
		}
	})
}

// A walk by changes returns every order at least once, however many change on the way.
func TestOrderWalkByChanges(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		ids := graphtest.Plant(t, ctx, r, 450, func(i int, o *db.OrderCreate) xid.ID {
			o.SetUpdatedAt(micros.Time(1000 + i/200))
			return xid.New()
		})
		touched := 0
		seen := pages(t, ctx, r, 50, &model.OrderFilter{UpdatedFrom: new(micros.Time(1000))}, func() {
			touched++
			if touched < 4 {
				if _, err := r.Mutation().OrderNoteAppend(ctx, xid.Order.Format(ids[touched*100]),
					noteInput("x")); err != nil {
					t.Fatal(err)
				}
			}
		})
		count := map[xid.ID]int{}
		for i, o := range seen {
			count[o.ID]++
			if i > 0 && o.UpdatedAt < seen[i-1].UpdatedAt {
				t.Fatalf("row %d changed before the one before it", i)
			}
		}
		for i, id := range ids {
			if count[id] < 1 || count[id] > 2 {
				t.Errorf("order %d was seen %d times", i, count[id])
			}
		}
		// 50 had the last time, and three of the others changed on the way.
		if got := pages(t, ctx, r, 50, &model.OrderFilter{UpdatedFrom: new(micros.Time(1002))},
			func() {}); len(got) != 53 {
			t.Errorf("%d orders changed from 1002 on, want 53", len(got))
		}
	})
}

func noteInput(body string) model.OrderNoteInput {
	return model.OrderNoteInput{Body: body, Visibility: state.NoteInternal}
}

// walked walks a list whose pages may be short before the end.
func walked(
	t testing.TB, ctx context.Context, r *graph.Resolver, first int, filter *model.OrderFilter,
) (seen []*model.Order) {
	t.Helper()
	var after *string
	for {
		c := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, &first, after, filter, nil, nil))
		if seen = append(seen, c.Nodes...); c.Next == "" {
			return seen
		}
		after = &c.Next
	}
}

// TestOrderFilters compares every combination of filters with a selection in Go, in pages that
// search only part of the list.
func TestOrderFilters(t *testing.T) {
	storetest.Sequential(t)
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		rng := rand.New(rand.NewPCG(1, 2))
		customers := []xid.ID{xid.New(), xid.New()}
		orders := []state.OrderStatus{state.OrderOpen, state.OrderCompleted, state.OrderCancelled}
		money := []state.FinancialStatus{state.FinancialPaid, state.FinancialPending, state.FinancialVoided}
		goods := []state.FulfillmentStatus{state.FulfillmentFulfilled, state.FulfillmentUnfulfilled}
		const base = 1_600_000_000_000_000
		graphtest.Plant(t, ctx, r, 300, func(i int, o *db.OrderCreate) xid.ID {
			o.SetCustomerID(customers[rng.IntN(2)]).SetStatus(orders[rng.IntN(3)]).
				SetFinancialStatus(money[rng.IntN(3)]).SetFulfillmentStatus(goods[rng.IntN(2)]).
				SetUpdatedAt(micros.Time(rng.IntN(10))).SetExternalNumber(fmt.Sprint("#", rng.IntN(3)))
			return xid.At(micros.Time(base + i%20))
		})
		all := pages(t, ctx, r, 100, nil, func() {})
		filters := graphtest.Combined(map[string]func(*model.OrderFilter){
			"status":      func(f *model.OrderFilter) { f.Status = &orders[1] },
			"financial":   func(f *model.OrderFilter) { f.FinancialStatus = &money[0] },
			"fulfillment": func(f *model.OrderFilter) { f.FulfillmentStatus = &goods[1] },
			"customer":    func(f *model.OrderFilter) { f.CustomerID = new(xid.Customer.Format(customers[0])) },
			"external":    func(f *model.OrderFilter) { f.ExternalNumber = new("#1") },
			"from":        func(f *model.OrderFilter) { f.CreatedFrom = new(micros.Time(base + 3)) },
			"to":          func(f *model.OrderFilter) { f.CreatedTo = new(micros.Time(base + 16)) },
			"updated":     func(f *model.OrderFilter) { f.UpdatedFrom = new(micros.Time(2)) },
		})
		for i, f := range []*model.OrderFilter{
			{Status: &orders[0]}, {FinancialStatus: &money[1]}, {FulfillmentStatus: &goods[0]},
			{CustomerID: new(xid.Customer.Format(customers[1]))}, {CustomerID: new(xid.Customer.Format(xid.New()))},
			{CreatedFrom: new(micros.Time(base + 5))}, {CreatedTo: new(micros.Time(base + 5))},
			{CreatedFrom: new(micros.Time(base + 5)), CreatedTo: new(micros.Time(base + 6))},
			{UpdatedFrom: new(micros.Time(4))},
			{UpdatedFrom: new(micros.Time(4)), CustomerID: new(xid.Customer.Format(customers[0]))},
			{Status: &orders[1], FinancialStatus: &money[0], FulfillmentStatus: &goods[1]},
			{CustomerID: new(xid.Customer.Format(customers[0])), FinancialStatus: &money[0],
				CreatedFrom: new(micros.Time(base + 3))},
			{UpdatedFrom: new(micros.Time(2)), Status: &orders[0], CreatedTo: new(micros.Time(base + 15))},
		} {
			filters[fmt.Sprint("other ", i)] = f
		}
		for name, f := range filters {
			want := slices.DeleteFunc(slices.Clone(all), func(o *model.Order) bool { return !matches(*f, o) })
			got := walked(t, ctx, r, 2, f)
			key := func(o *model.Order) string { return o.PublicID() }
			if f.UpdatedFrom != nil {
				key = func(o *model.Order) string { return fmt.Sprint(o.UpdatedAt, o.PublicID()) }
				slices.SortFunc(want, func(a, b *model.Order) int {
					return int(a.UpdatedAt-b.UpdatedAt)*2 + a.ID.Compare(b.ID)
				})
			}
			if !slices.EqualFunc(got, want, func(a, b *model.Order) bool { return key(a) == key(b) }) {
				t.Errorf("%s: got %d orders, want %d", name, len(got), len(want))
			}
		}
		_, err := r.Query().Orders(ctx, nil, nil, &model.OrderFilter{CustomerID: new("cus_x")}, nil, nil)
		if graphtest.FaultOf(err) != "invalid_parameter" || graphtest.FieldOf(err) != "customer_id invalid_format" {
			t.Errorf("a malformed customer: %v", err)
		}
	})
}

// matches implements the filter a second time.
func matches(f model.OrderFilter, o *model.Order) bool {
	return (f.Status == nil || *f.Status == o.Status) &&
		(f.FinancialStatus == nil || *f.FinancialStatus == o.FinancialStatus) &&
		(f.FulfillmentStatus == nil || *f.FulfillmentStatus == o.FulfillmentStatus) &&
		(f.CustomerID == nil || *f.CustomerID == *o.PublicCustomerID()) &&
		(f.ExternalNumber == nil || *f.ExternalNumber == *o.ExternalNumber) &&
		(f.CreatedFrom == nil || *f.CreatedFrom <= o.CreatedAt()) &&
		(f.CreatedTo == nil || *f.CreatedTo > o.CreatedAt()) &&
		(f.UpdatedFrom == nil || *f.UpdatedFrom <= o.UpdatedAt)
}

// A cursor belongs to one filter and one store; elsewhere it is ignored.
func TestOrderCursorBelongsToItsList(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		graphtest.Plant(t, ctx, r, 5, func(int, *db.OrderCreate) xid.ID { return xid.New() })
		page := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, new(2), nil, nil, nil, nil))
		next := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, new(2), &page.Next, nil, nil, nil))
		if next.Nodes[0].ID == page.Nodes[0].ID {
			t.Error("the cursor of the list led to its first page")
		}
		open, last := state.OrderOpen, "A"
		if strings.HasSuffix(page.Next, last) {
			last = "B"
		}
		for name, after := range map[string]string{"filter": page.Next, "junk": "x", "edited": page.Next[:55] + last} {
			f := &model.OrderFilter{Status: &open}
			if name != "filter" {
				f = nil
			}
			got := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, new(2), &after, f, nil, nil))
			if got.Nodes[0].ID != page.Nodes[0].ID {
				t.Errorf("%s: not page one", name)
			}
		}
	})
}

// Orders are listed by their numbers, together with other filters, and never those of other stores.
func TestOrderNumbers(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		var made []*model.Order
		for range 3 {
			made = append(made, graphtest.NewOrder(t, p.Ctx, p.Resolver, graphtest.CustomLine("Mug", 1, 500)))
		}
		graphtest.NewOrder(t, p.Other(t).Ctx, p.Resolver, graphtest.CustomLine("another's", 1, 1))
		first, last := made[0].Number, made[2].Number
		query := func(f *model.OrderFilter, query *string) (numbers []int64, err error) {
			c, err := p.Query().Orders(p.Ctx, nil, nil, f, query, nil)
			if err == nil {
				for _, o := range c.Nodes {
					numbers = append(numbers, o.Number)
				}
			}
			return numbers, err
		}
		for name, tc := range map[string]struct {
			filter model.OrderFilter
			want   []int64
		}{
			"two, and an unknown one": {filter: model.OrderFilter{Numbers: []int64{first, 1 << 40, last}},
				want: []int64{last, first}},
			"with a state": {filter: model.OrderFilter{Numbers: []int64{first}, Status: new(state.OrderOpen)},
				want: []int64{first}},
			"with another state": {filter: model.OrderFilter{Numbers: []int64{first},
				Status: new(state.OrderCancelled)}},
		} {
			if got, err := query(&tc.filter, nil); err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("%s: %v, %v, want %v", name, got, err, tc.want)
			}
		}
		for name, f := range map[string]*model.OrderFilter{
			"none": {Numbers: []int64{}}, "too many": {Numbers: make([]int64, 101)},
			"with a tag": {Numbers: []int64{first}, Tag: new("x")},
			"of changes": {Numbers: []int64{first}, UpdatedFrom: new(micros.Time(1))},
		} {
			if _, err := query(f, nil); graphtest.FaultOf(err) != "invalid_parameter" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := query(&model.OrderFilter{Numbers: []int64{first}}, new("mug")); err == nil {
			t.Error("numbers with a query are accepted")
		}
	})
}
