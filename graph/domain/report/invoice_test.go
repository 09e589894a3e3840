package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// compareInvoices checks that the taxes of a year are those of its invoices without those of its credit
// notes. Orders that were placed elsewhere get their invoices now.
func compareInvoices(t *testing.T, p *graphtest.Shop) {
	t.Helper()
	for _, o := range p.Client(p.Ctx).Order.Query().AllX(p.Ctx) {
		if o.Status != state.OrderCancelled {
			graphtest.Must[*model.InvoicesIssuePayload](t)(p.Mutation().InvoicesIssue(p.Ctx, []string{o.PublicID()}))
		}
	}
	want, got, credits := map[string][2]int64{}, map[string][2]int64{}, 0
	for _, i := range p.Client(p.Ctx).Invoice.Query().AllX(p.Ctx) {
		f := graphtest.Must[*document.InvoiceFields](t)(i.Content.Fields())
		sign := int64(1)
		if i.Kind == state.InvoiceCredit {
			sign, credits = -1, credits+1
		}
		for _, g := range f.Groups {
			if len(g.Taxes) == 0 {
				g.Taxes = []document.InvoiceTax{{BaseMinor: g.NetMinor}}
			}
			for _, x := range g.Taxes {
				old := want[x.Name+x.Rate]
				want[x.Name+x.Rate] = [2]int64{old[0] + sign*x.BaseMinor, old[1] + sign*x.AmountMinor}
			}
		}
	}
	for _, r := range newReport(t, p, 365, 0).Taxes {
		old := got[r.Name+r.Rate]
		got[r.Name+r.Rate] = [2]int64{old[0] + r.BaseMinor - r.RefundedBaseMinor,
			old[1] + r.TaxMinor - r.RefundedTaxMinor}
	}
	if d := cmp.Diff(want, got); d != "" || credits < 20 {
		t.Errorf("taxes (-%d credit notes +report):\n%s", credits, d)
	}
}
