package core

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// CurrentStore reads the viewer's store.
func (c *Core) CurrentStore(ctx context.Context) (*db.Store, error) {
	return Only(c.Client(ctx).Store.Query().Where(store.ID(viewer.From(ctx).Store)).Load(ctx))
}

// ShownStore returns a store with its store_host and the address at which visitors arrive.
func (c *Core) ShownStore(s *db.Store) *model.Store {
	shown := &model.Store{Store: s, StoreHost: c.HostOf(s.Handle), URL: c.ShopOrigin(s.Handle, s.Domain)}
	f, err := s.Storefront.Fields()
	if err != nil { // the shop goes without
		return shown
	}
	shown.Logo, shown.Favicon = c.shopAddress(s, f.Logo), c.shopAddress(s, f.Favicon)
	shown.Announcement, shown.Pause, shown.PasswordProtected = f.Announcement, f.Pause, f.Password != ""
	shown.Returns = f.Terms()
	return shown
}

// shopAddress returns the address of a path at the host of a store; nil for "".
func (c *Core) shopAddress(s *db.Store, path string) *string {
	if path == "" {
		return nil
	}
	return new(c.StoreOrigin(s.Handle) + path)
}

// ShopOrigin returns the scheme and host at which the visitors of a store arrive: its own domain,
// if it has one, or else its store_host. The domain has the port of the store_host.
func (c *Core) ShopOrigin(handle string, domain *string) string {
	host := c.HostOf(handle)
	if domain == nil {
		return OriginOf(c.APIHost, host)
	}
	if _, port, err := net.SplitHostPort(host); err == nil {
		return OriginOf(c.APIHost, net.JoinHostPort(*domain, port))
	}
	return OriginOf(c.APIHost, *domain)
}

// StoreOrigin returns the scheme and store_host of a store, where its images and previews always
// are. All hosts have the scheme of {api_host}, because one program serves them.
func (c *Core) StoreOrigin(handle string) string { return OriginOf(c.APIHost, c.HostOf(handle)) }

// OriginOf returns the origin of storeHost, with the scheme of apiHost.
func OriginOf(apiHost, storeHost string) string {
	scheme, _, _ := strings.Cut(apiHost, "://")
	return scheme + "://" + storeHost
}

// StoreURL returns the scheme and host of the viewer's store.
func (c *Core) StoreURL(ctx context.Context) (string, error) {
	s, err := c.fixedStore(ctx)
	if err != nil {
		return "", fmt.Errorf("read handle: %w", err)
	}
	return c.StoreOrigin(s.handle), nil
}

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
	if !c.Store.Within(ctx) { // a transaction may read a store that is never committed
		c.fixed.Add(id, known)
	}
	return known, nil
}

// TestStore reports whether the viewer's store is a test store.
func (c *Core) TestStore(ctx context.Context) (bool, error) {
	s, err := c.fixedStore(ctx)
	return s.test, err
}

// lockCounts locks the store's row, so that changes that count rows run one after the other. It
// leaves the version alone, because the counts are not part of the store.
func (c *Core) lockCounts(ctx context.Context) error {
	return c.hold(ctx, func(u *db.StoreUpdate) { u.Modify(change.RaiseUpdatedAt(micros.Now())) })
}

// HoldStore locks the store's row by writing it, so that such changes run one after the other: the
// second waits for the first, or is retried.
func (c *Core) HoldStore(ctx context.Context) error {
	return c.hold(ctx, func(u *db.StoreUpdate) { u.AddVersion(1).Modify(change.RaiseUpdatedAt(micros.Now())) })
}

// BumpStorefrontRevision increments the storefront revision. All such changes write the store's row before
// their own rows, so they run one after the other without deadlocks.
func (c *Core) BumpStorefrontRevision(ctx context.Context) error {
	return fault.Wrap("count a change of the storefront", c.Client(ctx).Store.Update().
		Where(store.ID(viewer.From(ctx).Store)).AddStorefrontRevision(1).Exec(ctx))
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

// OwnerOnly returns a fault unless the caller has the role of an owner, as the operator does.
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

// LockedStore reads the viewer's store and locks its row until the commit.
func (c *Core) LockedStore(ctx context.Context) (*db.Store, error) {
	return Row(ctx, c.Client(ctx).Store.Query().Where(store.ID(viewer.From(ctx).Store)), ent.ForUpdate)
}
