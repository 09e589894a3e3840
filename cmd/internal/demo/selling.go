package demo

import (
	"context"
	"fmt"
)

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
	for _, z := range s.Terms.Zones {
		if known[z.Name] {
			continue
		}
		if _, err := s.ShippingZoneCreate(ctx, z); err != nil {
			return fmt.Errorf("make shipping zone %s: %w", z.Name, err)
		}
	}
	taxes, err := query.TaxSettings(ctx)
	if err == nil && taxes.Version == 0 {
		_, err = s.TaxSettingsUpdate(ctx, 0, s.Terms.Taxes)
	}
	if err != nil {
		return fmt.Errorf("set Taxes: %w", err)
	}
	payments, err := query.PaymentSettings(ctx)
	if err == nil && payments.Version == 0 {
		_, err = s.PaymentSettingsUpdate(ctx, 0, s.Terms.Payments)
	}
	if err != nil {
		return fmt.Errorf("set ways to pay: %w", err)
	}
	discounts, err := query.Discounts(ctx, nil, nil)
	if err == nil && len(discounts.Nodes) == 0 {
		_, err = s.DiscountCreate(ctx, s.Terms.Discount)
	}
	if err != nil {
		return fmt.Errorf("make a Discount: %w", err)
	}
	return nil
}
