package customfield

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customfield"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// CustomFields lists the custom fields of the viewer's store, newest first. A store has at most a few
// hundred.
func (q Query) CustomFields(
	ctx context.Context, owner *state.CustomFieldOwner, first *int, after *string,
) (*model.CustomFieldConnection, error) {
	var filters []string
	core.Opt(owner, func(o state.CustomFieldOwner) { filters = []string{"owner", string(o)} })
	return core.Connect(ctx, q.Core, core.List[*db.CustomField]{
		Name: "custom fields", Filters: filters,
		At: func(f *db.CustomField) page.Position { return core.ByID(f.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*db.CustomField, error) {
			query := q.Client(ctx).CustomField.Query().Where(customfield.Gone(false))
			core.Opt(owner, func(o state.CustomFieldOwner) { query.Where(customfield.OwnerEQ(o)) })
			query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply)
			return query.Load(ctx)
		},
	}, first, after)
}

// CustomField returns one custom field of the viewer's store.
func (q Query) CustomField(ctx context.Context, id string) (*db.CustomField, error) {
	return core.Get(ctx, xid.CustomField, id, q.field)
}

// field reads one custom field that was not deleted.
func (r *Resolver) field(ctx context.Context, id xid.ID) (*db.CustomField, error) {
	return core.Only(r.Client(ctx).CustomField.Query().Where(customfield.ID(id), customfield.Gone(false)).Load(ctx))
}
