package graph_test

import (
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// testStoreEffects covers the mutations that only test stores have.
var testStoreEffects = []effect{
	{field: "testStoreFill", name: "an empty one", args: func(w *caller) string { return w.inTestStore(false) },
		events: samples()},
	{field: "testStoreFill", name: "a full one", refused: "invalid_transition",
		args: func(w *caller) string { return w.inTestStore(true) }},
	{field: "testStoreFill", name: "a real one", refused: "invalid_transition", args: fixedArgs("")},
	{field: "testStoreReset", name: "a full one", args: func(w *caller) string { return w.inTestStore(true) },
		events: strings.Join(slices.Repeat([]string{"product.deleted"}, 12), "; ")},
	{field: "testStoreReset", name: "a real one", refused: "invalid_transition", args: fixedArgs("")},
}

// samples returns the events of filling a test store: those of each sample, as if people had
// created it.
func samples() string {
	const paid = "order.created order.paid"
	return strings.Join(slices.Concat(
		slices.Repeat([]string{"customer.created"}, 8),
		slices.Repeat([]string{"order.created"}, 4),
		slices.Repeat([]string{"order.created order.cancelled"}, 2),
		slices.Repeat([]string{paid}, 5),
		slices.Repeat([]string{paid + " order.fulfilled"}, 4),
		slices.Repeat([]string{paid + " order.fulfilled order.completed"}, 5),
		slices.Repeat([]string{"product.created"}, 2),
		slices.Repeat([]string{"product.created product.published product.updated"}, 10)), "; ")
}

// inTestStore makes calls as the owner of a test store.
func (w *caller) inTestStore(full bool) string {
	w.t.Helper()
	made, _, err := w.NewStore(w.Ctx, model.StoreCreateInput{Name: "Trial", Currency: "EUR", Timezone: "UTC",
		Test: true}, access.Person{ID: w.Owner.ID})
	if err != nil {
		w.t.Fatal(err)
	}
	beside := *w.Shop
	beside.Model, beside.Ctx = made, viewer.Operator(w.t.Context(), made.ID)
	if full {
		graphtest.Must[*model.StorePayload](w.t)(beside.Mutation().TestStoreFill(beside.Ctx))
	}
	w.token = w.tokenOf(&beside)
	return ""
}
