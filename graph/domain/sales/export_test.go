package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// Exports for the tests in package sales_test.
const MaxAmount = maxAmount

var EncodeOrder = encodeOrder

// NoteRow returns the row of a note.
func (m Mutation) NoteRow(ctx context.Context, id, order xid.ID, in model.OrderNoteInput) *db.NoteCreate {
	return m.noteRow(ctx, id, order, in)
}
