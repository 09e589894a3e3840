package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/erase"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/model"
)

// redactPages is how many pages of orders the mutation redacts by itself: those of most
// people. The others follow.
const redactPages = 2

// CustomerRedact removes the person for good: their fields, the e-mail, addresses and checkout
// notes of their orders, their carts and the emails that wait for them. Their counters stay,
// since the store's books need them. What is kept beside, and the orders that are too many for
// one transaction, follow in the background; from the commit on nothing of the person is sent.
func (m Mutation) CustomerRedact(
	ctx context.Context, id string, expectedVersion int64,
) (*model.CustomerPayload, error) {
	idem.AboutNobody(ctx) // the answer shows who is gone
	return m.changeCustomer(ctx, id, expectedVersion, "customer.redact",
		func(ctx context.Context, e *customerEdit) error {
			row := e.Row
			err := core.Allowed("customer", row.Status, state.CustomerRedacted, state.CustomerGuest,
				state.CustomerActive, state.CustomerDisabled)
			if err != nil {
				return err
			}
			e.Changed = []string{"status"}
			e.Emit(event.CustomerRedacted)
			if row.Email != nil {
				if err := erase.Addresses(ctx, m.Client(ctx), *row.Email); err != nil {
					return err
				}
			}
			row.Email, row.Phone, row.FirstName, row.LastName, row.Locale, row.Note = nil, nil, nil, nil, nil, nil
			row.DefaultAddress, row.Addresses, row.Tags = nil, document.NewAddresses(nil), document.NewTags(nil)
			row.Status, row.EmailMarketing = state.CustomerRedacted, state.EmailNotSubscribed
			e.Update.ClearEmail().ClearPhone().ClearFirstName().ClearLastName().ClearLocale().ClearNote().
				ClearDefaultAddress().SetAddresses(row.Addresses).SetTags(row.Tags).
				SetStatus(row.Status).SetEmailMarketing(row.EmailMarketing)
			// Orders before their customer, as everywhere. One that comes between raises the
			// customer's version, and the redaction fails.
			clean, err := erase.All(ctx, m.Client(ctx), row.ID, redactPages)
			if err != nil {
				return err
			}
			e.Then = func(ctx context.Context) error {
				// Behind the customer's row: whoever writes words about them has locked it.
				if err := m.Index(ctx).Forget(ctx, search.Customers, row.ID); err != nil {
					return err
				}
				if err := erase.Forget(ctx, m.Index(ctx), row.ID, redactPages); err != nil {
					return err
				}
				return m.Erasures.Begin(ctx, row.ID, clean)
			}
			return nil
		})
}
