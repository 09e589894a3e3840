package graph

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/graph/model"
)

// OrderUpdate changes the members that are given; the money, the goods and the
// lines of an order have mutations of their own. A change is allowed in every
// state, since an address is corrected and a tag set after the fact too.
func (m Mutation) OrderUpdate(ctx context.Context, id string, expectedVersion int64, in model.OrderUpdateInput) (*model.OrderPayload, error) {
	c := newCheck(ctx)
	opt(in.Email.Value(), func(s string) { c.email("email", s) })
	billing := checkAddress(c, "billing_address", in.BillingAddress.Value())
	shipping := checkAddress(c, "shipping_address", in.ShippingAddress.Value())
	c.tags("tags", in.Tags.Value())
	if err := c.err(); err != nil {
		return nil, err
	}
	return m.changeOrder(ctx, id, expectedVersion, "order.update", func(ctx context.Context, e *orderEdit) error {
		e.setEmail(in)
		if in.BillingAddress.IsSet() {
			e.setAddress("billing_address", &e.BillingAddress, billing, e.update.SetBillingAddress, e.update.ClearBillingAddress)
		}
		if in.ShippingAddress.IsSet() {
			e.setAddress("shipping_address", &e.ShippingAddress, shipping, e.update.SetShippingAddress, e.update.ClearShippingAddress)
		}
		if tags, ok := in.Tags.ValueOK(); ok {
			if next := document.NewTags(tags); string(next) != string(e.Tags) {
				e.Tags = next
				e.update.SetTags(next)
				e.changed = append(e.changed, "tags")
			}
		}
		if len(e.changed) > 0 {
			e.tell(event.OrderUpdated)
		}
		return nil
	})
}

func (e *orderEdit) setEmail(in model.OrderUpdateInput) {
	next, ok := in.Email.ValueOK()
	switch {
	case !ok || next == nil && e.Email == nil || next != nil && e.Email != nil && *next == *e.Email:
		return
	case next == nil:
		e.update.ClearEmail()
	default:
		e.update.SetEmail(*next)
	}
	e.Email = next
	e.changed = append(e.changed, "email")
}

// setAddress changes an address; null empties it.
func (e *orderEdit) setAddress(name string, dst *document.Address, fields *document.AddressFields, write func(document.Address) *db.OrderUpdate, clear func() *db.OrderUpdate) {
	next := document.NewAddress(fields)
	switch {
	case string(next) == string(*dst):
		return
	case next == nil:
		clear()
	default:
		write(next)
	}
	*dst = next
	e.changed = append(e.changed, name)
}
