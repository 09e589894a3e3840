package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/db/storehandle"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const storePage = 200

// Stores returns every store, oldest first.
func (b *Base) Stores(ctx context.Context) ([]*db.Store, error) {
	var all []*db.Store
	after := xid.Nil
	for {
		page, err := b.storesAfter(ctx, after, storePage)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < storePage {
			return all, nil
		}
		after = page[len(page)-1].ID
	}
}

func (b *Base) storesAfter(ctx context.Context, after xid.ID, limit int) ([]*db.Store, error) {
	list, err := ent.Gather(viewer.Everywhere(ctx), b.Store, func(ctx context.Context) ([]*db.Store, error) {
		return b.Store.Seek(ctx).Store.Query().Where(store.IDGT(after)).
			Order(db.Asc(store.FieldID)).Limit(limit).All(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("list stores: %w", err)
	}
	slices.SortFunc(list, func(a, b *db.Store) int { return a.ID.Compare(b.ID) })
	return list[:min(len(list), limit)], nil
}

func (b *Base) empty(ctx context.Context) (bool, error) {
	list, err := b.storesAfter(ctx, xid.Nil, 1)
	return len(list) == 0, err
}

// FindStore returns a store by its handle or id. An empty name means the only store.
func (b *Base) FindStore(ctx context.Context, name string) (*db.Store, error) {
	if name == "" {
		return b.onlyStore(ctx)
	}
	ctx = viewer.Everywhere(ctx)
	client := b.Store.DB(ctx)
	id, err := xid.Store.Parse(name)
	if err != nil {
		entry, err := client.StoreHandle.Query().Where(storehandle.ID(name)).Only(ctx)
		if db.IsNotFound(err) {
			return nil, fmt.Errorf("there is no store %q: `storefront store list` shows all", name)
		}
		if err != nil {
			return nil, fmt.Errorf("find store: %w", err)
		}
		id = entry.StoreID
	}
	found, err := client.Store.Query().Where(store.ID(id)).Only(ctx)
	if db.IsNotFound(err) {
		return nil, fmt.Errorf("there is no store %q: `storefront store list` shows all", name)
	}
	if err != nil {
		return nil, fmt.Errorf("find store: %w", err)
	}
	return found, nil
}

func (b *Base) onlyStore(ctx context.Context) (*db.Store, error) {
	list, err := b.storesAfter(ctx, xid.Nil, 2)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, errors.New("there is no store yet: create one with `storefront store create`")
	case len(list) > 1:
		return nil, errors.New("there is more than one store: choose one with --store")
	}
	return list[0], nil
}
