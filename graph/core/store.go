package core

import (
	"context"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/model"
)

// CurrentStore reads the viewer's store.
func (c *Core) CurrentStore(ctx context.Context) (*db.Store, error) {
	return Only(c.Client(ctx).Store.Query().Where(store.ID(viewer.From(ctx).Store)).Load(ctx))
}

// ShownStore is a store with the host that serves it.
func (c *Core) ShownStore(s *db.Store) *model.Store {
	return &model.Store{Store: s, StoreHost: c.HostOf(s.Handle)}
}

// StoreOrigin is scheme and host of a store. One program serves all hosts, so the
// scheme is that of {api_host}.
func (c *Core) StoreOrigin(handle string) string { return OriginOf(c.APIHost, c.HostOf(handle)) }

// OriginOf is scheme and host of a store_host beside {api_host}.
func OriginOf(apiHost, storeHost string) string {
	scheme, _, _ := strings.Cut(apiHost, "://")
	return scheme + "://" + storeHost
}

// StoreURL is scheme and host of the viewer's store.
func (c *Core) StoreURL(ctx context.Context) (string, error) {
	id := viewer.From(ctx).Store
	if handle, ok := c.handles.Get(id); ok {
		return c.StoreOrigin(handle), nil
	}
	s, err := c.CurrentStore(ctx)
	if err != nil {
		return "", fmt.Errorf("read handle: %w", err)
	}
	c.handles.Add(id, s.Handle)
	return c.StoreOrigin(s.Handle), nil
}

// meet writes the store's row, so that changes which must see each other wait here,
// and leaves its version alone: what is counted is no part of the store.
func (c *Core) meet(ctx context.Context) error {
	return c.hold(ctx, func(u *db.StoreUpdate) { u.Modify(Touched(micros.Now())) })
}

// HoldStore writes the store's row, so that changes which must see each other
// wait here: the second waits for the first, or has to begin anew.
func (c *Core) HoldStore(ctx context.Context) error {
	return c.hold(ctx, func(u *db.StoreUpdate) { u.AddVersion(1).Modify(Touched(micros.Now())) })
}

// ShowChange lets the storefront see that it shows something else now. The store's row is
// written before what changes, by all such changes: so no two wait for each other, and they
// come one after the other.
func (c *Core) ShowChange(ctx context.Context) error {
	_, err := c.Client(ctx).Store.Update().Where(store.ID(viewer.From(ctx).Store)).AddStorefrontRevision(1).Save(ctx)
	if err != nil {
		return fmt.Errorf("count a change of the storefront: %w", err)
	}
	return nil
}

func (c *Core) hold(ctx context.Context, write func(*db.StoreUpdate)) error {
	update := c.Client(ctx).Store.Update().Where(store.ID(viewer.From(ctx).Store))
	write(update)
	n, err := update.Save(ctx)
	if err != nil {
		return fmt.Errorf("hold the store: %w", err)
	}
	if n == 0 {
		return ErrNoRow
	}
	return nil
}

// OwnerOnly refuses everybody but an owner and the operator.
func OwnerOnly(ctx context.Context, what string) error {
	v, err := Caller(ctx)
	if err != nil {
		return err
	}
	if v.Role != viewer.Owner {
		return fault.New(fault.Forbidden, "Only an owner may "+what+".")
	}
	return nil
}

// LockedStore reads the viewer's store and keeps its row from changing until the
// commit.
func (c *Core) LockedStore(ctx context.Context) (*db.Store, error) {
	query := c.Client(ctx).Store.Query().Where(store.ID(viewer.From(ctx).Store))
	query.Modify(ent.ForUpdate)
	return Only(query.Load(ctx))
}
