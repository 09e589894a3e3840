package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listDiscounts(c *call) error {
	page, err := a.Core.Query().Discounts(c.ctx, c.query.limit, c.query.cursor)
	return list(c, page, err, wire.AppendDiscount)
}

func (a *API) createDiscount(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	in := model.DiscountInput{Active: true, CollectionIds: []string{}}
	faults := mergeDiscount(r, &in)
	for _, name := range []string{"code", "kind"} {
		faults = present(faults, name, r.Given(name))
	}
	if len(faults) > 0 {
		return fault.Invalid(faults...)
	}
	done, err := a.Core.Mutation().DiscountCreate(c.ctx, in)
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusCreated, Base+"/discounts/"+done.Discount.PublicID()
	c.out = wire.AppendDiscount(c.out, done.Discount)
	return nil
}

// updateDiscount is PATCH /discounts/{id}: a merge patch (RFC 7396).
func (a *API) updateDiscount(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	d, err := a.Core.Query().Discount(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	in := model.DiscountInput{Code: d.Code, Kind: d.Kind, BasisPoints: d.BasisPoints, AmountMinor: d.AmountMinor,
		StartsAt: d.StartsAt, EndsAt: d.EndsAt, LeastMinor: d.LeastMinor, UsesMax: d.UsesMax,
		CustomerUsesMax: d.CustomerUsesMax, Active: d.Active}
	if in.CollectionIds, err = d.Collections.List(); err != nil {
		return err
	}
	expected := r.Int("expected_version")
	if faults := mergeDiscount(r, &in); len(faults) > 0 {
		return fault.Invalid(faults...)
	}
	return atVersion(expected, d.Version, func(version int64) error {
		done, err := a.Core.Mutation().DiscountUpdate(c.ctx, d.PublicID(), version, in)
		if err != nil {
			return err
		}
		c.code = http.StatusOK
		c.out = wire.AppendDiscount(c.out, done.Discount)
		return nil
	})
}

// mergeDiscount reads the members that are given, and returns what is wrong with the body.
func mergeDiscount(r *wire.Reader, in *model.DiscountInput) []fault.Field {
	core.Opt(r.String("code"), func(s string) { in.Code = s })
	kind := r.String("kind")
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
	core.Opt(r.Bool("active"), func(b bool) { in.Active = b })
	return choice(r.Fields(), "kind", kind, &in.Kind, "The value is percent, amount or free_shipping.")
}

// deleteDiscount is DELETE /discounts/{id}, which takes no members.
func (a *API) deleteDiscount(c *call) error {
	if err := c.noMembers(); err != nil {
		return err
	}
	d, err := a.Core.Query().Discount(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	return atVersion(nil, d.Version, func(version int64) error {
		_, err := a.Core.Mutation().DiscountDelete(c.ctx, d.PublicID(), version)
		c.code = http.StatusNoContent
		return err
	})
}
