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
	s, err := c.fixedStore(ctx)
	if err != nil {
		return "", fmt.Errorf("read handle: %w", err)
	}
	return c.StoreOrigin(s.handle), nil
}

// fixedStore is what never changes about the viewer's store.
func (c *Core) fixedStore(ctx context.Context) (fixed, error) {
	id := viewer.From(ctx).Store
	if known, ok := c.fixed.Get(id); ok {
		return known, nil
	}
	s, err := c.CurrentStore(ctx)
	if err != nil {
		return fixed{}, err
	}
	known := fixed{s.Handle, s.Test}
	if !c.Store.Within(ctx) { // what is read in a transaction may never have been
		c.fixed.Add(id, known)
	}
	return known, nil
}

// TestStore reports whether nothing in the viewer's store is real.
func (c *Core) TestStore(ctx context.Context) (bool, error) {
	s, err := c.fixedStore(ctx)
	return s.test, err
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
