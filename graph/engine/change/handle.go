package change

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/formerhandle"
	"github.com/storefront-go/storefront/ent/xid"
)

// maxFormerHandles bounds the former handles that are kept for one resource. The newest are kept.
const maxFormerHandles = 20

// Handles keeps the former handles of the rows of one kind.
type Handles[R any] struct {
	Store *ent.Store
	// Of returns the handle of a row.
	Of func(R) string
}

// keep stores a former handle of a resource in the transaction of ctx.
func (h *Handles[R]) keep(ctx context.Context, kind xid.Kind, id xid.ID, former string) error {
	c := h.Store.DB(ctx).FormerHandle
	err := c.Create().SetKind(kind).SetHandle(former).SetResourceID(id).Exec(ctx)
	if ent.IsDuplicate(err) { // another resource had it earlier
		_, err = c.Update().Where(formerhandle.KindEQ(kind), formerhandle.Handle(former)).SetResourceID(id).Save(ctx)
	}
	if err != nil {
		return fmt.Errorf("keep a former handle: %w", err)
	}
	rows, err := c.Query().Where(formerhandle.ResourceID(id)).
		Order(formerhandle.ByID(sql.OrderDesc())).Limit(maxFormerHandles + 1).Load(ctx)
	if err == nil && len(rows) > maxFormerHandles {
		_, err = c.Delete().Where(formerhandle.ID(rows[maxFormerHandles].ID)).Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("bound former handles: %w", err)
	}
	return nil
}

// forget removes all former handles of a deleted resource.
func (h *Handles[R]) forget(ctx context.Context, id xid.ID) error {
	_, err := h.Store.DB(ctx).FormerHandle.Delete().Where(formerhandle.ResourceID(id)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("remove former handles: %w", err)
	}
	return nil
}
