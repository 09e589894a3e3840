package graph_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/domain"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/engine/payment/paymenttest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// onZone returns arguments for a shipping zone of a country.
func onZone(country string, more ...string) func(*caller) string {
	return func(w *caller) string {
		z := graphtest.Must[*model.ShippingZonePayload](w.t)(w.Mutation().ShippingZoneCreate(w.Ctx,
			model.ShippingZoneInput{Name: "Zone", Countries: []string{country}})).ShippingZone
		return at(z.PublicID(), z.Version, more...)
	}
}

// onDiscount returns arguments for a discount with a code.
func onDiscount(code string, more ...string) func(*caller) string {
	return func(w *caller) string {
		d := graphtest.Must[*model.DiscountPayload](w.t)(w.Mutation().DiscountCreate(w.Ctx,
			model.DiscountInput{Code: code, Kind: state.DiscountFreeShipping})).Discount
		return at(d.PublicID(), d.Version, more...)
	}
}

// onField returns arguments for a custom field of products.
func onField(name string, more ...string) func(*caller) string {
	return func(w *caller) string {
		f := graphtest.Must[*model.CustomFieldPayload](w.t)(w.Mutation().CustomFieldCreate(w.Ctx,
			model.CustomFieldCreateInput{Owner: state.FieldsOfProducts, Name: name, Label: name,
				Type: state.FieldText}))
		return at(f.CustomField.PublicID(), f.CustomField.Version, more...)
	}
}

func newLocation(w *caller) *model.Location {
	return graphtest.Must[*model.LocationPayload](w.t)(w.Mutation().LocationCreate(w.Ctx,
		model.LocationCreateInput{Name: "Shop", SellsOnline: true})).Location
}

// everyLocation returns all open locations, the newest first.
func everyLocation(w *caller) string {
	newLocation(w)
	list := graphtest.Must[*model.LocationConnection](w.t)(w.Query().Locations(w.Ctx, new(100), nil))
	var ids []string
	for _, l := range list.Nodes {
		if l.ClosedAt == nil {
			ids = append(ids, fmt.Sprintf("%q", l.PublicID()))
		}
	}
	return "ids: [" + strings.Join(ids, ", ") + "]"
}

// onLocation returns arguments for a new location.
func onLocation(more ...string) func(*caller) string {
	return func(w *caller) string {
		l := newLocation(w)
		return at(l.PublicID(), l.Version, more...)
	}
}

// onCollection returns arguments for a new collection.
func onCollection(more ...string) func(*caller) string {
	return func(w *caller) string {
		c := graphtest.Must[*model.CollectionPayload](w.t)(w.Mutation().CollectionCreate(w.Ctx,
			model.CollectionInput{Title: "List", Sort: state.SortManual})).Collection
		return at(c.PublicID(), c.Version, more...)
	}
}

// byStripe returns arguments for a store that uses a fake Stripe.
func byStripe(args string) func(*caller) string {
	return func(w *caller) string {
		w.Payments.Stripe = payment.NewStripe(paymenttest.New(w.t).URL)
		return args
	}
}

// invoices are settings of invoices.
const invoices = `input: {issue: MANUAL, name: "Mugs Ltd", address: {line1: "1 Road", city: "Berlin", country: "DE"},
	invoicePrefix: "R-", creditPrefix: "G-"}`

// onDomain returns the id of a new domain.
func onDomain(host string) func(*caller) string {
	return func(w *caller) string {
		d := graphtest.Must[*model.DomainPayload](w.t)(w.Mutation().DomainAdd(w.Ctx, host)).Domain
		w.PlantMany(w.t, 1, func(ctx context.Context, c *db.Client, _ []int) error { // as if checked long ago
			return c.Domain.Update().Where(domain.ID(d.ID)).SetCheckedAt(1).Exec(ctx)
		})
		return fmt.Sprintf("id: %q", d.PublicID())
	}
}

// onSender makes the store send from an address of its own, which was checked long ago.
func onSender(w *caller) string {
	graphtest.Must[*model.EmailSendingPayload](w.t)(w.Mutation().EmailSenderSet(w.Ctx, "shop@example.com"))
	w.PlantMany(w.t, 1, func(ctx context.Context, c *db.Client, _ []int) error {
		return c.MailSender.Update().SetCheckedAt(1).Exec(ctx)
	})
	return ""
}

// sellingEffects covers the settings of selling, which emit no events.
var sellingEffects = []effect{
	{field: "shippingZoneCreate", name: "a country", args: fixedArgs(
		`input: {name: "Home", countries: ["DE"], rates: [{name: "Post", priceMinor: 490}, ` +
			`{name: "Shop", kind: PICKUP, priceMinor: 0}]}`)},
	{field: "shippingZoneCreate", name: "a country of another zone",
		args: fixedArgs(`input: {name: "Home", countries: ["DE"], rates: []}`), refused: "taken"},
	{field: "shippingZoneUpdate", name: "another country",
		args: onZone("FR", `input: {name: "Home", countries: ["BE"], restOfWorld: true, rates: []}`)},
	{field: "shippingZoneDelete", name: "a zone", args: onZone("IT")},

	{field: "domainAdd", name: "a subdomain", args: fixedArgs(`host: "www.example.com"`)},
	{field: "domainAdd", name: "the same", args: fixedArgs(`host: "WWW.example.com."`), refused: "taken"},
	{field: "domainAdd", name: "an address", args: fixedArgs(`host: "127.0.0.1"`), refused: "invalid_format"},
	{field: "domainCheck", name: "a domain", args: onDomain("check.example.com")},
	{field: "domainCheck", name: "none", args: fixedArgs(`id: "dom_00000000000000000000000000"`), refused: "not_found"},
	{field: "domainPrefer", name: "a domain", args: onDomain("prefer.example.com")},
	{field: "domainPrefer", name: "the built-in host", args: fixedArgs(`id: null`)},
	{field: "domainRemove", name: "a domain", args: onDomain("remove.example.com")},

	{field: "emailSenderSet", name: "an address", args: fixedArgs(`address: "shop@example.com"`)},
	{field: "emailSenderSet", name: "no address", args: fixedArgs(`address: "example.com"`), refused: "invalid_format"},
	{field: "emailSenderCheck", name: "the address", args: onSender},
	{field: "emailSenderRemove", name: "the address", args: onSender},
	{field: "emailSenderCheck", name: "none", args: fixedArgs(""), refused: "not_found"},

	{field: "taxSettingsUpdate", name: "the first time", args: fixedArgs(`expectedVersion: 0, ` +
		`input: {pricesIncludeTax: true, rates: [{country: "DE", name: "MwSt", basisPoints: 1900}]}`)},
	{field: "taxSettingsUpdate", name: "another version",
		args: fixedArgs(`expectedVersion: 0, input: {pricesIncludeTax: true, rates: []}`), refused: "version_mismatch"},

	{field: "invoiceSettingsUpdate", name: "the first time", args: fixedArgs(`expectedVersion: 0, ` + invoices)},
	{field: "invoiceSettingsUpdate", name: "another version", args: fixedArgs(`expectedVersion: 0, ` + invoices),
		refused: "version_mismatch"},
	{field: "invoicesIssue", name: "one order",
		args: func(w *caller) string { return fmt.Sprintf("orderIds: [%q]", w.order("").PublicID()) }},
	{field: "invoicesIssue", name: "a cancelled order", refused: "invalid_transition",
		args: func(w *caller) string { return fmt.Sprintf("orderIds: [%q]", w.order("cancel").PublicID()) }},

	{field: "paymentSettingsUpdate", name: "the first time", args: fixedArgs(`expectedVersion: 0, ` +
		`input: {methods: [{kind: BANK_TRANSFER, name: "Transfer"}]}`)},
	{field: "paymentSettingsUpdate", name: "another version",
		args: fixedArgs(`expectedVersion: 0, input: {methods: []}`), refused: "version_mismatch"},

	{field: "orderRequestPayment", name: "a transfer", events: "order.updated", args: func(w *caller) string {
		w.offerTransfer()
		return onOrder("", "input: {method: BANK_TRANSFER}")(w)
	}},
	{field: "orderRequestPayment", name: "another method", args: onOrder("", "input: {method: CASH_ON_DELIVERY}"),
		refused: "unknown_value"},

	{field: "paymentAccountSet", name: "the first time", args: byStripe(
		`input: {kind: STRIPE, secretKey: "` + paymenttest.Key + `", signingSecret: "` + paymenttest.Signing + `"}`)},
	{field: "paymentAccountSet", name: "a key that opens nothing", args: byStripe(
		`input: {kind: STRIPE, secretKey: "sk_test_other"}`), refused: "unknown_value"},
	{field: "paymentAccountRemove", name: "an account", args: fixedArgs(`kind: STRIPE`)},
	{field: "paymentAccountRemove", name: "none", args: fixedArgs(`kind: STRIPE`), refused: "not_found"},

	{field: "discountCreate", name: "a percentage",
		args: fixedArgs(`input: {code: "ten", kind: PERCENT, basisPoints: 1000}`)},
	{field: "discountCreate", name: "a code that is taken",
		args: fixedArgs(`input: {code: "TEN", kind: FREE_SHIPPING}`), refused: "taken"},
	{field: "discountUpdate", name: "an amount",
		args: onDiscount("FIVE", `input: {code: "FIVE", kind: AMOUNT, amountMinor: 500}`)},
	{field: "discountDelete", name: "a discount", args: onDiscount("GONE")},

	{field: "customFieldCreate", name: "a text",
		args: fixedArgs(`input: {owner: PRODUCT, name: "a.b", label: "B", type: TEXT}`)},
	{field: "customFieldCreate", name: "a name that is taken",
		args: fixedArgs(`input: {owner: PRODUCT, name: "a.b", label: "B", type: URL}`), refused: "taken"},
	{field: "customFieldUpdate", name: "filterable", args: onField("a.c", `input: {filterable: true}`)},
	{field: "customFieldDelete", name: "a field", args: onField("a.d")},

	{field: "locationCreate", name: "a shop", args: fixedArgs(`input: {name: "Shop"}`)},
	{field: "locationUpdate", name: "its name", args: onLocation(`input: {name: "Harbor"}`)},
	{field: "locationReorder", name: "the newest first", args: everyLocation},
	{field: "locationReorder", name: "of another store", args: fixedArgs(`ids: ["loc_1"]`), refused: "unknown_value"},
	{field: "locationClose", name: "an empty one", args: onLocation()},

	{field: "collectionCreate", name: "by hand", args: fixedArgs(`input: {title: "Summer", handle: "summer"}`)},
	{field: "collectionCreate", name: "a handle that is taken",
		args: fixedArgs(`input: {title: "Another", handle: "summer"}`), refused: "taken"},
	{field: "collectionUpdate", name: "a rule", args: onCollection(
		`input: {title: "Blue", rule: {conditions: [{field: TAG, text: "blue"}]}}`)},
	{field: "collectionDelete", name: "a collection", args: onCollection()},
}

// offerTransfer lets shoppers pay by bank transfer, unless another effect has set how they pay.
func (w *caller) offerTransfer() {
	w.t.Helper()
	now := graphtest.Must[*model.PaymentSettings](w.t)(w.Query().PaymentSettings(w.Ctx))
	if now.Version > 0 {
		return
	}
	in := model.PaymentSettingsInput{Methods: []*model.PaymentMethodInput{
		{Kind: state.PaymentTransfer, Name: "Transfer", Active: true}}}
	graphtest.Must[*model.PaymentSettingsPayload](w.t)(w.Mutation().PaymentSettingsUpdate(w.Ctx, 0, in))
}
