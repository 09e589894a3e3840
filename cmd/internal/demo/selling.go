package demo

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
)

// terms are the selling settings of a demo store.
type terms struct {
	zones    []model.ShippingZoneInput
	taxes    model.TaxSettingsInput
	discount model.DiscountInput
	payments model.PaymentSettingsInput
}

// payable returns a bank transfer, cash on delivery and a test payment.
func payable(transfer, account, cash, test string) model.PaymentSettingsInput {
	return model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
		{Kind: state.PaymentTransfer, Name: transfer, Instructions: account, Active: true},
		{Kind: state.PaymentOnDelivery, Name: cash, Active: true},
		{Kind: state.PaymentTest, Name: test, Active: true},
	}}
}

// mailed returns a shipping rate; free from a total on, 0 for never.
func mailed(name string, price, free int64) *model.ShippingRateInput {
	rate := &model.ShippingRateInput{Name: name, Kind: state.ShippingDelivery, PriceMinor: price}
	if free > 0 {
		rate.FreeFromMinor = &free
	}
	return rate
}

// collected returns a rate for pickup at the shop.
func collected(name string) *model.ShippingRateInput {
	return &model.ShippingRateInput{Name: name, Kind: state.ShippingPickup}
}

// taxed returns the tax of a country, in hundredths of a percent.
func taxed(country, name string, points int64) *model.TaxRateInput {
	return &model.TaxRateInput{Country: country, Name: name, BasisPoints: points, Shipping: true}
}

// bikeTerms are those of a shop in Germany, whose prices include the tax of the destination.
func bikeTerms() terms {
	heavy := mailed("Freight", 2900, 0)
	heavy.LeastGrams = new(int64(20_000))
	return terms{
		zones: []model.ShippingZoneInput{
			{Name: "Germany", Countries: []string{"DE"},
				Rates: []*model.ShippingRateInput{mailed("Postrad", 490, 10_000), heavy,
					collected("Collect in Berlin")}},
			{Name: "European Union",
				Countries: []string{"AT", "BE", "BG", "ES", "FI", "FR", "GR", "IT", "NL", "PL", "SE"},
				Rates:     []*model.ShippingRateInput{mailed("Postrad Europe", 990, 20_000)}},
			{Name: "Rest of the world", RestOfWorld: true,
				Rates: []*model.ShippingRateInput{mailed("Postrad World", 2900, 0)}},
		},
		taxes: model.TaxSettingsInput{PricesIncludeTax: true, Rates: []*model.TaxRateInput{
			taxed("DE", "MwSt.", 1900), taxed("AT", "USt.", 2000), taxed("BE", "TVA", 2100), taxed("BG", "ДДС", 2000),
			taxed("ES", "IVA", 2100), taxed("FI", "ALV", 2550), taxed("FR", "TVA", 2000), taxed("GR", "ΦΠΑ", 2400),
			taxed("IT", "IVA", 2200), taxed("NL", "btw", 2100), taxed("PL", "VAT", 2300), taxed("SE", "moms", 2500),
		}},
		discount: model.DiscountInput{Code: "WELCOME10", Kind: state.DiscountPercent, BasisPoints: new(int64(1000)),
			CustomerUsesMax: new(int64(1)), Active: true},
		payments: payable("Bank transfer", "Kestrel Bikes\nIBAN DE02 1203 0000 0000 2020 51", "Cash on delivery",
			"Test payment"),
	}
}

// paperTerms are those of a shop in Japan, whose tax is added to the price.
func paperTerms() terms {
	return terms{
		zones: []model.ShippingZoneInput{
			{Name: "日本", Countries: []string{"JP"},
				Rates: []*model.ShippingRateInput{mailed("ツバメ便", 370, 5000), collected("店頭受け取り")}},
			{Name: "East Asia", Countries: []string{"CN", "HK", "KR", "TW"},
				Rates: []*model.ShippingRateInput{mailed("ツバメ便 Asia", 1800, 20_000)}},
			{Name: "Rest of the world", RestOfWorld: true,
				Rates: []*model.ShippingRateInput{mailed("ツバメ便 World", 2800, 0)}},
		},
		taxes: model.TaxSettingsInput{Rates: []*model.TaxRateInput{taxed("JP", "消費税", 1000)}},
		discount: model.DiscountInput{Code: "HAJIMETE", Kind: state.DiscountAmount, AmountMinor: new(int64(300)),
			LeastMinor: new(int64(3000)), CustomerUsesMax: new(int64(1)), Active: true},
		payments: payable("銀行振込", "星野文具店　普通 1234567", "代金引換", "テスト決済"),
	}
}

// sells sets the terms of the store, or what an interrupted start left to set.
func (s *seeder) sells(ctx context.Context) error {
	query := s.Core.Query()
	zones, err := query.ShippingZones(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, z := range zones {
		known[z.Name] = true
	}
	for _, z := range s.terms.zones {
		if known[z.Name] {
			continue
		}
		if _, err := s.ShippingZoneCreate(ctx, z); err != nil {
			return fmt.Errorf("make shipping zone %s: %w", z.Name, err)
		}
	}
	taxes, err := query.TaxSettings(ctx)
	if err == nil && taxes.Version == 0 {
		_, err = s.TaxSettingsUpdate(ctx, 0, s.terms.taxes)
	}
	if err != nil {
		return fmt.Errorf("set taxes: %w", err)
	}
	payments, err := query.PaymentSettings(ctx)
	if err == nil && payments.Version == 0 {
		_, err = s.PaymentSettingsUpdate(ctx, 0, s.terms.payments)
	}
	if err != nil {
		return fmt.Errorf("set ways to pay: %w", err)
	}
	discounts, err := query.Discounts(ctx, nil, nil)
	if err == nil && len(discounts.Nodes) == 0 {
		_, err = s.DiscountCreate(ctx, s.terms.discount)
	}
	if err != nil {
		return fmt.Errorf("make a discount: %w", err)
	}
	return nil
}
