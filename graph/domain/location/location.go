// Package location implements the operations on locations, the places where a store keeps stock.
//
// Every store has a default location, whose id is that of the store. It has no row until it is changed or
// gets company: a store with one place has no rows at all, and its stock is the number of its variants.
package location

import (
	"context"
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/stock"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Resolver holds the dependencies of the operations of this package.
type Resolver struct{ *core.Core }

// New returns the resolver.
func New(c *core.Core) *Resolver { return &Resolver{Core: c} }

// Query holds the root queries of this package.
type Query struct{ *Resolver }

// Mutation holds the root mutations of this package.
type Mutation struct{ *Resolver }

// Locations lists the locations of the viewer's store, newest first, the default one last.
func (q Query) Locations(ctx context.Context, first *int, after *string) (*model.LocationConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.Location]{
		Name: "locations",
		At:   func(l *model.Location) page.Position { return core.ByID(l.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.Location, error) {
			rows, err := q.all(ctx, ent.NoLock)
			if err != nil {
				return nil, err
			}
			slices.SortFunc(rows, func(a, b *db.Location) int { return b.ID.Compare(a.ID) })
			rows = slices.DeleteFunc(rows, func(l *db.Location) bool {
				return after != nil && l.ID.Compare(after.ID) >= 0
			})
			return core.Map(rows[:min(limit, len(rows))], shown), nil
		},
	}, first, after)
}

// Location returns one location of the viewer's store.
func (q Query) Location(ctx context.Context, id string) (*model.Location, error) {
	return core.Get(ctx, xid.Location, id, func(ctx context.Context, id xid.ID) (*model.Location, error) {
		rows, err := q.all(ctx, ent.NoLock)
		if err != nil {
			return nil, err
		}
		l := find(rows, id)
		if l == nil {
			return nil, core.ErrNoRow
		}
		return shown(l), nil
	})
}

func shown(l *db.Location) *model.Location { return &model.Location{Location: l} }

func find(rows []*db.Location, id xid.ID) *db.Location {
	i := slices.IndexFunc(rows, func(l *db.Location) bool { return l.ID == id })
	if i < 0 {
		return nil
	}
	return rows[i]
}

// all reads the locations of the viewer's store by position.
func (r *Resolver) all(ctx context.Context, lock func(*sql.Selector)) ([]*db.Location, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	s, err := r.CurrentStore(ctx)
	if err != nil {
		return nil, err
	}
	return stock.Locations(ctx, r.Client(ctx), s, lock)
}

// locked locks the store's row, so that changes of its locations run one after the other, and returns its
// locations, of which the default one then has a row.
func (m Mutation) locked(ctx context.Context) ([]*db.Location, error) {
	if err := available(ctx); err != nil {
		return nil, err
	}
	s, err := m.LockedStore(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := stock.Locations(ctx, m.Client(ctx), s, ent.ForUpdate)
	if err != nil {
		return nil, err
	}
	known, err := m.Client(ctx).Location.Query().Where(isID(s.ID)).Exist(ctx)
	if err != nil || known {
		return rows, err
	}
	d := find(rows, viewer.From(ctx).Store)
	err = m.Client(ctx).Location.Create().SetID(d.ID).SetName(d.Name).SetPosition(d.Position).
		SetSellsOnline(true).SetUpdatedAt(d.UpdatedAt).Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("add the default location: %w", err)
	}
	return rows, nil
}

// available returns a fault while an earlier release may run, which would sell stock of all locations as
// if it were at the default one.
func available(ctx context.Context) error {
	if ent.Writes(ctx, ent.CustomFields) {
		return nil
	}
	return fault.State(fault.InvalidTransition,
		"Locations are available once the upgrade is finished (storefront migrate finalize).")
}
