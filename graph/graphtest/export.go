package graphtest

import (
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
)

// ExportOf returns an input for an export as plain CSV.
func ExportOf(kind state.ExportKind) model.ExportStartInput {
	return model.ExportStartInput{Kind: kind, Format: state.ExportCSV, Compression: state.ExportPlain}
}
