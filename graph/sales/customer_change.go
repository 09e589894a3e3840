package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/audit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/outbox"
	"github.com/storefront-go/storefront/graph/wire"
)

// customerEdit is a change of one customer: the entity as it will be, the
// update that makes it so, and the members that differ.
type customerEdit struct {
	*db.Customer
	update  *db.CustomerUpdate
	changed []string
	// event is what the change tells: customer.updated unless the edit says else.
	event event.Type
}

// changeCustomer runs edit on the customer if he has the expected version, in
// one transaction with the event and the audit row. An edit that changes nothing
// leaves everything as it is.
func (m Mutation) changeCustomer(ctx context.Context, id string, expected int64, action string, edit func(context.Context, *customerEdit) error) (*model.CustomerPayload, error) {
	uid, err := core.ParseID(xid.Customer, id)
	if err != nil {
		return nil, err
	}
	currency, err := m.currency(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	var row *db.Customer
	err = m.Store.InTx(ctx, func(ctx context.Context) (err error) {
		if row, err = m.customer(ctx, uid); err != nil {
			return err
		}
		if row.Version != expected {
			return core.Stale(xid.Customer, expected, row.Version)
		}
		e := &customerEdit{Customer: row, event: event.CustomerUpdated,
			update: m.Client(ctx).Customer.Update().Where(customer.ID(uid), customer.Version(expected))}
		if err := edit(ctx, e); err != nil || len(e.changed) == 0 {
			return err
		}
		return m.saveCustomer(ctx, e, action, currency)
	})
	if err != nil {
		return nil, core.Explain("customer", err)
	}
	return &model.CustomerPayload{Customer: &model.Customer{Customer: row, Currency: currency}}, nil
}

// saveCustomer writes the edit, its event and its audit row.
func (m Mutation) saveCustomer(ctx context.Context, e *customerEdit, action, currency string) error {
	e.Version++
	e.EventSequence++
	e.UpdatedAt = core.UpdateTime(e.UpdatedAt)
	n, err := e.update.SetVersion(e.Version).SetEventSequence(e.EventSequence).SetUpdatedAt(e.UpdatedAt).Save(ctx)
	if ent.IsDuplicate(err) {
		return emailTaken()
	}
	if err := core.Swapped(xid.Customer, n, err); err != nil {
		return err
	}
	if err := audit.Write(ctx, m.Client(ctx), action, xid.Customer, e.ID, ""); err != nil {
		return err
	}
	entry := outbox.Entry{Type: e.event, Object: wire.AppendCustomer(nil, e.Customer, currency)}
	if e.event == event.CustomerUpdated {
		entry.Changed = e.changed
	}
	return outbox.Append(ctx, m.Client(ctx), customerResource(e.Customer), entry)
}

// CustomerUpdate changes the members that are given.
func (m Mutation) CustomerUpdate(ctx context.Context, id string, expectedVersion int64, in model.CustomerUpdateInput) (*model.CustomerPayload, error) {
	c := &core.Check{}
	docs := checkCustomerUpdate(c, &in)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeCustomer(ctx, id, expectedVersion, "customer.update", func(_ context.Context, e *customerEdit) error {
		if e.Status == state.CustomerRedacted {
			return fault.State(fault.InvalidTransition, "The customer is redacted and cannot be changed.")
		}
		row, u := e.Customer, e.update
		core.MemberOpt(&e.changed, in.Email, "email", &row.Email, u.SetEmail, u.ClearEmail)
		core.MemberOpt(&e.changed, in.Phone, "phone", &row.Phone, u.SetPhone, u.ClearPhone)
		core.MemberOpt(&e.changed, in.FirstName, "first_name", &row.FirstName, u.SetFirstName, u.ClearFirstName)
		core.MemberOpt(&e.changed, in.LastName, "last_name", &row.LastName, u.SetLastName, u.ClearLastName)
		core.MemberOpt(&e.changed, in.Locale, "locale", &row.Locale, u.SetLocale, u.ClearLocale)
		core.MemberOpt(&e.changed, in.Note, "note", &row.Note, u.SetNote, u.ClearNote)
		core.MemberOf(&e.changed, in.EmailMarketing, "email_marketing", &row.EmailMarketing, u.SetEmailMarketing)
		core.MemberDoc(&e.changed, docs.defaultAddress, in.DefaultAddress.IsSet(), "default_address", &row.DefaultAddress, u.SetDefaultAddress, u.ClearDefaultAddress)
		core.MemberDoc(&e.changed, docs.addresses, in.Addresses.IsSet(), "addresses", &row.Addresses, u.SetAddresses, nil)
		core.MemberDoc(&e.changed, document.NewTags(in.Tags.Value()), in.Tags.IsSet(), "tags", &row.Tags, u.SetTags, nil)
		return nil
	})
}

// checkCustomerUpdate judges the members that are given.
func checkCustomerUpdate(c *core.Check, in *model.CustomerUpdateInput) customerDocs {
	core.Opt(in.Email.Value(), func(s string) { in.Email = model.Some(c.Email("email", s)) })
	checkCustomerTexts(c, in.Phone.Value(), in.FirstName.Value(), in.LastName.Value(), in.Locale.Value(), in.Note.Value())
	core.NotNull(c, "email_marketing", in.EmailMarketing, func(v state.EmailMarketing) {
		if !v.Known() {
			c.Add("email_marketing", fault.UnknownValue, "This is not a state of consent.")
		}
	})
	c.Tags("tags", in.Tags.Value())
	return customerDocs{
		defaultAddress: document.NewAddress(checkAddress(c, "default_address", in.DefaultAddress.Value())),
		addresses:      checkAddresses(c, "addresses", in.Addresses.Value()),
	}
}

// CustomerDisable bars a customer.
func (m Mutation) CustomerDisable(ctx context.Context, id string, expectedVersion int64) (*model.CustomerPayload, error) {
	return m.moveCustomer(ctx, id, expectedVersion, "customer.disable", state.CustomerDisabled, state.CustomerGuest, state.CustomerActive)
}

// CustomerEnable takes a disabled customer back.
func (m Mutation) CustomerEnable(ctx context.Context, id string, expectedVersion int64) (*model.CustomerPayload, error) {
	return m.moveCustomer(ctx, id, expectedVersion, "customer.enable", state.CustomerActive, state.CustomerDisabled)
}

func (m Mutation) moveCustomer(ctx context.Context, id string, expected int64, action string, to state.CustomerStatus, from ...state.CustomerStatus) (*model.CustomerPayload, error) {
	return m.changeCustomer(ctx, id, expected, action, func(_ context.Context, e *customerEdit) error {
		if err := core.Allowed("customer", e.Status, to, from...); err != nil {
			return err
		}
		e.Status = to
		e.update.SetStatus(to)
		e.changed = append(e.changed, "status")
		return nil
	})
}
