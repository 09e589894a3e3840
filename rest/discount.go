package rest

import (
	"net/http"

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
	faults := in.Merge(r)
	for _, name := range []string{"code", "kind"} {
		faults = present(faults, name, r.Given(name))
	}
	c.keep(faults)
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
	d, missing := a.Core.Query().Discount(c.ctx, c.pathID())
	var in model.DiscountInput
	if missing == nil {
		if in, err = model.DiscountOf(d); err != nil {
			return err
		}
	}
	expected := r.Int("expected_version")
	if c.keep(in.Merge(r)); missing != nil {
		return missing
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
