package location_test

import (
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// A refund restocks the items of a return where they were received, unless it names another location. Without
// either they go back to where they were taken from.
func TestReceiveAt(t *testing.T) {
	each(t, func(t *testing.T, p *shop) {
		m := p.Mutation()
		a, b := p.add(t, "A", true), p.add(t, "Back room", false)
		mug, _ := p.stocked(t)
		o := p.order(t, mug, 3)
		o = graphtest.Must[*model.OrderPayload](t)(graphtest.Pay(o.TotalMinor)(p.Ctx, m, o)).Order
		foreign := p.Other(t)
		theirs := graphtest.Must[*model.LocationPayload](t)(foreign.Mutation().LocationCreate(foreign.Ctx,
			model.LocationCreateInput{Name: "Theirs"})).Location.PublicID()
		back := func(received, named *string, want string) {
			t.Helper()
			r := graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnCreate(p.Ctx, o.PublicID(), model.ReturnInput{
				Lines: []*model.ReturnLineInput{{LineItemID: o.Lines[0].PublicID(), Quantity: 1,
					Reason: state.ReasonMind}}})).Return
			if r.State == state.ReturnRequested {
				r = graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnApprove(p.Ctx, r.PublicID(), r.Version,
					model.ReturnApproveInput{})).Return
			}
			for _, wrong := range []string{"loc_1", theirs} {
				err := graphtest.ErrOf(m.OrderReturnReceive(p.Ctx, r.PublicID(), r.Version, &wrong))
				if got := graphtest.FieldOf(err); got != "#/location unknown_value" {
					t.Errorf("received at %s: %v", wrong, err)
				}
			}
			r = graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnReceive(p.Ctx, r.PublicID(), r.Version,
				received)).Return
			graphtest.Must[*model.ReturnPayload](t)(m.OrderReturnRefund(p.Ctx, r.PublicID(), r.Version,
				model.ReturnRefundInput{Restock: true, Location: named}))
			if got := p.stock(t, mug, p.home, a, b); got != want {
				t.Errorf("stock %s, want %s", got, want)
			}
		}
		back(&a, nil, "5 [4 1 0]")
		back(&a, &b, "5 [4 1 1]")
		back(nil, nil, "6 [5 1 1]")
	})
}
