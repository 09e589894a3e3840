package graph_test

import (
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// onProduct are the arguments for a product with stock that went a way.
func onProduct(way string, more ...string) func(*caller) string {
	return func(w *caller) string {
		p, m := graphtest.Ware(w.t, w.Ctx, w.Resolver, 100, 10), w.Mutation()
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

// onCustomer are the arguments for a customer who went a way.
func onCustomer(way string, more ...string) func(*caller) string {
	return func(w *caller) string {
		c := w.customer(way)
		return at(c.PublicID(), c.Version, more...)
	}
}

// catalogueEffects are the state machines of products and customers.
var catalogueEffects = []effect{
	{"productCreate", "a draft", fixedArgs(`input: {title: "Cup", priceMinor: 1, currency: "EUR", inventoryQuantity: 3}`), "product.created", ""},
	{"productCreate", "imported", fixedArgs(`input: {title: "Cup", priceMinor: 1, currency: "EUR", createdAt: "2020-01-02T03:04:05Z"}`), "product.created", ""},
	{"productCreate", "a handle that is taken", func(w *caller) string {
		return fmt.Sprintf(`input: {title: "Cup", priceMinor: 1, currency: "EUR", handle: %q}`, graphtest.Ware(w.t, w.Ctx, w.Resolver, 1).Handle)
	}, "", "taken"},

	{"productUpdate", "its title", onProduct("", `input: {title: "Jug"}`), "product.updated", ""},
	{"productUpdate", "an active one", onProduct("publish", `input: {title: "Jug", priceMinor: 5}`), "product.updated", ""},
	{"productUpdate", "its inventory alone", onProduct("", `input: {inventoryQuantity: 5}`), "", ""},
	{"productUpdate", "no inventory any more", onProduct("", `input: {inventoryQuantity: null}`), "", ""},
	{"productUpdate", "its inventory too", onProduct("", `input: {inventoryQuantity: 5, title: "Jug"}`), "product.updated", ""},
	{"productUpdate", "its inventory, and a title as it is", onProduct("", `input: {inventoryQuantity: 5, title: "Mug"}`), "", ""},
	{"productUpdate", "nothing", onProduct("", `input: {title: "Mug", priceMinor: 100}`), "", ""},
	{"productUpdate", "a currency that the store does not sell in", onProduct("publish", `input: {currency: "JPY"}`), "", "currency_mismatch"},

	{"productPublish", "a draft", onProduct(""), "product.published product.updated", ""},
	{"productPublish", "again", onProduct("publish"), "", "invalid_transition"},
	{"productUnpublish", "an active one", onProduct("publish"), "product.unpublished product.updated", ""},
	{"productUnpublish", "a draft", onProduct(""), "", "invalid_transition"},
	{"productArchive", "a draft", onProduct(""), "product.archived product.updated", ""},
	{"productArchive", "an active one", onProduct("publish"), "product.archived product.updated", ""},
	{"productArchive", "again", onProduct("archive"), "", "invalid_transition"},
	{"productRestore", "an archived one", onProduct("archive"), "product.updated", ""},
	{"productRestore", "a draft", onProduct(""), "", "invalid_transition"},
	{"productDelete", "a draft", onProduct(""), "product.deleted", ""},
	{"productDelete", "an active one", onProduct("publish"), "product.deleted", ""},
	{"productDelete", "one that was ordered", func(w *caller) string {
		p := graphtest.Must[*db.Product](w.t)(w.ProductRow(w.Ctx, *w.order("").Lines[0].ProductID))
		return at(p.PublicID(), p.Version)
	}, "product.deleted", ""},
	{"productDelete", "a stale version", func(w *caller) string { return at(graphtest.Ware(w.t, w.Ctx, w.Resolver, 1).PublicID(), 7) }, "", "version_mismatch"},

	{"customerCreate", "a guest", fixedArgs("input: {status: GUEST}"), "customer.created", ""},
	{"customerCreate", "an e-mail address that is taken", func(w *caller) string {
		return fmt.Sprintf("input: {email: %q}", *w.customer("").Email)
	}, "", "taken"},
	{"customerUpdate", "some members", onCustomer("", `input: {note: "x", tags: []}`), "customer.updated", ""},
	{"customerUpdate", "a disabled one", onCustomer("disable", `input: {note: "x"}`), "customer.updated", ""},
	{"customerUpdate", "nothing", onCustomer("", `input: {lastName: "Lovelace"}`), "", ""},
	{"customerUpdate", "a redacted one", onCustomer("redact", `input: {note: "x"}`), "", "invalid_transition"},
	{"customerDisable", "an active one", onCustomer(""), "customer.updated", ""},
	{"customerDisable", "again", onCustomer("disable"), "", "invalid_transition"},
	{"customerEnable", "a disabled one", onCustomer("disable"), "customer.updated", ""},
	{"customerEnable", "an active one", onCustomer(""), "", "invalid_transition"},
	{"customerRedact", "without orders", onCustomer(""), "customer.redacted", ""},
	{"customerRedact", "with orders", func(w *caller) string {
		c := w.customer("")
		open, lost, bare := w.orderOf(c), w.orderOf(c), w.orderOf(c)
		graphtest.Must[*model.OrderPayload](w.t)(graphtest.Steps["cancel"](w.Ctx, w.Mutation(), lost))
		graphtest.Must[*model.OrderPayload](w.t)(graphtest.Steps["mark_paid"](w.Ctx, w.Mutation(), open))
		none := model.OrderUpdateInput{Email: graphtest.Said[*string](nil)} // nothing is left to redact of this one
		graphtest.Must[*model.OrderPayload](w.t)(w.Mutation().OrderUpdate(w.Ctx, bare.PublicID(), bare.Version, none))
		return at(c.PublicID(), graphtest.Again(w.t, w.Ctx, w.Resolver, c.ID).Version)
	}, "customer.redacted; order.updated; order.updated", ""},
	{"customerRedact", "again", onCustomer("redact"), "", "invalid_transition"},
}
