package graph_test

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// onExport returns arguments for an export of the shop, canceled or not.
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

// onImport returns arguments for an import of the shop.
func onImport(w *caller) string {
	i := with(w, func(ctx context.Context, m graph.Mutation) (*model.ImportPayload, error) {
		return m.ImportStart(ctx, model.ImportStartInput{Kind: state.ImportProducts, Content: new("e30=")})
	}).Import
	return fmt.Sprintf("id: %q", i.PublicID())
}

// exportEffects covers the mutations of exports, which emit nothing: the engine emits the events of
// completed and failed exports.
var exportEffects = []effect{
	{field: "reportCreate", name: "a month",
		args: fixedArgs(`input: {firstDay: "2026-01-01", lastDay: "2026-01-31"}`)},
	{field: "reportCreate", name: "backwards", refused: "out_of_range",
		args: fixedArgs(`input: {firstDay: "2026-01-31", lastDay: "2026-01-01"}`)},
	{field: "importStart", name: "a file", args: fixedArgs(`input: {kind: PRODUCTS, content: "e30="}`)},
	{field: "importStart", name: "no file", args: fixedArgs(`input: {kind: PRODUCTS}`), refused: "required"},
	{field: "importCancel", name: "queued", args: onImport},
	{field: "exportStart", name: "orders", args: fixedArgs("input: {kind: ORDERS}")},
	{field: "exportStart", name: "refused", args: fixedArgs(`input: {kind: ORDERS, filters: {status: "draft"}}`),
		refused: "unknown_value"},
	{field: "exportCancel", name: "queued", args: onExport(false)},
	{field: "exportCancel", name: "cancelled", args: onExport(true), refused: "invalid_transition"},
	{field: "exportDelete", name: "queued", args: onExport(false)},
	{field: "exportDelete", name: "cancelled", args: onExport(true)},
}
