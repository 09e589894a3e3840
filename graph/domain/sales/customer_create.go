package sales

import (
	"context"
	"strconv"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/model"
)

// CustomerCreate creates a customer: a guest, or one with an account.
func (m Mutation) CustomerCreate(ctx context.Context, in model.CustomerCreateInput) (*model.CustomerPayload, error) {
	docs, err := checkCustomer(&in)
	if err != nil {
		return nil, err
	}
	currency, err := m.currency(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	var row *db.Customer
	err = m.Commit(ctx, xid.Customer, func(ctx context.Context) (_ *change.Record, err error) {
		if err := m.RowsLeft(ctx, countedCustomers, 1, func(pick func(*sql.Selector), ids any) error {
			return m.Client(ctx).Customer.Query().Modify(pick).Scan(ctx, ids)
		}); err != nil {
			return nil, err
		}
		if in.TaxExempt {
			if err := core.NeedsTaxCategories(ctx); err != nil {
				return nil, err
			}
		}
		docs.customFields, err = m.FieldMerge(state.FieldsOfCustomers).
			Merge(ctx, core.CustomFieldsMember, nil, in.CustomFields)
		if err != nil {
			return nil, err
		}
		row, err = m.customerRow(ctx, in, docs).Save(ctx)
		if ent.IsDuplicate(err) {
			return nil, emailTaken()
		}
		if err == nil {
			err = search.For(ctx, m.Store).Mark(ctx, search.Customers, row.ID)
		}
		if err != nil {
			return nil, err
		}
		return m.customers(currency).Created(row, "customer.create", "", event.CustomerCreated), nil
	})
	if err != nil {
		return nil, err
	}
	return &model.CustomerPayload{Customer: &model.Customer{Customer: row, Currency: currency}}, nil
}

// countedCustomers limits how many customers a store creates. Orders create customers beyond it, so
// that no shopper is refused.
var countedCustomers = core.Counted{Limit: limit.Customers, Table: customer.Table, Index: "customer_store_id_email"}

func (m Mutation) customerRow(ctx context.Context, in model.CustomerCreateInput, docs customerDocs) *db.CustomerCreate {
	id := core.NewID(in.CreatedAt)
	row := m.Client(ctx).Customer.Create().
		SetID(id).SetNillableEmail(in.Email).SetNillablePhone(in.Phone).
		SetNillableFirstName(in.FirstName).SetNillableLastName(in.LastName).
		SetStatus(in.Status).SetNillableLocale(in.Locale).SetEmailMarketing(in.EmailMarketing).
		SetTaxExempt(in.TaxExempt).
		SetAddresses(docs.addresses).SetTags(document.NewTags(in.Tags)).SetNillableNote(in.Note).
		SetCustomFields(docs.customFields).
		SetVersion(1).SetEventSequence(1).SetUpdatedAt(core.ChangeTime(ctx, id, in.CreatedAt))
	if in.EmailMarketing != state.EmailNotSubscribed {
		row.SetEmailMarketingAt(micros.Now()).SetEmailMarketingSource(consentSource(ctx))
	}
	if docs.defaultAddress != nil {
		row.SetDefaultAddress(docs.defaultAddress)
	}
	return row
}

// customerDocs are the documents of a customer, in stored form.
type customerDocs struct {
	defaultAddress document.Address
	addresses      document.Addresses
	customFields   document.CustomFields
}

// checkCustomer validates a new customer and lowercases the email address.
func checkCustomer(in *model.CustomerCreateInput) (customerDocs, error) {
	c := &core.Check{}
	core.Opt(in.Email, func(s string) { in.Email = new(c.Email("email", s)) })
	checkCustomerTexts(c, in.Phone, in.FirstName, in.LastName, in.Locale, in.Note)
	if in.Status != state.CustomerGuest && in.Status != state.CustomerActive {
		c.Add("status", fault.UnknownValue, "A new customer must be GUEST or ACTIVE.")
	}
	if !in.EmailMarketing.Known() {
		c.Add("email_marketing", fault.UnknownValue, "Unknown marketing state.")
	}
	docs := customerDocs{
		defaultAddress: document.NewAddress(core.CheckAddress(c, "default_address", in.DefaultAddress)),
		addresses:      checkAddresses(c, "addresses", in.Addresses),
	}
	c.Tags("tags", in.Tags)
	c.Past("created_at", in.CreatedAt)
	return docs, c.Err()
}

// checkCustomerTexts checks the optional texts of a customer.
func checkCustomerTexts(c *core.Check, phone, firstName, lastName, locale, note *string) {
	core.Opt(phone, func(s string) { c.Line("phone", s, limit.Label) })
	core.Opt(firstName, func(s string) { c.Line("first_name", s, limit.Line) })
	core.Opt(lastName, func(s string) { c.Line("last_name", s, limit.Line) })
	core.Opt(locale, func(s string) { c.Locale("locale", s) })
	core.Opt(note, func(s string) { c.Long("note", s, limit.Note) })
}

// checkAddresses validates a list of addresses and returns it in stored form.
func checkAddresses(c *core.Check, name string, in []*model.AddressInput) document.Addresses {
	if len(in) > limit.Addresses {
		c.Add(name, fault.TooLong, "There are more than "+strconv.Itoa(limit.Addresses)+" addresses.")
		return nil
	}
	list := make([]document.AddressFields, len(in))
	for i, a := range in {
		if fields := core.CheckAddress(c, name+"/"+strconv.Itoa(i), a); fields != nil {
			list[i] = *fields
		}
	}
	return document.NewAddresses(list)
}

func emailTaken() error {
	return fault.Invalid(fault.Field{Pointer: "#/email", Code: fault.Taken,
		Detail: "Another customer has this email address."})
}
