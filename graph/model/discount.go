package model

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// DiscountOf returns the input that leaves a discount as it is.
func DiscountOf(d *db.Discount) (in DiscountInput, err error) {
	in = DiscountInput{Code: d.Code, Kind: d.Kind, BasisPoints: d.BasisPoints, AmountMinor: d.AmountMinor,
		StartsAt: d.StartsAt, EndsAt: d.EndsAt, LeastMinor: d.LeastMinor, UsesMax: d.UsesMax,
		CustomerUsesMax: d.CustomerUsesMax, Active: d.Active}
	in.CollectionIds, err = d.Collections.List()
	return in, err
}

// Merge reads the members that are given, and returns what is wrong with the object.
func (in *DiscountInput) Merge(r *wire.Reader) []fault.Field {
	code, kind, active := r.String("code"), r.String("kind"), r.Bool("active")
	if code != nil {
		in.Code = *code
	}
	if active != nil {
		in.Active = *active
	}
	for name, n := range map[string]**int64{"basis_points": &in.BasisPoints, "amount_minor": &in.AmountMinor,
		"least_minor": &in.LeastMinor, "uses_max": &in.UsesMax, "customer_uses_max": &in.CustomerUsesMax} {
		if v := r.Int(name); r.Given(name) {
			*n = v
		}
	}
	if v := r.Time("starts_at"); r.Given("starts_at") {
		in.StartsAt = v
	}
	if v := r.Time("ends_at"); r.Given("ends_at") {
		in.EndsAt = v
	}
	if v := r.Strings("collection_ids"); r.Given("collection_ids") {
		in.CollectionIds = v
	}
	faults := r.Fields()
	if kind == nil {
		return faults
	}
	if in.Kind = state.DiscountKind(*kind); in.Kind.Known() {
		return faults
	}
	return append(faults, fault.Field{Pointer: wire.Pointer("kind"), Code: fault.UnknownValue,
		Detail: "The value is percent, amount or free_shipping."})
}
