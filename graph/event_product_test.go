package graph_test

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// onProduct returns arguments for a product with stock after the steps of way.
func onProduct(way string, more ...string) func(*caller) string {
	return func(w *caller) string {
		p, m := graphtest.NewStockedProduct(w.t, w.Ctx, w.Resolver, 100, 10), w.Mutation()
		for move := range strings.FieldsSeq(way) {
			next := m.ProductPublish
			if move == "archive" {
				next = m.ProductArchive
			}
			p = graphtest.Must[*model.ProductPayload](w.t)(next(w.Ctx, p.PublicID(), p.Version)).Product
		}
		return at(p.PublicID(), p.Version, more...)
	}
}

// onVariant returns arguments for the first variant of a product with options.
func onVariant(input string) func(*caller) string {
	return func(w *caller) string {
		p := graphtest.NewProduct(w.t, w.Ctx, w.Resolver, graphtest.Shirt())
		return at(p.PublicID(), p.Version, fmt.Sprintf("variantId: %q", p.Variants[0].PublicID()), "input: "+input)
	}
}

// onCustomer returns arguments for a customer after the steps of way.
func onCustomer(way string, more ...string) func(*caller) string {
	return func(w *caller) string {
		c := w.customer(way)
		return at(c.PublicID(), c.Version, more...)
	}
}

// newReference upserts with a reference that no product has, and referenced with one that a product has.
func newReference(input string) func(*caller) string {
	return func(*caller) string { return fmt.Sprintf("externalReference: %q, input: ", rand.Text()) + input }
}

func referenced(input string) func(*caller) string {
	return func(w *caller) string {
		in := graphtest.Mug()
		in.Title, in.Handle, in.ExternalReference = "Mug", nil, new(rand.Text())
		graphtest.NewProduct(w.t, w.Ctx, w.Resolver, in)
		return fmt.Sprintf("externalReference: %q, input: ", *in.ExternalReference) + input
	}
}

// catalogEffects covers the state machines of products and customers.
var catalogEffects = []effect{
	{field: "productCreate", name: "a draft",
		args:   fixedArgs(`input: {title: "Cup", priceMinor: 1, currency: "EUR", inventoryQuantity: 3}`),
		events: "product.created"},
	{field: "productCreate", name: "imported",
		args:   fixedArgs(`input: {title: "Cup", priceMinor: 1, currency: "EUR", createdAt: "2020-01-02T03:04:05Z"}`),
		events: "product.created"},
	{field: "productCreate", name: "a handle that is taken", args: func(w *caller) string {
		return fmt.Sprintf(`input: {title: "Cup", priceMinor: 1, currency: "EUR", handle: %q}`,
			graphtest.NewStockedProduct(w.t, w.Ctx, w.Resolver, 1).Handle)
	}, refused: "taken"},

	{field: "productUpdate", name: "its title", args: onProduct("", `input: {title: "Jug"}`),
		events: "product.updated"},
	{field: "productUpdate", name: "an active one", args: onProduct("publish", `input: {title: "Jug", priceMinor: 5}`),
		events: "product.updated"},
	{field: "productUpdate", name: "its inventory alone", args: onProduct("", `input: {inventoryQuantity: 5}`)},
	{field: "productUpdate", name: "no inventory any more", args: onProduct("", `input: {inventoryQuantity: null}`)},
	{field: "productUpdate", name: "its inventory too",
		args: onProduct("", `input: {inventoryQuantity: 5, title: "Jug"}`), events: "product.updated"},
	{field: "productUpdate", name: "its inventory, and a title as it is",
		args: onProduct("", `input: {inventoryQuantity: 5, title: "Mug"}`)},
	{field: "productUpdate", name: "nothing", args: onProduct("", `input: {title: "Mug", priceMinor: 100}`)},
	{field: "productUpdate", name: "a currency that the store does not sell in",
		args: onProduct("publish", `input: {currency: "JPY"}`), refused: "currency_mismatch"},

	{field: "productUpdate", name: "the price of one with options", args: func(w *caller) string {
		p := graphtest.NewProduct(w.t, w.Ctx, w.Resolver, graphtest.Shirt())
		return at(p.PublicID(), p.Version, "input: {priceMinor: 5}")
	}, refused: "has_variants"},
	{field: "productCreate", name: "with options", args: fixedArgs(`input: {title: "Cup", priceMinor: 1, currency: "EUR",
		options: [{name: "Size", values: ["S"]}], variants: [{options: ["S"], priceMinor: 3}]}`),
		events: "product.created"},
	{field: "productUpsert", name: "a new reference",
		args:   newReference(`{title: "Cup", priceMinor: 1, currency: "EUR"}`),
		events: "product.created"},
	{field: "productUpsert", name: "a known reference", args: referenced(`{title: "Jug"}`), events: "product.updated"},
	{field: "productUpsert", name: "nothing new", args: referenced(`{title: "Mug"}`)},
	{field: "productUpsert", name: "a new reference without a price",
		args: newReference(`{title: "Cup"}`), refused: "required"},
	{field: "inventoryAdjust", name: "more", args: func(w *caller) string {
		p := graphtest.NewStockedProduct(w.t, w.Ctx, w.Resolver, 100, 5)
		return fmt.Sprintf("lines: [{variantId: %q, delta: 1}]", xid.Variant.Format(p.ID))
	}},
	{field: "inventoryAdjust", name: "an unknown SKU", args: fixedArgs(`lines: [{sku: "none", set: 1}]`),
		refused: "unknown_value"},
	{field: "inventoryTransfer", name: "to a shop", args: func(w *caller) string {
		p := graphtest.NewStockedProduct(w.t, w.Ctx, w.Resolver, 100, 5)
		return fmt.Sprintf("input: {from: %q, to: %q, lines: [{variantId: %q, quantity: 1}]}",
			xid.Location.Format(w.Model.ID), newLocation(w).PublicID(), xid.Variant.Format(p.ID))
	}},
	{field: "inventoryTransfer", name: "to nowhere",
		args:    fixedArgs(`input: {from: "loc_1", to: "loc_2", lines: [{sku: "none", quantity: 1}]}`),
		refused: "unknown_value"},
	{field: "productVariantsSet", name: "two sizes", args: onProduct("", `options: [{name: "Size", values: ["S", "M"]}]`,
		`variants: [{options: ["S"], priceMinor: 1}, {options: ["M"], priceMinor: 2}]`), events: "product.updated"},
	{field: "productVariantsSet", name: "as they are", args: onProduct("", "options: []",
		`variants: [{options: [], priceMinor: 100, sku: "MUG-1", inventoryQuantity: 10}]`)},
	{field: "productVariantsSet", name: "their inventory alone", args: onProduct("", "options: []",
		`variants: [{options: [], priceMinor: 100, sku: "MUG-1", inventoryQuantity: 9}]`)},
	{field: "productVariantsSet", name: "a combination twice", args: onProduct("",
		`options: [{name: "Size", values: ["S"]}]`,
		`variants: [{options: ["S"], priceMinor: 1}, {options: ["S"], priceMinor: 2}]`), refused: "taken"},
	{field: "productVariantUpdate", name: "its price", args: onVariant("{priceMinor: 5}"), events: "product.updated"},
	{field: "productVariantUpdate", name: "its inventory alone", args: onVariant("{inventoryQuantity: 5}")},
	{field: "productVariantUpdate", name: "nothing", args: onVariant("{}")},
	{field: "productVariantUpdate", name: "an unknown one",
		args:    onProduct("", fmt.Sprintf("variantId: %q", xid.Variant.Format(xid.New())), "input: {}"),
		refused: "not_found"},

	{field: "productSaleSet", name: "half price", args: func(w *caller) string {
		p := graphtest.NewStockedProduct(w.t, w.Ctx, w.Resolver, 100)
		return at(p.PublicID(), p.Version, fmt.Sprintf("sale: {prices: [{variantId: %q, priceMinor: 50}]}",
			xid.Variant.Format(p.ID)))
	}, events: "product.updated"},
	{field: "productSaleSet", name: "none, as before", args: onProduct("", "sale: null")},
	{field: "productSaleSet", name: "without a price", args: onProduct("", "sale: {prices: []}"), refused: "too_short"},

	{field: "productPublish", name: "a draft", args: onProduct(""), events: "product.published product.updated"},
	{field: "productPublish", name: "again", args: onProduct("publish"), refused: "invalid_transition"},
	{field: "productUnpublish", name: "an active one", args: onProduct("publish"),
		events: "product.unpublished product.updated"},
	{field: "productUnpublish", name: "a draft", args: onProduct(""), refused: "invalid_transition"},
	{field: "productArchive", name: "a draft", args: onProduct(""), events: "product.archived product.updated"},
	{field: "productArchive", name: "an active one", args: onProduct("publish"),
		events: "product.archived product.updated"},
	{field: "productArchive", name: "again", args: onProduct("archive"), refused: "invalid_transition"},
	{field: "productRestore", name: "an archived one", args: onProduct("archive"), events: "product.updated"},
	{field: "productRestore", name: "a draft", args: onProduct(""), refused: "invalid_transition"},
	{field: "productDelete", name: "a draft", args: onProduct(""), events: "product.deleted"},
	{field: "productDelete", name: "an active one", args: onProduct("publish"), events: "product.deleted"},
	{field: "productDelete", name: "one that was ordered", args: func(w *caller) string {
		p := graphtest.Must[*db.Product](w.t)(w.ProductRow(w.Ctx, *w.order("").Lines[0].ProductID))
		return at(p.PublicID(), p.Version)
	}, events: "product.deleted"},
	{field: "productDelete", name: "a stale version",
		args: func(w *caller) string {
			return at(graphtest.NewStockedProduct(w.t, w.Ctx, w.Resolver, 1).PublicID(), 7)
		},
		refused: "version_mismatch"},

	{field: "customerCreate", name: "a guest", args: fixedArgs("input: {status: GUEST}"), events: "customer.created"},
	{field: "customerCreate", name: "an e-mail address that is taken", args: func(w *caller) string {
		return fmt.Sprintf("input: {email: %q}", *w.customer("").Email)
	}, refused: "taken"},
	{field: "customerUpdate", name: "some members", args: onCustomer("", `input: {note: "x", tags: []}`),
		events: "customer.updated"},
	{field: "customerUpdate", name: "a disabled one", args: onCustomer("disable", `input: {note: "x"}`),
		events: "customer.updated"},
	{field: "customerUpdate", name: "nothing", args: onCustomer("", `input: {lastName: "Lovelace"}`)},
	{field: "customerUpdate", name: "a redacted one", args: onCustomer("redact", `input: {note: "x"}`),
		refused: "invalid_transition"},
	{field: "customerDisable", name: "an active one", args: onCustomer(""), events: "customer.updated"},
	{field: "customerDisable", name: "again", args: onCustomer("disable"), refused: "invalid_transition"},
	{field: "customerEnable", name: "a disabled one", args: onCustomer("disable"), events: "customer.updated"},
	{field: "customerEnable", name: "an active one", args: onCustomer(""), refused: "invalid_transition"},
	{field: "customerRedact", name: "without orders", args: onCustomer(""), events: "customer.redacted"},
	{field: "customerRedact", name: "with orders", args: func(w *caller) string {
		c := w.customer("")
		open, lost, bare := w.orderOf(c), w.orderOf(c), w.orderOf(c)
		graphtest.Must[*model.OrderPayload](w.t)(graphtest.Steps["cancel"](w.Ctx, w.Mutation(), lost))
		graphtest.Must[*model.OrderPayload](w.t)(graphtest.Steps["mark_paid"](w.Ctx, w.Mutation(), open))
		none := model.OrderUpdateInput{Email: graphtest.Given[*string](nil)} // nothing is left to redact
		graphtest.Must[*model.OrderPayload](w.t)(w.Mutation().OrderUpdate(w.Ctx, bare.PublicID(), bare.Version, none))
		return at(c.PublicID(), graphtest.ReadCustomer(w.t, w.Ctx, w.Resolver, c.ID).Version)
	}, events: "customer.redacted; order.updated; order.updated"},
	{field: "customerRedact", name: "again", args: onCustomer("redact"), refused: "invalid_transition"},
}
