package location

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/location"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/db/stocklevel"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

type locationEdit = change.Edit[*db.Location, *db.LocationUpdate]

func isID(id xid.ID) predicate.Location { return location.ID(id) }

// locations returns how locations change.
func (m Mutation) locations() *change.Versioned[*db.Location, *db.LocationUpdate] {
	return &change.Versioned[*db.Location, *db.LocationUpdate]{
		Kind: xid.Location,
		Load: func(ctx context.Context, id xid.ID) (*db.Location, error) {
			rows, err := m.locked(ctx)
			if err != nil {
				return nil, err
			}
			if l := find(rows, id); l != nil {
				return l, nil
			}
			return nil, core.ErrNoRow
		},
		Head: func(l *db.Location) change.Head {
			return change.Head{Store: l.StoreID, ID: l.ID, Version: &l.Version, UpdatedAt: &l.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.LocationUpdate {
			return m.Client(ctx).Location.Update().Where(location.ID(id), location.Version(version))
		},
	}
}

// LocationCreate adds a location.
func (m Mutation) LocationCreate(ctx context.Context, in model.LocationCreateInput) (*model.LocationPayload, error) {
	c := &core.Check{}
	c.Line("name", in.Name, limit.Line)
	address := core.CheckAddress(c, "address", in.Address)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Location, func(ctx context.Context) (
		*model.LocationPayload, *change.Record, error,
	) {
		rows, err := m.locked(ctx)
		if err != nil {
			return nil, nil, err
		}
		if len(rows) > limit.Locations {
			return nil, nil, fault.State(fault.LimitReached, "A store has at most "+strconv.Itoa(limit.Locations)+
				" locations besides the default one.")
		}
		last := 0
		for _, l := range rows {
			last = max(last, l.Position)
		}
		id := xid.New()
		l, err := m.Client(ctx).Location.Create().SetID(id).SetName(in.Name).SetAddress(document.NewAddress(address)).
			SetPosition(last + 1).SetSellsOnline(in.SellsOnline).SetPicksUp(in.PicksUp).
			SetUpdatedAt(id.Time()).Save(ctx)
		if err != nil {
			return nil, nil, err
		}
		err = m.Client(ctx).Store.Update().Where(store.ID(viewer.From(ctx).Store)).SetLocated(true).Exec(ctx)
		return &model.LocationPayload{Location: shown(l)}, m.locations().Created(l, "location.create", l.Name), err
	})
}

// LocationUpdate changes a location. Whether it sells online only changes while it has no stock, because
// that is part of the number of each variant there.
func (m Mutation) LocationUpdate(
	ctx context.Context, id string, expectedVersion int64, in model.LocationUpdateInput,
) (*model.LocationPayload, error) {
	c := &core.Check{}
	core.NotNull(c, "name", in.Name, func(s string) { c.Line("name", s, limit.Line) })
	core.NotNull(c, "sells_online", in.SellsOnline, func(bool) {})
	core.NotNull(c, "picks_up", in.PicksUp, func(bool) {})
	address := core.CheckAddress(c, "address", in.Address.Value())
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.change(ctx, id, expectedVersion, "location.update", func(ctx context.Context, e *locationEdit) error {
		l, u, online := e.Row, e.Update, e.Row.SellsOnline
		core.MemberOf(&e.Changed, in.Name, "name", &l.Name, u.SetName)
		core.MemberDoc(&e.Changed, document.NewAddress(address), in.Address.IsSet(), "address", &l.Address,
			u.SetAddress, u.ClearAddress)
		core.MemberOf(&e.Changed, in.PicksUp, "picks_up", &l.PicksUp, u.SetPicksUp)
		core.MemberOf(&e.Changed, in.SellsOnline, "sells_online", &l.SellsOnline, u.SetSellsOnline)
		if l.SellsOnline == online {
			return nil
		}
		return m.empty(ctx, l, "The default location always sells online.")
	})
}

// LocationClose closes a location without stock.
func (m Mutation) LocationClose(
	ctx context.Context, id string, expectedVersion int64,
) (*model.LocationPayload, error) {
	return m.change(ctx, id, expectedVersion, "location.close", func(ctx context.Context, e *locationEdit) error {
		if e.Row.ClosedAt != nil {
			return fault.State(fault.InvalidTransition, "The location is closed already.")
		}
		e.Row.ClosedAt = &e.Now
		e.Update.SetClosedAt(e.Now)
		e.Changed = append(e.Changed, "closed_at")
		return m.empty(ctx, e.Row, "The default location cannot be closed.")
	})
}

// change runs edit on a location that is not closed.
func (m Mutation) change(ctx context.Context, id string, expected int64, action string,
	edit func(context.Context, *locationEdit) error,
) (*model.LocationPayload, error) {
	l, err := core.Change(ctx, m.Core, m.locations(), id, expected, action, edit)
	if err != nil {
		return nil, err
	}
	return &model.LocationPayload{Location: shown(l)}, nil
}

// empty refuses a change of the default location, or of one with stock. It removes the rows of the
// location, whose state they repeat. Changes of stock that name the location wait for its lock, and those
// of orders for the lock of their rows.
func (m Mutation) empty(ctx context.Context, l *db.Location, isDefault string) error {
	if l.ID == l.StoreID {
		return fault.State(fault.InvalidTransition, isDefault)
	}
	_, err := m.Client(ctx).StockLevel.Delete().Where(stocklevel.ID(l.ID), stocklevel.Quantity(0)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("remove empty levels: %w", err)
	}
	query := m.Client(ctx).StockLevel.Query().Where(stocklevel.ID(l.ID), stocklevel.QuantityGT(0)).Limit(1)
	query.Modify(ent.ForUpdate, ent.ForceIndex(levelsOfLocation))
	left, err := query.Select(stocklevel.FieldStoreID, stocklevel.FieldID).All(ctx)
	if err == nil && len(left) > 0 {
		err = fault.State(fault.InvalidTransition, "The location has stock. Transfer it to another location first.")
	}
	return err
}

const levelsOfLocation = "stocklevel_store_id_id_quantity"

// LocationReorder sets the order in which orders take stock from the open locations.
func (m Mutation) LocationReorder(ctx context.Context, ids []string) (*model.LocationReorderPayload, error) {
	if len(ids) > limit.Locations+1 {
		return nil, core.Invalid("ids", fault.TooLong, "The store has fewer locations.")
	}
	return core.Commit(ctx, m.Core, xid.Location, func(ctx context.Context) (
		*model.LocationReorderPayload, *change.Record, error,
	) {
		rows, err := m.locked(ctx)
		if err != nil {
			return nil, nil, err
		}
		rows = slices.DeleteFunc(rows, func(l *db.Location) bool { return l.ClosedAt != nil })
		sorted, err := arrange(rows, ids)
		if err != nil {
			return nil, nil, err
		}
		for i, l := range sorted {
			if l.Position == i+1 {
				continue
			}
			now := change.UpdateTime(ctx, l.UpdatedAt)
			err := m.Client(ctx).Location.Update().Where(location.ID(l.ID)).SetPosition(i + 1).AddVersion(1).
				SetUpdatedAt(now).Exec(ctx)
			if err != nil {
				return nil, nil, fmt.Errorf("move a location: %w", err)
			}
			l.Position, l.Version, l.UpdatedAt = i+1, l.Version+1, now
		}
		return &model.LocationReorderPayload{Locations: core.Map(sorted, shown)},
			&change.Record{Action: "location.reorder", Kind: xid.Location, ID: sorted[0].ID}, nil
	})
}

// arrange returns the open locations in the order of ids, which has to name each of them once.
func arrange(rows []*db.Location, ids []string) ([]*db.Location, error) {
	c := &core.Check{}
	var sorted []*db.Location
	for i, text := range ids {
		id, err := xid.Location.Parse(text)
		l := find(rows, id)
		if err != nil || l == nil || slices.Contains(sorted, l) {
			c.Add("ids/"+strconv.Itoa(i), fault.UnknownValue, "The store has no such open location, or it is listed twice.")
			continue
		}
		sorted = append(sorted, l)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if len(sorted) < len(rows) {
		return nil, core.Invalid("ids", fault.TooShort, "List all open locations.")
	}
	return sorted, nil
}
