package sales_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// invoicing returns settings of invoices.
func invoicing(issue state.InvoiceIssue) model.InvoiceSettingsInput {
	return model.InvoiceSettingsInput{Issue: issue, Name: "Mugs Ltd", InvoicePrefix: "R-", CreditPrefix: "G-",
		Address: &model.AddressInput{Line1: "1 Road", City: "Berlin", Country: "de"}}
}

// setInvoices sets them for the first time.
func setInvoices(t *testing.T, ctx context.Context, r *graph.Resolver, issue state.InvoiceIssue) {
	t.Helper()
	graphtest.Must[*model.InvoiceSettingsPayload](t)(r.Mutation().InvoiceSettingsUpdate(ctx, 0, invoicing(issue)))
}

// issued returns the numbers and sums of a store's invoices, oldest first.
func issued(t *testing.T, ctx context.Context, r *graph.Resolver, f *model.InvoiceFilter) (list []string) {
	t.Helper()
	page := graphtest.Must[*model.InvoiceConnection](t)(r.Query().Invoices(ctx, new(100), nil, f))
	for _, i := range slices.Backward(page.Nodes) {
		list = append(list, i.FullNumber()+" "+strconv.FormatInt(i.TotalMinor, 10))
	}
	return list
}

// TestInvoices: staff issue the invoice of an order once. Its refunds, also earlier ones, and what was
// never paid of a canceled order have credit notes, which never exceed it.
func TestInvoices(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		ctx, r, m := p.Ctx, p.Resolver, p.Mutation()
		o := graphtest.NewOrder(t, ctx, r, graphtest.CustomLine("a", 2, 500), graphtest.CustomLine("b", 1, 300))
		if _, err := m.InvoicesIssue(ctx, []string{o.PublicID()}); graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("without settings: %v", err)
		}
		setInvoices(t, ctx, r, state.InvoiceManual)
		step := func(s graphtest.Step) { o = graphtest.Must[*model.OrderPayload](t)(s(ctx, m, o)).Order }
		step(graphtest.Pay(800))
		step(graphtest.Refund(100, 0, false))
		for range 2 {
			graphtest.Must[*model.InvoicesIssuePayload](t)(m.InvoicesIssue(ctx, []string{o.PublicID()}))
		}
		want := []string{"R-1 1300", "G-1 100"}
		if got := issued(t, ctx, r, nil); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		step(graphtest.Refund(500, 1, false))
		step(graphtest.Steps["cancel"])
		step(graphtest.Refund(200, 0, false))
		want = append(want, "G-2 500", "G-3 500", "G-4 200")
		if got := issued(t, ctx, r, &model.InvoiceFilter{OrderID: new(o.PublicID())}); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := issued(t, ctx, r, &model.InvoiceFilter{Number: new("G-3")}); !slices.Equal(got, want[3:4]) {
			t.Errorf("by number: %v", got)
		}
		if got := issued(t, ctx, r, &model.InvoiceFilter{CreatedFrom: new(micros.Now())}); got != nil {
			t.Errorf("of the future: %v", got)
		}
		other := p.Other(t)
		setInvoices(t, other.Ctx, r, state.InvoiceManual)
		if got := issued(t, other.Ctx, r, nil); got != nil {
			t.Errorf("another store has %v", got)
		}
		_, err := other.Mutation().InvoicesIssue(other.Ctx, []string{o.PublicID()})
		if graphtest.FaultOf(err) != "validation_failed" {
			t.Errorf("the order of another store: %v", err)
		}
	})
}

// TestInvoicesIssuedBySettings: orders get their invoices when the settings say so. Imported orders have
// theirs elsewhere.
func TestInvoicesIssuedBySettings(t *testing.T) {
	for issue, want := range map[state.InvoiceIssue][2]int{
		state.InvoiceManual: {0, 0}, state.InvoicePlaced: {1, 1}, state.InvoicePaid: {0, 1},
	} {
		t.Run(string(issue), func(t *testing.T) {
			p := graphtest.NewShop(t, graphtest.NewCore(t, storetest.Open(t)))
			setInvoices(t, p.Ctx, p.Resolver, issue)
			o := graphtest.NewOrder(t, p.Ctx, p.Resolver, graphtest.CustomLine("a", 1, 500))
			placed := len(issued(t, p.Ctx, p.Resolver, nil))
			graphtest.Must[*model.OrderPayload](t)(graphtest.Pay(500)(p.Ctx, p.Mutation(), o))
			if paid := len(issued(t, p.Ctx, p.Resolver, nil)); placed != want[0] || paid != want[1] {
				t.Errorf("%d invoices when placed and %d when paid, want %v", placed, paid, want)
			}
			imported := model.OrderCreateInput{Source: "import", PlacedAt: new(micros.Now().Add(-1)),
				Lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, 0)}}
			graphtest.Must[*model.OrderPayload](t)(p.Mutation().OrderCreate(p.Ctx, imported))
			if all := len(issued(t, p.Ctx, p.Resolver, nil)); all != want[1] {
				t.Errorf("%d invoices after an import", all)
			}
		})
	}
}

// TestInvoiceNumbers: twenty orders at once, a part of which fails after it took a number, leave no gap.
func TestInvoiceNumbers(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		in := invoicing(state.InvoicePlaced)
		in.InvoiceNext = new(int64(7))
		graphtest.Must[*model.InvoiceSettingsPayload](t)(r.Mutation().InvoiceSettingsUpdate(ctx, 0, in))
		failed := errors.New("rolled back")
		atOnce(20, func(i int) {
			err := r.Store.InTx(ctx, func(ctx context.Context) error {
				_, err := r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Source: "test",
					Lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, 500)}})
				if err == nil && i%4 == 0 {
					err = failed
				}
				return err
			})
			if err != nil && !errors.Is(err, failed) {
				t.Error(err)
			}
		})
		var numbers []int64
		page := graphtest.Must[*model.InvoiceConnection](t)(r.Query().Invoices(ctx, new(100), nil, nil))
		for _, i := range page.Nodes {
			numbers = append(numbers, i.Number)
		}
		slices.Sort(numbers)
		want := make([]int64, 15)
		for i := range want {
			want[i] = 7 + int64(i)
		}
		if diff := cmp.Diff(want, numbers); diff != "" {
			t.Error(diff)
		}
	})
}

// TestInvoiceKept: nothing changes or deletes an invoice, neither later changes of the order and the
// settings nor the redaction of the customer.
func TestInvoiceKept(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		setInvoices(t, ctx, r, state.InvoicePlaced)
		c := buyer(t, ctx, r, "jo@example.com", state.CustomerActive)
		o := graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderCreate(ctx, model.OrderCreateInput{Source: "test",
			CustomerID: new(c.PublicID()), Lines: []*model.OrderLineInput{graphtest.CustomLine("a", 1, 500)},
			BillingAddress: &model.AddressInput{Name: new("Jo"), Line1: "2 Road", City: "Bonn", Country: "DE"}})).Order
		before := stored(t, ctx, r)
		graphtest.Must[*model.OrderPayload](t)(r.Mutation().OrderUpdate(ctx, o.PublicID(), o.Version,
			model.OrderUpdateInput{Email: model.Some("new@example.com")}))
		in := invoicing(state.InvoicePlaced)
		in.Name = "Cups Ltd"
		graphtest.Must[*model.InvoiceSettingsPayload](t)(r.Mutation().InvoiceSettingsUpdate(ctx, 1, in))
		now := graphtest.ReadCustomer(t, ctx, r, c.ID)
		graphtest.Must[*model.CustomerPayload](t)(r.Mutation().CustomerRedact(ctx, c.PublicID(), now.Version))
		if diff := cmp.Diff(before, stored(t, ctx, r)); diff != "" || len(before) != 1 {
			t.Error(len(before), diff)
		}
		if _, err := r.Store.DB(ctx).Invoice.Delete().Exec(ctx); !errors.Is(err, rule.ErrDenied) {
			t.Errorf("deleted: %v", err)
		}
	})
}

// stored returns the contents of all invoices.
func stored(t *testing.T, ctx context.Context, r *graph.Resolver) (list []string) {
	t.Helper()
	for _, row := range graphtest.Must[[]*db.Invoice](t)(r.Store.DB(ctx).Invoice.Query().Load(ctx)) {
		list = append(list, string(row.Content))
	}
	return list
}

func TestInvoiceSettings(t *testing.T) {
	p := graphtest.NewShop(t, graphtest.NewCore(t, storetest.Open(t)))
	m := p.Mutation()
	if s, err := p.Query().InvoiceSettings(p.Ctx); err != nil || s.Version != 0 || s.InvoicePrefix() != "INV-" ||
		s.Address() != nil {
		t.Errorf("before: %+v, %v", s, err)
	}
	setInvoices(t, p.Ctx, p.Resolver, state.InvoicePlaced)
	graphtest.NewOrder(t, p.Ctx, p.Resolver, graphtest.CustomLine("a", 1, 500))
	for name, tc := range map[string]struct {
		change func(*model.InvoiceSettingsInput)
		code   string
	}{
		"ends with a digit": {func(in *model.InvoiceSettingsInput) { in.InvoicePrefix = "2026" }, "invalid_format"},
		"hostile":           {func(in *model.InvoiceSettingsInput) { in.CreditPrefix = "<b>" }, "invalid_format"},
		"one series":        {func(in *model.InvoiceSettingsInput) { in.CreditPrefix = "R-" }, "taken"},
		"no name":           {func(in *model.InvoiceSettingsInput) { in.Name = "" }, "too_short"},
		"no country":        {func(in *model.InvoiceSettingsInput) { in.Address.Country = "" }, "invalid_format"},
		"another number":    {func(in *model.InvoiceSettingsInput) { in.InvoiceNext = new(int64(1)) }, "out_of_range"},
		"below 1":           {func(in *model.InvoiceSettingsInput) { in.CreditNext = new(int64(0)) }, "out_of_range"},
	} {
		in := invoicing(state.InvoiceManual)
		tc.change(&in)
		if _, err := m.InvoiceSettingsUpdate(p.Ctx, 1, in); !strings.HasSuffix(graphtest.FieldOf(err), " "+tc.code) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	in := invoicing(state.InvoiceManual)
	in.InvoicePrefix, in.CreditNext = "2027-", new(int64(50))
	s := graphtest.Must[*model.InvoiceSettingsPayload](t)(m.InvoiceSettingsUpdate(p.Ctx, 1, in)).InvoiceSettings
	if s.InvoiceNext != 1 || s.CreditNext != 50 || s.Version != 2 {
		t.Errorf("got %+v", s)
	}
	in.InvoicePrefix = "R-"
	s = graphtest.Must[*model.InvoiceSettingsPayload](t)(m.InvoiceSettingsUpdate(p.Ctx, 2, in)).InvoiceSettings
	if s.InvoiceNext != 2 {
		t.Errorf("the former series goes on with %d", s.InvoiceNext)
	}
}
