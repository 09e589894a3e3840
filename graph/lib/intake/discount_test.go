package intake_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
)

func TestDiscounts(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"own", "code,kind,basis_points,amount_minor,uses_max,active,ends_at\nten,percent,1000,,,true,\n",
			`{"active":true,"amount_minor":null,"basis_points":1000,"code":"ten","ends_at":null,"kind":"percent",` +
				`"uses_max":null}`},
		{"decimal", "code,kind,percent,amount,least\nTEN,amount,,10.00,5\n",
			`{"amount_minor":1000,"code":"TEN","kind":"amount","least_minor":500}`},
		{"shopify", "Name,Value,Value Type,Status,Start,End\nTEN,-12.5,percentage,Active,2024-01-02 03:04:05 +0100,\n",
			`{"active":true,"amount_minor":null,"basis_points":1250,"code":"TEN","ends_at":null,"kind":"percent",` +
				`"starts_at":"2024-01-02T02:04:05Z"}`},
		{"woocommerce", "post_title,discount_type,coupon_amount,usage_limit,minimum_amount\nten,fixed_cart,5,3,20.00\n",
			`{"amount_minor":500,"basis_points":null,"code":"ten","kind":"amount","least_minor":2000,"uses_max":3}`},
		{"type", "post_title,discount_type,coupon_amount\nten,fixed_product,5\n", "has no counterpart"},
		{"too much", "code,kind,percent\nten,percent,101\n", "is not a percentage"},
		{"no number", "code,kind,percent\nten,percent,NaN\n", "is not a percentage"},
		{"amount", "Name,Value,Value Type\nTEN,1e9,fixed_amount\n", "is not an amount"},
		{"status", "code,kind,active\nTEN,percent,perhaps\n", "not active or inactive"},
		{"lists", "code,collection_ids\nTEN,[1\n", "not a list"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all, err := readKind(t, state.ImportDiscounts, tc.file, 0)
			if err != nil || len(all) != 1 {
				t.Fatalf("%d records, %v", len(all), err)
			}
			if got := string(all[0].JSON) + all[0].Problem; !strings.Contains(got, tc.want) {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
