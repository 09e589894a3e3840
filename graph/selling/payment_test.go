package selling_test

import (
	"slices"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// The payment that is only a test is offered where the installation allows it, and nowhere
// else: not even by a store that offered it before.
func TestTestPayments(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		in := model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
			{Kind: state.PaymentOnDelivery, Name: "Cash", Active: true},
			{Kind: state.PaymentTest, Name: "Test", Active: true}}}
		graphtest.Must[*model.PaymentSettingsPayload](t)(p.Mutation().PaymentSettingsUpdate(p.Ctx, 0, in))
		for _, allowed := range []bool{true, false} {
			p.TestPayments = allowed
			settings := graphtest.Must[*model.PaymentSettings](t)(p.Query().PaymentSettings(p.Ctx))
			if slices.Contains(settings.Kinds, state.PaymentTest) != allowed {
				t.Errorf("allowed %t: kinds %v", allowed, settings.Kinds)
			}
		}
		if _, err := p.Mutation().PaymentSettingsUpdate(p.Ctx, 1, in); graphtest.FaultOf(err) != "validation_failed" {
			t.Errorf("where it is not allowed: %v", err)
		}
	})
}
