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

// exportEffects are the mutations of exports, which emit nothing: that a file is
// whole, or given up, the engine announces.
var exportEffects = []effect{
	{field: "exportStart", name: "orders", args: fixedArgs("input: {kind: ORDERS}")},
	{field: "exportStart", name: "refused", args: fixedArgs(`input: {kind: ORDERS, filters: {status: "draft"}}`),
		refused: "unknown_value"},
	{field: "exportCancel", name: "queued", args: onExport(false)},
	{field: "exportCancel", name: "cancelled", args: onExport(true), refused: "invalid_transition"},
	{field: "exportDelete", name: "queued", args: onExport(false)},
	{field: "exportDelete", name: "cancelled", args: onExport(true)},
}
