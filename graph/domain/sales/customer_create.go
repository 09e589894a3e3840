package sales

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"strconv"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/imported"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/mailbox"
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
	return m.createCustomer(ctx, in, nil)
}

func (m Mutation) createCustomer(
	ctx context.Context, in model.CustomerCreateInput, given *ImportedConsent,
) (*model.CustomerPayload, error) {
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
		row, err = m.customerRow(ctx, in, docs, given).Save(ctx)
		if ent.IsDuplicate(err) {
			return nil, emailTaken()
		}
		if err == nil {
			err = search.For(ctx, m.Store).Mark(ctx, search.Customers, row.ID)
		}
		if err != nil {
			return nil, err
		}
		detail := ""
		if row.EmailMarketingAt != nil {
			detail = given.detail()
		}
		return m.customers(currency).Created(row, "customer.create", detail, event.CustomerCreated), nil
	})
	if err != nil {
		return nil, err
	}
	return &model.CustomerPayload{Customer: &model.Customer{Customer: row, Currency: currency}}, nil
}

// countedCustomers limits how many customers a store creates. Orders create customers beyond it, so
// that no shopper is refused.
var countedCustomers = core.Counted{Limit: limit.Customers, Table: customer.Table, Index: "customer_store_id_email"}

func (m Mutation) customerRow(
	ctx context.Context, in model.CustomerCreateInput, docs customerDocs, given *ImportedConsent,
) *db.CustomerCreate {
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
		at, source := given.stamp(ctx)
		row.SetEmailMarketingAt(at).SetEmailMarketingSource(source)
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

// ImportedCustomer is a customer as a file has them. Members that are not given stay as they are.
type ImportedCustomer struct {
	// Members has the email address by which the customer is found.
	Members model.CustomerUpdateInput
	// CreatedAt is when another system created the customer; nil is now.
	CreatedAt *micros.Time
	// Consent is when and where the customer chose the marketing state; nil if the file does not say it.
	Consent *ImportedConsent
	// OwnID is the id in the other system, such as shopify:7000, by which a customer without an email
	// address is found again.
	OwnID string
}

// ImportedConsent is a choice about marketing emails that another system recorded.
type ImportedConsent struct {
	At   micros.Time
	From string
}

// stamp returns when and by whom a marketing state is chosen: now by the viewer, unless a file says it.
func (g *ImportedConsent) stamp(ctx context.Context) (micros.Time, state.ConsentSource) {
	if g == nil {
		return micros.Now(), consentSource(ctx)
	}
	return g.At, state.ConsentImport
}

// detail returns what the audit row says of a choice.
func (g *ImportedConsent) detail() string {
	if g == nil {
		return ""
	}
	return "consent from: " + g.From
}

// CustomerBatch writes customers of a file in the transaction of its context.
type CustomerBatch struct {
	Mutation
	rows map[string]*db.Customer // by email address, or id in the other system
}

// mark returns the id of the row that says which customer a record without an email address became.
func (in *ImportedCustomer) mark() xid.ID {
	system, id, _ := strings.Cut(in.OwnID, ":")
	sum := sha256.Sum256([]byte(system + "\x00customers\x00customer id:" + strings.ToLower(id)))
	return xid.ID(sum[:len(xid.ID{})])
}

// key returns by what a customer is found again: the email address, or else the id in the other system.
func (in *ImportedCustomer) key() (string, error) {
	if email := in.Members.Email.Value(); email != nil {
		return mailbox.Fold(*email), nil
	}
	if in.OwnID == "" {
		return "", core.Invalid("email", fault.Required,
			"The row needs an email address or an id, by which the customer is found again.")
	}
	return "\x00" + in.OwnID, nil
}

// CustomerBatch finds the customers of the store that a file names.
func (m Mutation) CustomerBatch(ctx context.Context, list []*ImportedCustomer) (*CustomerBatch, error) {
	b := &CustomerBatch{Mutation: m, rows: map[string]*db.Customer{}}
	var forms []string
	for _, in := range list {
		core.Opt(in.Members.Email.Value(), func(s string) { forms = append(forms, mailbox.Forms(s)...) })
	}
	if err := b.marked(ctx, list); err != nil || len(forms) == 0 {
		return b, err
	}
	query := m.Client(ctx).Customer.Query().Where(customer.EmailIn(forms...))
	query.Modify(ent.ForceIndex(customersByEmail))
	rows, err := query.Load(ctx)
	for _, row := range rows {
		b.rows[mailbox.Fold(*row.Email)] = row
	}
	return b, core.Explain("customer", err)
}

// marked finds the customers that became of records without an email address.
func (b *CustomerBatch) marked(ctx context.Context, list []*ImportedCustomer) error {
	keys := map[xid.ID]string{} // by mark
	for _, in := range list {
		if key, err := in.key(); err == nil && in.Members.Email.Value() == nil {
			keys[in.mark()] = key
		}
	}
	if len(keys) == 0 {
		return nil
	}
	marks, err := b.Client(ctx).Imported.Query().Where(imported.IDIn(slices.Collect(maps.Keys(keys))...)).Load(ctx)
	if err != nil || len(marks) == 0 {
		return fault.Wrap("find what was imported", err)
	}
	ids := core.Map(marks, func(m *db.Imported) xid.ID { return m.MadeID })
	rows, err := b.Client(ctx).Customer.Query().Where(customer.IDIn(ids...)).Load(ctx)
	for _, m := range marks {
		if i := slices.IndexFunc(rows, func(c *db.Customer) bool { return c.ID == m.MadeID }); i >= 0 {
			b.rows[keys[m.ID]] = rows[i]
		}
	}
	return fault.Wrap("find imported customers", err)
}

// Apply creates or changes a customer and returns whether it did either. A choice about marketing that
// is older than the one that the store knows is ignored.
func (b *CustomerBatch) Apply(ctx context.Context, in *ImportedCustomer) (created, changed bool, _ error) {
	members := in.Members
	email, given := members.Email.Value(), in.Consent
	key, err := in.key()
	if err != nil {
		return false, false, err
	}
	if given == nil {
		given = &ImportedConsent{At: micros.Now(), From: "the file of an import"}
	}
	row := b.rows[key]
	if row == nil {
		done, err := b.createCustomer(ctx, createdFrom(in), given)
		if err != nil {
			return false, false, err
		}
		if b.rows[key] = done.Customer.Customer; email != nil {
			return true, true, nil
		}
		err = b.Client(ctx).Imported.Create().SetID(in.mark()).SetMadeID(done.Customer.ID).Exec(ctx)
		return true, true, fault.Wrap("mark a customer as imported", err)
	}
	members.Email = model.GivenIf(false, email)
	if row.EmailMarketingAt != nil && (in.Consent == nil || in.Consent.At <= *row.EmailMarketingAt) {
		members.EmailMarketing = model.GivenIf(false, members.EmailMarketing.Value())
	}
	done, err := b.updateCustomer(ctx, row.PublicID(), row.Version, members, given)
	if err != nil {
		return false, false, err
	}
	b.rows[key] = done.Customer.Customer
	return false, done.Customer.Version != row.Version, nil
}

// createdFrom returns the input for a customer whom the store does not have.
func createdFrom(in *ImportedCustomer) model.CustomerCreateInput {
	m := in.Members
	made := model.CustomerCreateInput{Email: m.Email.Value(), Phone: m.Phone.Value(), FirstName: m.FirstName.Value(),
		LastName: m.LastName.Value(), Locale: m.Locale.Value(), Note: m.Note.Value(), Tags: m.Tags.Value(),
		DefaultAddress: m.DefaultAddress.Value(), Addresses: m.Addresses.Value(), CustomFields: m.CustomFields.Value(),
		TaxExempt: core.Deref(m.TaxExempt.Value()), Status: state.CustomerActive,
		EmailMarketing: state.EmailNotSubscribed, CreatedAt: in.CreatedAt}
	core.Opt(m.EmailMarketing.Value(), func(v state.EmailMarketing) { made.EmailMarketing = v })
	return made
}
