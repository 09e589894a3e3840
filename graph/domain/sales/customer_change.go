package sales

import (
	"context"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// customerEdit is a change of one customer.
type customerEdit = change.Edit[*db.Customer, *db.CustomerUpdate]

// customers returns how customers change. Their amounts are in the store's currency.
func (r *Resolver) customers(currency string) *change.Versioned[*db.Customer, *db.CustomerUpdate] {
	return &change.Versioned[*db.Customer, *db.CustomerUpdate]{
		Kind: xid.Customer,
		Load: r.customer,
		Head: func(c *db.Customer) change.Head {
			return change.Head{Store: c.StoreID, ID: c.ID, Version: &c.Version, Sequence: &c.EventSequence,
				UpdatedAt: &c.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.CustomerUpdate {
			return r.Client(ctx).Customer.Update().Where(customer.ID(id), customer.Version(version))
		},
		Object: func(c *db.Customer) []byte { return wire.AppendCustomer(nil, c, currency) },
		Finish: customerUpdated,
		Taken:  emailTaken,
		// The answer to the request may show the customer.
		Recorded: idem.About,
	}
}

// customerUpdated adds customer.updated, unless the edit has an event of its own.
func customerUpdated(e *customerEdit) {
	if len(e.Events) == 0 {
		e.Events = []outbox.Entry{{Type: event.CustomerUpdated, Changed: e.Changed}}
	}
}

// changeCustomer runs edit on the customer if it has the expected version.
func (m Mutation) changeCustomer(ctx context.Context, id string, expected int64, action string,
	edit func(context.Context, *customerEdit) error,
) (*model.CustomerPayload, error) {
	currency, err := m.currency(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	row, err := core.Change(ctx, m.Core, m.customers(currency), id, expected, action, edit)
	if err != nil {
		return nil, err
	}
	return &model.CustomerPayload{Customer: &model.Customer{Customer: row, Currency: currency}}, nil
}

// CustomerUpdate changes the given members.
func (m Mutation) CustomerUpdate(
	ctx context.Context, id string, expectedVersion int64, in model.CustomerUpdateInput,
) (*model.CustomerPayload, error) {
	return m.updateCustomer(ctx, id, expectedVersion, in, nil)
}

func (m Mutation) updateCustomer(ctx context.Context, id string, expectedVersion int64, in model.CustomerUpdateInput,
	given *ImportedConsent,
) (*model.CustomerPayload, error) {
	c := &core.Check{}
	docs := checkCustomerUpdate(c, &in)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeCustomer(ctx, id, expectedVersion, "customer.update",
		func(ctx context.Context, e *customerEdit) error {
			if e.Row.Status == state.CustomerRedacted {
				return fault.State(fault.InvalidTransition, "The customer is redacted and cannot be changed.")
			}
			if exempt := in.TaxExempt.Value(); exempt != nil && *exempt {
				if err := core.NeedsTaxCategories(ctx); err != nil {
					return err
				}
			}
			row, u := e.Row, e.Update
			core.MemberOpt(&e.Changed, in.Email, "email", &row.Email, u.SetEmail, u.ClearEmail)
			core.MemberOpt(&e.Changed, in.Phone, "phone", &row.Phone, u.SetPhone, u.ClearPhone)
			core.MemberOpt(&e.Changed, in.FirstName, "first_name", &row.FirstName, u.SetFirstName, u.ClearFirstName)
			core.MemberOpt(&e.Changed, in.LastName, "last_name", &row.LastName, u.SetLastName, u.ClearLastName)
			core.MemberOpt(&e.Changed, in.Locale, "locale", &row.Locale, u.SetLocale, u.ClearLocale)
			core.MemberOpt(&e.Changed, in.Note, "note", &row.Note, u.SetNote, u.ClearNote)
			if core.MemberOf(&e.Changed, in.EmailMarketing, "email_marketing", &row.EmailMarketing,
				u.SetEmailMarketing); slices.Contains(e.Changed, "email_marketing") {
				at, source := given.stamp(ctx)
				row.EmailMarketingAt, row.EmailMarketingSource, e.Detail = &at, &source, given.detail()
				u.SetEmailMarketingAt(*row.EmailMarketingAt).SetEmailMarketingSource(*row.EmailMarketingSource)
			}
			core.MemberOf(&e.Changed, in.TaxExempt, "tax_exempt", &row.TaxExempt, u.SetTaxExempt)
			core.MemberDoc(&e.Changed, docs.defaultAddress, in.DefaultAddress.IsSet(), "default_address",
				&row.DefaultAddress, u.SetDefaultAddress, u.ClearDefaultAddress)
			core.MemberDoc(&e.Changed, docs.addresses, in.Addresses.IsSet(), "addresses", &row.Addresses,
				u.SetAddresses, nil)
			core.MemberDoc(&e.Changed, document.NewTags(in.Tags.Value()), in.Tags.IsSet(), "tags", &row.Tags, u.SetTags,
				nil)
			err := core.ChangeCustomFields(ctx, m.FieldMerge(state.FieldsOfCustomers), &e.Changed, in.CustomFields,
				&row.CustomFields, u.SetCustomFields, u.ClearCustomFields)
			if err != nil {
				return err
			}
			if len(e.Changed) > 0 {
				e.Then = func(ctx context.Context) error {
					if err := m.allowMarketing(ctx, row, e.Changed); err != nil {
						return err
					}
					return search.For(ctx, m.Store).Mark(ctx, search.Customers, row.ID)
				}
			}
			return nil
		})
}

// allowMarketing ends an earlier stop of marketing emails once a shopper who proved the address subscribes
// again.
func (m Mutation) allowMarketing(ctx context.Context, c *db.Customer, changed []string) error {
	if !slices.Contains(changed, "email_marketing") || c.EmailMarketing != state.EmailSubscribed || c.Email == nil ||
		consentSource(ctx) != state.ConsentAccount {
		return nil
	}
	return notify.AllowMarketing(ctx, m.Client(ctx), *c.Email)
}

// consentSource returns who chooses the marketing state of a customer.
func consentSource(ctx context.Context) state.ConsentSource {
	switch v := viewer.From(ctx); {
	case v.IsPerson():
		return state.ConsentStaff
	case v.Kind == viewer.System && v.Name == viewer.ShopperName:
		return state.ConsentAccount
	case v.Kind == viewer.System:
		return state.ConsentImport
	}
	return state.ConsentAPI
}

// checkCustomerUpdate validates the given members.
func checkCustomerUpdate(c *core.Check, in *model.CustomerUpdateInput) customerDocs {
	core.Opt(in.Email.Value(), func(s string) { in.Email = model.Some(c.Email("email", s)) })
	checkCustomerTexts(c, in.Phone.Value(), in.FirstName.Value(), in.LastName.Value(), in.Locale.Value(),
		in.Note.Value())
	core.NotNull(c, "tax_exempt", in.TaxExempt, func(bool) {})
	core.NotNull(c, "email_marketing", in.EmailMarketing, func(v state.EmailMarketing) {
		if !v.Known() {
			c.Add("email_marketing", fault.UnknownValue, "Unknown marketing state.")
		}
	})
	c.Tags("tags", in.Tags.Value())
	return customerDocs{
		defaultAddress: document.NewAddress(core.CheckAddress(c, "default_address", in.DefaultAddress.Value())),
		addresses:      checkAddresses(c, "addresses", in.Addresses.Value()),
	}
}

// CustomerDisable disables a customer.
func (m Mutation) CustomerDisable(
	ctx context.Context, id string, expectedVersion int64,
) (*model.CustomerPayload, error) {
	return m.moveCustomer(ctx, id, expectedVersion, "customer.disable", state.CustomerDisabled, state.CustomerGuest,
		state.CustomerActive)
}

// CustomerEnable enables a disabled customer.
func (m Mutation) CustomerEnable(
	ctx context.Context, id string, expectedVersion int64,
) (*model.CustomerPayload, error) {
	return m.moveCustomer(ctx, id, expectedVersion, "customer.enable", state.CustomerActive, state.CustomerDisabled)
}

func (m Mutation) moveCustomer(
	ctx context.Context, id string, expected int64, action string, to state.CustomerStatus,
	from ...state.CustomerStatus,
) (*model.CustomerPayload, error) {
	return m.changeCustomer(ctx, id, expected, action, func(_ context.Context, e *customerEdit) error {
		if err := core.CheckTransition("customer", e.Row.Status, to, from...); err != nil {
			return err
		}
		e.Row.Status = to
		e.Update.SetStatus(to)
		e.Changed = append(e.Changed, "status")
		return nil
	})
}
