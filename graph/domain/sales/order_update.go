package sales

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/model"
)

// OrderUpdate changes the given members. Money, fulfillment and lines have mutations of their own.
// Every state allows it: addresses get corrected and tags set after the fact too.
func (m Mutation) OrderUpdate(
	ctx context.Context, id string, expectedVersion int64, in model.OrderUpdateInput,
) (*model.OrderPayload, error) {
	c := &core.Check{}
	core.Opt(in.Email.Value(), func(s string) { in.Email = model.Some(c.Email("email", s)) })
	core.Opt(in.ExternalNumber.Value(), func(s string) { c.Line("external_number", s, limit.Label) })
	billing := core.CheckAddress(c, "billing_address", in.BillingAddress.Value())
	shipping := core.CheckAddress(c, "shipping_address", in.ShippingAddress.Value())
	c.Tags("tags", in.Tags.Value())
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeOrder(ctx, id, expectedVersion, "order.update", func(ctx context.Context, e *orderEdit) error {
		u := e.Update
		if in.Email.Value() != nil || billing != nil || shipping != nil || in.CustomFields.Value() != nil {
			if err := m.rejectRedacted(ctx, e.CustomerID); err != nil {
				return err
			}
		}
		core.MemberOpt(&e.Changed, in.Email, "email", &e.Email, u.SetEmail, u.ClearEmail)
		core.MemberOpt(&e.Changed, in.ExternalNumber, "external_number", &e.ExternalNumber,
			func(s string) *db.OrderUpdate { return external(u, s) },
			func() *db.OrderUpdate { return external(u, nil) })
		core.MemberDoc(&e.Changed, document.NewAddress(billing), in.BillingAddress.IsSet(), "billing_address",
			&e.BillingAddress, u.SetBillingAddress, u.ClearBillingAddress)
		core.MemberDoc(&e.Changed, document.NewAddress(shipping), in.ShippingAddress.IsSet(), "shipping_address",
			&e.ShippingAddress, u.SetShippingAddress, u.ClearShippingAddress)
		core.MemberDoc(&e.Changed, document.NewTags(in.Tags.Value()), in.Tags.IsSet(), "tags", &e.Tags, u.SetTags, nil)
		err := core.ChangeCustomFields(ctx, m.FieldMerge(state.FieldsOfOrders), &e.Changed, in.CustomFields,
			&e.CustomFields, u.SetCustomFields, u.ClearCustomFields)
		if err != nil {
			return err
		}
		if len(e.Changed) > 0 {
			e.Then = m.reindex(e)
		}
		if len(e.Changed) > 0 {
			e.Events = []outbox.Entry{{Type: event.OrderUpdated, Changed: e.Changed}}
		}
		return nil
	})
}

// external sets the number in another system. ent has no setter for it, since the column was
// immutable in the first schema.
func external(u *db.OrderUpdate, number any) *db.OrderUpdate {
	return u.Modify(func(b *sql.UpdateBuilder) { b.Set(order.FieldExternalNumber, number) })
}

// reindex marks the order for search indexing, after the rest of the change.
func (m Mutation) reindex(e *orderEdit) func(context.Context) error {
	rest := e.Then
	return func(ctx context.Context) error {
		if err := rest(ctx); err != nil {
			return err
		}
		return search.For(ctx, m.Store).Mark(ctx, search.Orders, e.Order.ID)
	}
}

// rejectRedacted returns an error if the order's customer was redacted, so that no personal data is
// written back. It waits for a redaction in progress.
func (m Mutation) rejectRedacted(ctx context.Context, id *xid.ID) error {
	if id == nil {
		return nil
	}
	query := m.Client(ctx).Customer.Query().Where(customer.ID(*id))
	query.Modify(ent.ForUpdate)
	rows, err := query.Load(ctx)
	if err != nil {
		return fmt.Errorf("read the order's customer: %w", err)
	}
	if len(rows) > 0 && rows[0].Status == state.CustomerRedacted {
		return fault.State(fault.InvalidTransition,
			"The order's customer is redacted. The email, the addresses and custom fields can no longer be set.")
	}
	return nil
}
