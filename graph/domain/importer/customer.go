package importer

import (
	"context"
	"strings"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/lib/intake"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// decodeCustomer reads a customer in the form of an export.
func decodeCustomer(e *entry, line []byte) (notes []string, err error) {
	r, err := object(line)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"display_name", "status", "currency", "updated_at", "last_order_at"} {
		r.String(name) // computed, or of the other store
	}
	for _, name := range []string{"version", "orders_count", "total_spent_minor"} {
		r.Int(name)
	}
	in := &sales.ImportedCustomer{Members: readCustomer(r), CreatedAt: r.Time("created_at"),
		OwnID: ownID(core.Deref(r.String("id")))}
	marketing := state.EmailMarketing(core.Deref(r.String("email_marketing")))
	at, from := r.Time("email_marketing_at"), core.Deref(r.String("email_marketing_source"))
	faults := r.Fields()
	if marketing != "" && !marketing.Known() {
		faults = append(faults, fault.Field{Pointer: wire.Pointer("email_marketing"), Code: fault.UnknownValue,
			Detail: "The value is subscribed, unsubscribed or not_subscribed."})
	}
	if at != nil && *at > micros.Now() {
		faults = append(faults, fault.Field{Pointer: wire.Pointer("email_marketing_at"), Code: fault.OutOfRange,
			Detail: "The time is in the future."})
	}
	if len(faults) > 0 {
		return nil, fault.Invalid(faults...)
	}
	e.customer = in
	return consent(in, marketing, at, from), nil
}

// ownID returns an id that no other system gives too, or "".
func ownID(id string) string {
	if _, err := xid.Customer.Parse(id); err == nil || strings.HasPrefix(id, intake.ShopifyID) {
		return id
	}
	return ""
}

// consent sets the marketing state of a customer. A subscription counts only if the file says when and
// where the customer gave it.
func consent(in *sales.ImportedCustomer, chosen state.EmailMarketing, at *micros.Time, from string) []string {
	if at != nil && from != "" {
		in.Consent = &sales.ImportedConsent{At: *at, From: intake.Clip(from, limit.Label)}
	}
	switch {
	case chosen == state.EmailUnsubscribed, chosen == state.EmailSubscribed && in.Consent != nil:
		in.Members.EmailMarketing = model.Some(chosen)
	case chosen == state.EmailSubscribed:
		return []string{"The subscription is not imported: the row lacks the time or the source of the consent."}
	}
	return nil
}

func readCustomer(r *wire.Reader) model.CustomerUpdateInput {
	given := r.Given
	in := model.CustomerUpdateInput{
		Email:          model.GivenIf(given("email"), r.String("email")),
		Phone:          model.GivenIf(given("phone"), r.String("phone")),
		FirstName:      model.GivenIf(given("first_name"), r.String("first_name")),
		LastName:       model.GivenIf(given("last_name"), r.String("last_name")),
		Locale:         model.GivenIf(given("locale"), r.String("locale")),
		TaxExempt:      model.GivenIf(given("tax_exempt"), r.Bool("tax_exempt")),
		Tags:           model.GivenIf(given("tags"), r.Strings("tags")),
		Note:           model.GivenIf(given("note"), r.String("note")),
		DefaultAddress: model.GivenIf(given("default_address"), readAddress(r.Object("default_address"))),
	}
	if given("addresses") {
		list := []*model.AddressInput{}
		for _, o := range array(r, "addresses") {
			list = append(list, readAddress(o))
		}
		in.Addresses = model.GivenIf(true, list)
	}
	in.CustomFields = model.GivenIf[document.CustomFields](given(core.CustomFieldsMember),
		r.JSON(core.CustomFieldsMember))
	return in
}

func readAddress(o *wire.Reader) *model.AddressInput {
	if o == nil {
		return nil
	}
	return &model.AddressInput{Name: o.String("name"), Company: o.String("company"),
		Line1: core.Deref(o.String("line1")), Line2: o.String("line2"), City: core.Deref(o.String("city")),
		Region: o.String("region"), PostalCode: o.String("postal_code"), Country: core.Deref(o.String("country")),
		Phone: o.String("phone")}
}

func openCustomers(ctx context.Context, r *Resolver, chunk []*entry) (*batch, error) {
	list := core.Map(chunk, func(e *entry) *sales.ImportedCustomer { return e.customer })
	b, err := sales.Mutation{Resolver: r.customers}.CustomerBatch(ctx, list)
	return &batch{apply: func(ctx context.Context, e *entry) (catalog.ImportOutcome, error) {
		created, changed, err := b.Apply(ctx, e.customer)
		return outcomeOf(created, changed), err
	}}, err
}
