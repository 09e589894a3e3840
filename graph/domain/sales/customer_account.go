package sales

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
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
