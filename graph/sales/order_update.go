package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/outbox"
)

// OrderUpdate changes the members that are given; the money, the goods and the
// lines of an order have mutations of their own. A change is allowed in every
// state, since an address is corrected and a tag set after the fact too.
func (m Mutation) OrderUpdate(
	ctx context.Context, id string, expectedVersion int64, in model.OrderUpdateInput,
) (*model.OrderPayload, error) {
	c := &core.Check{}
	core.Opt(in.Email.Value(), func(s string) { in.Email = model.Some(c.Email("email", s)) })
	billing := checkAddress(c, "billing_address", in.BillingAddress.Value())
	shipping := checkAddress(c, "shipping_address", in.ShippingAddress.Value())
	c.Tags("tags", in.Tags.Value())
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeOrder(ctx, id, expectedVersion, "order.update", func(ctx context.Context, e *orderEdit) error {
		u := e.Update
		core.MemberOpt(&e.Changed, in.Email, "email", &e.Email, u.SetEmail, u.ClearEmail)
		core.MemberDoc(&e.Changed, document.NewAddress(billing), in.BillingAddress.IsSet(), "billing_address",
			&e.BillingAddress, u.SetBillingAddress, u.ClearBillingAddress)
		core.MemberDoc(&e.Changed, document.NewAddress(shipping), in.ShippingAddress.IsSet(), "shipping_address",
			&e.ShippingAddress, u.SetShippingAddress, u.ClearShippingAddress)
		core.MemberDoc(&e.Changed, document.NewTags(in.Tags.Value()), in.Tags.IsSet(), "tags", &e.Tags, u.SetTags, nil)
		if len(e.Changed) > 0 {
			e.Events = []outbox.Entry{{Type: event.OrderUpdated, Changed: e.Changed}}
		}
		return nil
	})
}
