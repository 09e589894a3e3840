package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listCustomers(c *call) error {
	q := &c.query
	filter := model.CustomerFilter{Email: q.text("email", limit.EmailFilter), Tag: q.text("tag", limit.Label),
		UpdatedFrom: q.time("updated_from"), CustomFields: q.customFields(fieldFilter)}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.Core.Query().Customers(c.ctx, q.limit, q.cursor, &filter, nil, nil)
	return list(c, page, err, func(b []byte, m *model.Customer) []byte {
		return wire.AppendCustomer(b, m.Customer, m.Currency)
	})
}

func (a *API) getCustomer(c *call) error {
	m, err := a.Core.Query().Customer(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	c.out = wire.AppendCustomer(c.out, m.Customer, m.Currency)
	return nil
}

func (a *API) createCustomer(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	in := model.CustomerCreateInput{
		Email: r.String("email"), Phone: r.String("phone"), FirstName: r.String("first_name"),
		LastName: r.String("last_name"), Locale: r.String("locale"), TaxExempt: core.Deref(r.Bool("tax_exempt")),
		DefaultAddress: readAddress(r, "default_address", nil), Addresses: readAddresses(r), Tags: r.Strings("tags"),
		Note: r.String("note"), Status: state.CustomerActive, EmailMarketing: state.EmailNotSubscribed,
		CustomFields: readCustomFields(r),
	}
	core.Opt(r.String("status"), func(s string) { in.Status = state.CustomerStatus(s) })
	core.Opt(r.String("email_marketing"), func(s string) { in.EmailMarketing = state.EmailMarketing(s) })
	c.keep(r.Fields())
	done, err := a.Core.Mutation().CustomerCreate(c.ctx, in)
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusCreated, Base+"/customers/"+done.Customer.PublicID()
	c.out = wire.AppendCustomer(c.out, done.Customer.Customer, done.Customer.Currency)
	return nil
}

// updateCustomer is PATCH /customers/{id}: a merge patch (RFC 7396). A list is replaced as a whole.
func (a *API) updateCustomer(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	m, missing := a.Core.Query().Customer(c.ctx, c.pathID())
	var address *document.AddressFields
	if missing == nil {
		if address, err = m.DecodedDefaultAddress(); err != nil {
			return err
		}
	}
	expected, given := r.Int("expected_version"), r.Given
	in := model.CustomerUpdateInput{
		Email:          model.GivenIf(given("email"), r.String("email")),
		Phone:          model.GivenIf(given("phone"), r.String("phone")),
		FirstName:      model.GivenIf(given("first_name"), r.String("first_name")),
		LastName:       model.GivenIf(given("last_name"), r.String("last_name")),
		Locale:         model.GivenIf(given("locale"), r.String("locale")),
		TaxExempt:      model.GivenIf(given("tax_exempt"), r.Bool("tax_exempt")),
		DefaultAddress: model.GivenIf(given("default_address"), readAddress(r, "default_address", address)),
		Addresses:      model.GivenIf(given("addresses"), readAddresses(r)),
		Tags:           model.GivenIf(given("tags"), r.Strings("tags")),
		Note:           model.GivenIf(given("note"), r.String("note")),
		EmailMarketing: model.GivenIf(given("email_marketing"), (*state.EmailMarketing)(r.String("email_marketing"))),
		CustomFields:   model.GivenIf[document.CustomFields](given(core.CustomFieldsMember), readCustomFields(r)),
	}
	if c.keep(r.Fields()); missing != nil {
		return missing
	}
	return atVersion(expected, m.Version, func(version int64) error {
		done, err := a.Core.Mutation().CustomerUpdate(c.ctx, m.PublicID(), version, in)
		if err != nil {
			return err
		}
		c.code = http.StatusOK
		c.out = wire.AppendCustomer(c.out, done.Customer.Customer, done.Customer.Currency)
		return nil
	})
}

// readAddress reads an address. Absent members keep their values (RFC 7396).
func readAddress(r *wire.Reader, name string, before *document.AddressFields) *model.AddressInput {
	o := r.Object(name)
	if o == nil {
		return nil
	}
	return mergeAddress(o, core.Deref(before))
}

func mergeAddress(o *wire.Reader, a document.AddressFields) *model.AddressInput {
	line1, city, country := &a.Line1, &a.City, &a.Country
	mergeTexts(o, map[string]**string{"name": &a.Name, "company": &a.Company, "line1": &line1, "line2": &a.Line2,
		"city": &city, "region": &a.Region, "postal_code": &a.PostalCode, "country": &country, "phone": &a.Phone})
	return &model.AddressInput{Name: a.Name, Company: a.Company, Line1: core.Deref(line1), Line2: a.Line2,
		City: core.Deref(city), Region: a.Region, PostalCode: a.PostalCode, Country: core.Deref(country),
		Phone: a.Phone}
}

func readAddresses(r *wire.Reader) (list []*model.AddressInput) {
	objects, _ := r.Array("addresses")
	for _, o := range objects {
		list = append(list, mergeAddress(o, document.AddressFields{}))
	}
	return list
}
