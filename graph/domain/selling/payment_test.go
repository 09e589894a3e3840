package selling_test

import (
	"slices"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Test payments are only available where the installation allows them, even in a store that enabled
// them before.
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

// A test store has test payments only, even where other stores may not have them, and no account
// with a provider.
func TestPaymentsOfATestStore(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		p.TestPayments = false
		made, _, err := p.NewStore(p.Ctx, model.StoreCreateInput{Name: "Trial", Currency: "EUR", Timezone: "UTC",
			Test: true}, access.Person{ID: p.Owner.ID})
		if err != nil || !made.Test {
			t.Fatalf("%+v: %v", made, err)
		}
		ctx, m := viewer.Operator(t.Context(), made.ID), p.Mutation()
		in := model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
			{Kind: state.PaymentTest, Name: "Test", Active: true}}}
		if ways, err := p.CartMethods(ctx); err != nil || len(ways) != 1 || ways[0].Kind != state.PaymentTest {
			t.Errorf("at first it offers %v (%v)", ways, err)
		}
		settings := graphtest.Must[*model.PaymentSettingsPayload](t)(m.PaymentSettingsUpdate(ctx, 0, in))
		if got := settings.PaymentSettings.Kinds; !slices.Equal(got, []state.PaymentMethod{state.PaymentTest}) {
			t.Errorf("it offers %v", got)
		}
		in.Methods[0].Kind = state.PaymentTransfer
		if _, err := m.PaymentSettingsUpdate(ctx, 1, in); graphtest.FaultOf(err) != "validation_failed" {
			t.Errorf("a transfer: %v", err)
		}
		_, err = m.PaymentAccountSet(ctx, model.PaymentAccountInput{Kind: state.PaymentStripe,
			SecretKey: new("sk_live_0123456789"), SigningSecret: new("whsec_0123456789")})
		if graphtest.FaultOf(err) != "validation_failed" {
			t.Errorf("an account: %v", err)
		}
	})
}
