package sales_test

import (
	"context"
	"strings"
	"testing"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// planCase is the list with a filter that is served by ranges of an index.
type planCase struct {
	filter *model.OrderFilter
	index  string
	ranges int64
}

func planCases(customer string) map[string]planCase {
	open, paid, unfulfilled := state.OrderOpen, state.FinancialPaid, state.FulfillmentUnfulfilled
	const primary, states, changes = "sqlite_autoindex_orders_1", "order_states_id", "order_states_updated_at_id"
	since := new(graphtest.PlanTie - 500)
	return map[string]planCase{
		"none":           {filter: nil, index: primary, ranges: 1},
		"status":         {filter: &model.OrderFilter{Status: &open}, index: states, ranges: 18},
		"financial":      {filter: &model.OrderFilter{FinancialStatus: &paid}, index: states, ranges: 9},
		"fulfillment":    {filter: &model.OrderFilter{FulfillmentStatus: &unfulfilled}, index: states, ranges: 18},
		"two states":     {filter: &model.OrderFilter{Status: &open, FinancialStatus: &paid}, index: states, ranges: 3},
		"changed status": {filter: &model.OrderFilter{Status: &open, UpdatedFrom: since}, index: changes, ranges: 18},
		"all states": {filter: &model.OrderFilter{Status: &open, FinancialStatus: &paid,
			FulfillmentStatus: &unfulfilled}, index: states, ranges: 1},
		"all states changed": {filter: &model.OrderFilter{Status: &open, FinancialStatus: &paid,
			FulfillmentStatus: &unfulfilled, UpdatedFrom: since}, index: changes, ranges: 1},
		"customer": {filter: &model.OrderFilter{CustomerID: &customer}, index: "order_store_id_customer_id_id",
			ranges: 1},
		"changed": {filter: &model.OrderFilter{UpdatedFrom: since}, index: "order_store_id_updated_at_id", ranges: 1},
		"created": {filter: &model.OrderFilter{CreatedFrom: new(graphtest.PlanTie - 1000),
			CreatedTo: new(graphtest.PlanTie + 1000)}, index: primary, ranges: 1},
	}
}

// plantPlan fills two stores, since a plan must read one only, and returns the customer of all
// orders and the cursors of the first, the middle and the last page of each case. The middle is
// within a tie.
func plantPlan(t *testing.T, ctx context.Context, r *graph.Resolver) (customer xid.ID) {
	customer = xid.New()
	other, _ := storetest.Merchant(t, r.Store)
	for _, ctx := range []context.Context{graphtest.As(other, viewer.Owner), ctx} {
		graphtest.Plant(t, ctx, r, graphtest.PlanRows, func(i int, o *db.OrderCreate) xid.ID {
			at := graphtest.PlanTie
			if i%20 == 0 {
				at += micros.Time(i/20 - graphtest.PlanRows/40)
			}
			o.SetCustomerID(customer).SetUpdatedAt(at)
			return xid.At(at)
		})
	}
	return customer
}

// depths returns the cursors of the first page, of one in the tie, and of the last.
func depths(ctx context.Context, t *testing.T, r *graph.Resolver, filter *model.OrderFilter) map[string]*string {
	t.Helper()
	all := []string{""}
	var after *string
	for {
		c := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(withoutLines(ctx), new(100), after, filter,
			nil, nil))
		if c.Next == "" {
			break
		}
		all = append(all, c.Next)
		after = &c.Next
	}
	if len(all) < graphtest.PlanRows/100-6 {
		t.Fatalf("only %d pages", len(all))
	}
	return map[string]*string{"first": nil, "middle": &all[len(all)/2], "last": &all[len(all)-1]}
}

// TestOrderPlansMySQL counts what the engine reads for a page of 50: at every depth, and for each
// range, the rows of the page, one more for the next page, and a seek.
func TestOrderPlansMySQL(t *testing.T) {
	storetest.Sequential(t)
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		if r.Store.Dialect() != dialect.MySQL {
			return
		}
		customer := plantPlan(t, ctx, r)
		for name, tc := range planCases(xid.Customer.Format(customer)) {
			for depth, after := range depths(ctx, t, r, tc.filter) {
				var n int
				read := graphtest.Reads(t, ctx, r, func(ctx context.Context) {
					n = len(graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(withoutLines(ctx), new(50),
						after, tc.filter, nil, nil)).Nodes)
				})
				sorted := int64(0)
				if tc.ranges > 1 { // the rows of the ranges are sorted, and then looked up
					sorted = 4
				}
				if most := (tc.ranges + sorted) * (50 + 2); read > most {
					t.Errorf("%s, %s page: read %d rows for %d", name, depth, read, n)
				}
			}
		}
	})
}

// TestOrderPlansSQLite checks the query plans: every statement of every page seeks in the expected
// index and sorts nothing.
func TestOrderPlansSQLite(t *testing.T) {
	storetest.Sequential(t)
	var seen []ent.Statement
	s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t), Inspect: func(s ent.Statement) error {
		seen = append(seen, s)
		return storetest.Lint(s)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, _ := storetest.Merchant(t, s)
	r, ctx := graphtest.NewCore(t, s), graphtest.As(ctx, viewer.Owner)
	customer := plantPlan(t, ctx, r)
	for name, tc := range planCases(xid.Customer.Format(customer)) {
		for depth, after := range depths(ctx, t, r, tc.filter) {
			seen = nil
			c := graphtest.Must[*model.OrderConnection](t)(r.Query().Orders(ctx, new(50), after, tc.filter, nil, nil))
			graphtest.Must[[]*model.OrderNote](t)(sales.OrderFields{Resolver: resolver(r.Core)}.Notes(ctx, c.Nodes[0],
				new(3)))
			graphtest.Must[[]*db.Payment](t)(sales.OrderFields{Resolver: resolver(r.Core)}.Payments(ctx, c.Nodes[0]))
			for i, st := range seen {
				plan := graphtest.ExplainQuery(t, s, st)
				if strings.Contains(plan, "SCAN orders") || strings.Contains(plan, "SCAN order_lines") ||
					strings.Contains(plan, "SCAN payments") || i == 0 && strings.Contains(plan, "TEMP B-TREE") {
					t.Errorf("%s, %s page: %s\n%s", name, depth, plan, st.Query)
				}
				// As many parts as ranges; the merge reads of each what it needs.
				seeks := strings.Count(plan, "INDEX "+tc.index+" (")
				if i == 0 && (seeks != int(tc.ranges) || strings.Count(plan, "MERGE") != int(tc.ranges)-1) {
					t.Errorf("%s, %s page: %s", name, depth, plan)
				}
			}
		}
	}
}
