package graph_test

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// onExport are the arguments for a job of the shop, cancelled before or not.
func onExport(cancelled bool) func(*caller) string {
	return func(w *caller) string {
		e := with(w, func(ctx context.Context, m graph.Mutation) (*model.ExportPayload, error) {
			return m.ExportStart(ctx, graphtest.ExportOf(state.ExportOrders))
		}).Export
		if cancelled {
			with(w, func(ctx context.Context, m graph.Mutation) (*model.ExportPayload, error) {
				return m.ExportCancel(ctx, e.PublicID())
			})
		}
		return fmt.Sprintf("id: %q", e.PublicID())
	}
}

// exportEffects are the mutations of exports, which tell nothing: that a file is
// whole, or given up, the engine tells.
var exportEffects = []effect{
	{"exportStart", "orders", fixedArgs("input: {kind: ORDERS}"), "", ""},
	{"exportStart", "refused", fixedArgs(`input: {kind: ORDERS, filters: {status: "draft"}}`), "", "unknown_value"},
	{"exportCancel", "queued", onExport(false), "", ""},
	{"exportCancel", "cancelled", onExport(true), "", "invalid_transition"},
	{"exportDelete", "queued", onExport(false), "", ""},
	{"exportDelete", "cancelled", onExport(true), "", ""},
}
