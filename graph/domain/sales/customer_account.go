package sales

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/erase"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/model"
)

// SignedIn returns the customer of an email address that a shopper has just proved, in the
// transaction of ctx. It creates the customer if the store has none, and a guest becomes active.
func (m Mutation) SignedIn(ctx context.Context, email string) (*db.Customer, error) {
	row, err := m.known(ctx, email)
	switch {
	case err != nil:
		return nil, err
	case row == nil:
		s, err := m.CurrentStore(ctx)
		if err != nil {
			return nil, err
		}
		made, err := m.CustomerCreate(ctx, model.CustomerCreateInput{Email: &email, Status: state.CustomerActive,
			EmailMarketing: state.EmailNotSubscribed, Locale: new(string(s.Language))})
		if err != nil {
			return nil, err
		}
		return made.Customer.Customer, nil
	case row.Status != state.CustomerGuest:
		return row, nil
	}
	changed, err := m.changeCustomer(ctx, row.PublicID(), row.Version, "customer.activate", activate)
	if err != nil {
		return nil, err
	}
	return changed.Customer.Customer, nil
}

// activate makes a guest active. Anyone could order with their email address, so their default
// address may be a stranger's: it becomes one of the others, until the shopper chooses a default.
func activate(_ context.Context, e *customerEdit) error {
	row, u := e.Row, e.Update
	row.Status = state.CustomerActive
	u.SetStatus(row.Status)
	e.Changed = append(e.Changed, "status")
	former, err := row.DefaultAddress.Fields()
	if err != nil || former == nil {
		return err
	}
	list, err := row.Addresses.List()
	if err != nil {
		return err
	}
	same := func(a document.AddressFields) bool {
		return string(document.NewAddress(&a)) == string(row.DefaultAddress)
	}
	if !slices.ContainsFunc(list, same) && len(list) < limit.Addresses {
		row.Addresses = document.NewAddresses(append(list, *former))
		u.SetAddresses(row.Addresses)
		e.Changed = append(e.Changed, "addresses")
	}
	row.DefaultAddress = nil
	u.ClearDefaultAddress()
	e.Changed = append(e.Changed, "default_address")
	return nil
}

// redactPages is how many pages of orders the mutation redacts itself, enough for most customers.
// The rest follows in the background.
const redactPages = 2

// CustomerRedact erases the person for good: their fields, the email, addresses and checkout notes
// of their orders, their carts, their sessions, and their queued emails. Their counters stay, since
// the store's accounts need them. Other copies, and orders that are too many for one transaction,
// follow in the background. From the commit on, nothing about the person is sent.
func (m Mutation) CustomerRedact(
	ctx context.Context, id string, expectedVersion int64,
) (*model.CustomerPayload, error) {
	idem.AboutNoCustomer(ctx) // the answer shows the redacted person
	return m.changeCustomer(ctx, id, expectedVersion, "customer.redact",
		func(ctx context.Context, e *customerEdit) error {
			row := e.Row
			err := core.CheckTransition("customer", row.Status, state.CustomerRedacted, state.CustomerGuest,
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
			row.EmailMarketingAt, row.EmailMarketingSource, row.CustomFields = nil, nil, nil
			row.Status, row.EmailMarketing = state.CustomerRedacted, state.EmailNotSubscribed
			e.Update.ClearEmail().ClearPhone().ClearFirstName().ClearLastName().ClearLocale().ClearNote().
				ClearDefaultAddress().SetAddresses(row.Addresses).SetTags(row.Tags).
				SetStatus(row.Status).SetEmailMarketing(row.EmailMarketing).
				ClearEmailMarketingAt().ClearEmailMarketingSource().ClearCustomFields()
			if err := erase.Account(ctx, m.Client(ctx), row.ID); err != nil {
				return err
			}
			// Orders are locked before their customer, as everywhere. An order that is placed in
			// between raises the customer's version, and the redaction fails.
			clean, err := erase.All(ctx, m.Client(ctx), row.ID, redactPages)
			if err != nil {
				return err
			}
			e.Then = func(ctx context.Context) error {
				// After the customer's row is written: every writer of the customer's search words
				// locks it.
				if err := search.For(ctx, m.Store).Forget(ctx, search.Customers, row.ID); err != nil {
					return err
				}
				if err := erase.Forget(ctx, search.For(ctx, m.Store), row.ID, redactPages); err != nil {
					return err
				}
				return m.Erasures.Begin(ctx, row.ID, clean)
			}
			return nil
		})
}
