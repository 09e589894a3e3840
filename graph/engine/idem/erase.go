package idem

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/idempotency"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

type subject struct {
	id     *xid.ID
	nobody bool
}

type subjectKey struct{}

func (s *subject) with(ctx context.Context) context.Context {
	*s = subject{} // each run starts afresh
	return context.WithValue(ctx, subjectKey{}, s)
}

// About records that the answer to the request of ctx may show a customer, or a customer's data in
// an order: it is erased when the customer is redacted. Without an idempotency key it does nothing.
func About(ctx context.Context, id xid.ID) {
	if s, ok := ctx.Value(subjectKey{}).(*subject); ok && !s.nobody {
		s.id = &id
	}
}

// AboutAnyCustomer records that the answer to the request of ctx may show any customer of the store,
// for example in the answers of webhook receivers: it is erased when any customer is redacted.
func AboutAnyCustomer(ctx context.Context) { About(ctx, viewer.From(ctx).Store) }

// AboutNoCustomer records that the answer shows no customer, whatever [About] says.
func AboutNoCustomer(ctx context.Context) {
	if s, ok := ctx.Value(subjectKey{}).(*subject); ok {
		*s = subject{nobody: true}
	}
}

// Kept is a stored answer and the subject that it may show.
type Kept struct{ ID, About xid.ID }

// After returns stored answers of the viewer's store after an id, in the order of ids, and the id
// to continue from; nil at the end. It reads up to most rows and returns those that may show a
// customer and were claimed before a time.
func After(ctx context.Context, c *db.Client, id xid.ID, before micros.Time, most int) ([]Kept, *xid.ID, error) {
	rows, err := c.Idempotency.Query().Where(idempotency.IDGT(id)).Order(idempotency.ByID()).Limit(most).
		Select(idempotency.FieldStoreID, idempotency.FieldID, idempotency.FieldAboutID, idempotency.FieldCreatedAt).
		All(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read kept answers: %w", err)
	}
	var list []Kept
	for _, row := range rows {
		if row.AboutID != nil && row.CreatedAt < before {
			list = append(list, Kept{row.ID, *row.AboutID})
		}
	}
	if len(rows) < most {
		return list, nil, nil
	}
	return list, &rows[len(rows)-1].ID, nil
}

// Erase removes the stored answers in the transaction of ctx. The keys stay: a retry learns that
// its request was carried out and that the answer is gone.
func Erase(ctx context.Context, c *db.Client, answers []Kept) error {
	ids, about := make([]xid.ID, len(answers)), make([]xid.ID, len(answers))
	for i, a := range answers {
		ids[i], about[i] = a.ID, a.About
	}
	// An expired key may belong to another request by now.
	_, err := c.Idempotency.Update().Where(idempotency.IDIn(ids...), idempotency.AboutIDIn(about...)).ClearAnswer().
		Save(ctx)
	return fault.Wrap("erase kept answers", err)
}
