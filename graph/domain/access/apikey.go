package access

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// APIKeys lists the keys of the store, including revoked ones, newest first.
func (q Query) APIKeys(ctx context.Context, first *int, after *string) (*model.APIKeyConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.APIKey]{
		Name: "api_keys",
		At:   func(k *model.APIKey) page.Position { return core.ByID(k.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.APIKey, error) {
			query := q.Client(ctx).APIKey.Query()
			query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply)
			rows, err := query.Load(ctx)
			keys := make([]*model.APIKey, len(rows))
			for i, row := range rows {
				keys[i] = &model.APIKey{APIKey: row}
			}
			return keys, err
		},
	}, first, after)
}

// APIKey returns one key of the viewer's store.
func (q Query) APIKey(ctx context.Context, id string) (*model.APIKey, error) {
	uid, err := core.ParseID(xid.APIKey, id)
	if err != nil {
		return nil, err
	}
	row, err := q.apiKey(ctx, uid)
	if err != nil {
		return nil, core.Explain("API key", err)
	}
	return &model.APIKey{APIKey: row}, nil
}

func (r *Resolver) apiKey(ctx context.Context, id xid.ID) (*db.APIKey, error) {
	return core.Only(r.Client(ctx).APIKey.Query().Where(apikey.ID(id)).Load(ctx))
}
