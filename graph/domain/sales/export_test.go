package sales

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// Exports for the tests in package sales_test.
const MaxAmount = maxAmount

var CheckAddress = checkAddress
var EncodeOrder = encodeOrder

// NoteRow returns the row of a note.
func (m Mutation) NoteRow(ctx context.Context, id, order xid.ID, in model.OrderNoteInput) *db.NoteCreate {
	return m.noteRow(ctx, id, order, in)
}

// FillSome fills in the lines of the next orders of a store that changed before a time.
func (r *Resolver) FillSome(ctx context.Context, until micros.Time) (filled int, more bool, err error) {
	err = r.Store.InTx(ctx, func(ctx context.Context) (err error) {
		filled, more, err = r.fillSome(ctx, until)
		return err
	})
	return filled, more, err
}

// SetBatch is how many orders one call of FillSome reads.
const SetBatch = setBatch
