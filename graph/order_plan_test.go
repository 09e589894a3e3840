package graph

import (
	"context"
	"database/sql"
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
	"github.com/storefront-go/storefront/graph/model"
)

// The store of the plan tests: most rows in one microsecond, most of one status,
// so that a planner that trusts its guesses reads them all.
const (
	planRows = 4000
	planTie  = micros.Time(1_650_000_000_000_000)
)

// planCases are the list with each filter that has an index.
func planCases(customer string) map[string]*model.OrderFilter {
	open, paid, unfulfilled := state.OrderOpen, state.FinancialPaid, state.FulfillmentUnfulfilled
	return map[string]*model.OrderFilter{
		"none":                            nil,
		"order_store_id_status_id":        {Status: &open},
		"order_store_id_financial_status": {FinancialStatus: &paid},
		"order_store_id_fulfillment":      {FulfillmentStatus: &unfulfilled},
		"order_store_id_customer_id_id":   {CustomerID: &customer},
		"order_store_id_updated_at_id":    {UpdatedFrom: new(planTie - 500)},
		"created":                         {CreatedFrom: new(planTie - 1000), CreatedTo: new(planTie + 1000)},
	}
}

// plantPlan fills two stores, so that a plan must keep to one, and returns the
// customer of all orders and the cursors of the first, the middle and the last
// page of each case; the middle lies within the tie.
func plantPlan(t *testing.T, ctx context.Context, r *Resolver) (customer xid.ID) {
	customer = xid.New()
	other, _ := storetest.Merchant(t, r.Store)
	for _, ctx := range []context.Context{as(other, viewer.Owner), ctx} {
		plant(t, ctx, r, planRows, func(i int, o *db.OrderCreate) xid.ID {
			at := planTie
			if i%20 == 0 {
				at += micros.Time(i/20 - planRows/40)
			}
			o.SetCustomerID(customer).SetUpdatedAt(at)
			return xid.At(at)
		})
	}
	return customer
}

// depths are the cursors of the first page, of one in the tie and of the last.
func depths(ctx context.Context, t *testing.T, r *Resolver, filter *model.OrderFilter) map[string]*string {
	t.Helper()
	all := []string{""}
	var after *string
	for {
		c := must[*model.OrderConnection](t)(r.Query().Orders(withoutLines(ctx), new(100), after, filter))
		if c.Next == "" {
			break
		}
		all = append(all, c.Next)
		after = &c.Next
	}
	if len(all) < planRows/100-6 {
		t.Fatalf("only %d pages", len(all))
	}
	return map[string]*string{"first": nil, "middle": &all[len(all)/2], "last": &all[len(all)-1]}
}

// TestOrderPlansMySQL counts what the engine reads for a page of 50: at every
// depth the rows of the page, the one that tells of the next, and a seek.
func TestOrderPlansMySQL(t *testing.T) {
	eachCore(t, func(t *testing.T, ctx context.Context, r *Resolver) {
		if r.Store.Dialect() != dialect.MySQL {
			return
		}
		customer := plantPlan(t, ctx, r)
		for name, filter := range planCases(xid.Customer.Format(customer)) {
			for depth, after := range depths(ctx, t, r, filter) {
				var n int
				read := reads(t, ctx, r, func(ctx context.Context) {
					n = len(must[*model.OrderConnection](t)(r.Query().Orders(withoutLines(ctx), new(50), after, filter)).Nodes)
				})
				if read > 50+2 {
					t.Errorf("%s, %s page: read %d rows for %d", name, depth, read, n)
				}
			}
		}
	})
}

// reads returns how many rows f made the engine read, in one transaction so that
// it is one session.
func reads(t *testing.T, ctx context.Context, r *Resolver, f func(context.Context)) (n int64) {
	t.Helper()
	status := func(ctx context.Context) (sum int64) {
		rows, err := r.client(ctx).QueryContext(ctx, "SHOW SESSION STATUS LIKE 'Handler_read%'")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			var v int64
			if err := rows.Scan(&name, &v); err != nil {
				t.Fatal(err)
			}
			sum += v
		}
		return sum
	}
	err := r.Store.InTx(ctx, func(ctx context.Context) error {
		status(ctx)
		one := status(ctx)
		own := status(ctx) - one // what asking costs itself
		before := status(ctx)
		f(ctx)
		n = status(ctx) - before - own
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOrderPlansSQLite asks the planner: every statement of every page seeks in
// the index it is meant to use and sorts nothing.
func TestOrderPlansSQLite(t *testing.T) {
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
	r, ctx := newCore(t, s), as(ctx, viewer.Owner)
	customer := plantPlan(t, ctx, r)
	for name, filter := range planCases(xid.Customer.Format(customer)) {
		for depth, after := range depths(ctx, t, r, filter) {
			seen = nil
			c := must[*model.OrderConnection](t)(r.Query().Orders(ctx, new(50), after, filter))
			must[[]*model.OrderNote](t)(orderFields{r}.Notes(ctx, c.Nodes[0], new(3)))
			must[[]*db.Payment](t)(orderFields{r}.Payments(ctx, c.Nodes[0]))
			for i, st := range seen {
				plan := explainQuery(t, s, st)
				if strings.Contains(plan, "SCAN orders") || strings.Contains(plan, "SCAN order_lines") || strings.Contains(plan, "SCAN payments") ||
					i == 0 && strings.Contains(plan, "TEMP B-TREE") {
					t.Errorf("%s, %s page: %s\n%s", name, depth, plan, st.Query)
				}
				want := "sqlite_autoindex_orders_1" // the primary key
				if strings.HasPrefix(name, "order_") {
					want = "USING INDEX " + name
				}
				if i == 0 && !strings.Contains(plan, want) {
					t.Errorf("%s, %s page: %s", name, depth, plan)
				}
			}
		}
	}
}

// explainQuery returns the plan of a statement, whose values SQLite's planner
// does not look at.
func explainQuery(t *testing.T, s *ent.Store, st ent.Statement) string {
	t.Helper()
	args := make([]any, st.Args)
	for i := range args {
		args[i] = []byte{0}
	}
	rows, err := s.Raw().QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+st.Query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused sql.NullInt64
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	return strings.Join(plan, "; ")
}
