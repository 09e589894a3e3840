package stock

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
)

// Locations returns the locations of a store, closed ones too, in the order in which orders take stock
// from them. The default location is one of them, even if it has no row. lock is [ent.ForUpdate] for
// changes, or [ent.NoLock].
func Locations(
	ctx context.Context, c *db.Client, s *db.Store, lock func(*sql.Selector),
) ([]*db.Location, error) {
	query := c.Location.Query()
	query.Modify(lock, ent.ForceIndex(ent.Primary))
	rows, err := query.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read locations: %w", err)
	}
	if !slices.ContainsFunc(rows, func(l *db.Location) bool { return l.ID == s.ID }) {
		rows = append(rows, &db.Location{StoreID: s.ID, ID: s.ID, Name: s.Name, Position: 1, SellsOnline: true,
			Version: 1, UpdatedAt: s.ID.Time()})
	}
	slices.SortFunc(rows, func(a, b *db.Location) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), a.ID.Compare(b.ID))
	})
	return rows, nil
}
