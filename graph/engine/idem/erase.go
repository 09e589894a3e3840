package idem

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/idempotency"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// subject is whom or what the answer to a request may show.
type subject struct {
	id     *xid.ID
	nobody bool
}

type subjectKey struct{}

func (s *subject) with(ctx context.Context) context.Context {
	*s = subject{} // a run begins from nothing
	return context.WithValue(ctx, subjectKey{}, s)
}

// About notes that the answer to the request of ctx may show a customer, or what an
// order says of one: when they are redacted it is erased. Without a key it does
// nothing.
func About(ctx context.Context, id xid.ID) {
	if s, ok := ctx.Value(subjectKey{}).(*subject); ok && !s.nobody {
		s.id = &id
	}
}

// AboutAnybody notes that the answer to the request of ctx may show any customer of the
// store, such as what receivers of webhooks answered: it is erased when one is redacted.
func AboutAnybody(ctx context.Context) { About(ctx, viewer.From(ctx).Store) }

// AboutNobody notes that the answer shows nothing of anybody, whatever [About] says:
// that of the redaction itself.
func AboutNobody(ctx context.Context) {
	if s, ok := ctx.Value(subjectKey{}).(*subject); ok {
		*s = subject{nobody: true}
	}
}

// Kept is a kept answer and what it may show.
type Kept struct{ ID, About xid.ID }

// After returns kept answers of the viewer's store behind an id, by their ids, and the
// id to go on from: nil at the end. Of up to most rows it returns those that may show
// something and were claimed before a time.
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

// Erase removes what was answered, in the transaction of ctx. The keys stay: a retry
// learns that its request was carried out, and that the answer is gone.
func Erase(ctx context.Context, c *db.Client, answers []Kept) error {
	ids, about := make([]xid.ID, len(answers)), make([]xid.ID, len(answers))
	for i, a := range answers {
		ids[i], about[i] = a.ID, a.About
	}
	// A key that expired may be another request's by now.
	_, err := c.Idempotency.Update().Where(idempotency.IDIn(ids...), idempotency.AboutIDIn(about...)).ClearAnswer().
		Save(ctx)
	if err != nil {
		return fmt.Errorf("erase kept answers: %w", err)
	}
	return nil
}
