package sales

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/location"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/predicate"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	levels "github.com/storefront-go/storefront/graph/engine/stock"
)

// stock is a number of units by item. Units of a variant count in the sum of its product too.
type stock map[item]int64

// parts are the units of one product: the sum, and its variants if it has options.
type parts struct {
	product  xid.ID
	all      int64
	variants []item
}

// byProduct returns the stock in key order, a product before its variants. All writers use this
// order, so two orders never deadlock.
func (s stock) byProduct() (list []parts) {
	for _, w := range slices.SortedFunc(maps.Keys(s), item.compare) {
		if n := len(list); n == 0 || list[n-1].product != w.product || w.variant.IsNil() {
			list = append(list, parts{product: w.product})
		}
		last := &list[len(list)-1]
		last.all += s[w]
		if !w.variant.IsNil() {
			last.variants = append(last.variants, w)
		}
	}
	return list
}

// takeStock takes the tracked stock that an order of the store s needs. Stock never falls below zero,
// because the updates are conditional. It emits no event of the product (contract, section 6).
func (m Mutation) takeStock(ctx context.Context, s *db.Store, need stock, now micros.Time) error {
	only := ""
	if !s.Located { // nor since the transaction began
		only = "NOT located AND "
	}
	for _, p := range need.byProduct() {
		// With options, the variants' stock has to suffice. Without, the product may have received
		// options since it was read.
		lasts, least := only+"options IS NULL AND inventory_quantity >= ?", []any{p.all}
		if p.variants != nil {
			lasts, least = only+"options IS NOT NULL", nil
		}
		n, err := m.moveSum(ctx, p.product, -p.all, now, lasts, least...)
		if err != nil {
			return fmt.Errorf("take stock: %w", err)
		}
		if n == 0 {
			return soldOut(xid.Product.Format(p.product))
		}
		for _, w := range p.variants {
			n, err := m.moveVariant(ctx, w, -need[w], variant.InventoryQuantityGTE(need[w]))
			if err != nil {
				return fmt.Errorf("take stock: %w", err)
			}
			if n == 0 {
				return soldOut(xid.Variant.Format(w.variant))
			}
		}
	}
	return m.stock().Moved(ctx, s, need.moves(-1))
}

func (m Mutation) stock() levels.Keeper { return levels.Keeper{Store: m.Store, Notifier: m.Notifier} }

// moves returns the stock as changes in key order: -1 takes it, 1 gives it back.
func (s stock) moves(sign int64) (list []levels.Move) {
	for _, w := range slices.SortedFunc(maps.Keys(s), item.compare) {
		move := levels.Move{Product: w.product, Variant: w.variant, By: sign * s[w]}
		if w.variant.IsNil() {
			move.Variant = w.product
		}
		list = append(list, move)
	}
	return list
}

func soldOut(id string) error {
	return fault.State(fault.OutOfStock, "There is not enough stock of "+id+".")
}

// returnStock gives stock back to items that still exist and are tracked. Units that were sold
// before the product had options have no variant to go back to.
func (m Mutation) returnStock(ctx context.Context, back stock, now micros.Time) error {
	if len(back) == 0 {
		return nil
	}
	for _, p := range back.byProduct() {
		fits := "options IS NULL AND inventory_quantity <= ?"
		if p.variants != nil { // the sum is null if a variant is not tracked
			fits = "options IS NOT NULL AND (inventory_quantity IS NULL OR inventory_quantity <= ?)"
		}
		n, err := m.moveSum(ctx, p.product, p.all, now, fits, limit.Inventory-p.all)
		if err != nil {
			return fmt.Errorf("return stock: %w", err)
		}
		if n == 0 {
			continue
		}
		if err := m.returnVariants(ctx, back, p, now); err != nil {
			return fmt.Errorf("return stock: %w", err)
		}
	}
	s, err := m.CurrentStore(ctx)
	if err != nil {
		return err
	}
	return m.stock().Moved(ctx, s, back.moves(1))
}

// returnVariants gives the units of a product back to its variants. It takes those off the sum
// whose variant is gone or no longer tracked.
func (m Mutation) returnVariants(ctx context.Context, back stock, p parts, now micros.Time) error {
	lost := int64(0)
	for _, w := range p.variants {
		n, err := m.moveVariant(ctx, w, back[w], variant.InventoryQuantityLTE(limit.Inventory-back[w]))
		if err != nil {
			return err
		}
		if n == 0 {
			lost += back[w]
		}
	}
	if lost == 0 {
		return nil
	}
	_, err := m.moveSum(ctx, p.product, -lost, now, "options IS NOT NULL")
	return err
}

// takeLines takes the stock that lines of an order of the store s need, as [Mutation.takeStock] does, and
// returns the locations that it comes from: none in a store with one. more returns how many units of a line
// are new, and pickup where the shopper collects them.
func (m Mutation) takeLines(ctx context.Context, s *db.Store, need stock, lines []*db.OrderLine,
	more func(*db.OrderLine) int64, pickup *string, now micros.Time,
) ([]document.Allocation, error) {
	if err := m.takeStock(ctx, s, need, now); err != nil || !s.Located {
		return nil, err
	}
	var needs []levels.Need
	for _, l := range lines {
		if _, tracked := need[itemOf(l)]; tracked && more(l) > 0 {
			needs = append(needs, levels.Need{Line: l, Quantity: more(l)})
		}
	}
	if len(needs) == 0 {
		return nil, nil
	}
	return m.stock().Allocate(ctx, s, needs, pickup)
}

// allocations are the locations that the stock of an order was taken from, while the order changes.
type allocations struct {
	list    []document.Allocation
	changed bool
	// shifts are the changes of the stock at locations.
	shifts []levels.Shift
}

// shift moves units of a line into the stock at a location, or out of it.
func (a *allocations) shift(l *db.OrderLine, at xid.ID, by int64) {
	a.shifts = append(a.shifts, levels.Shift{Product: *l.ProductID, Variant: *cmp.Or(l.VariantID, l.ProductID),
		Location: at, By: by})
}

// release removes up to quantity units of a line, first those that were not shipped, and calls f with where
// they were taken from. With unshipped it leaves those that were shipped. It returns how many units it did
// not find.
func (a *allocations) release(l *db.OrderLine, quantity int64, unshipped bool, f func(at xid.ID, n int64)) int64 {
	line := xid.OrderLine.Format(l.ID)
	for _, shipped := range []bool{false, true} {
		for i := range a.list {
			p := &a.list[i]
			if p.LineID != line || shipped && unshipped {
				continue
			}
			n := min(quantity, p.Quantity-p.FulfilledQuantity)
			if shipped {
				n = min(quantity, p.FulfilledQuantity)
				p.FulfilledQuantity -= n
			}
			if n > 0 {
				p.Quantity -= n
				quantity -= n
				a.changed = true
				f(placeOf(p), n)
			}
		}
	}
	a.list = slices.DeleteFunc(a.list, func(p document.Allocation) bool { return p.Quantity == 0 })
	return quantity
}

// placeOf returns the location of an allocation.
func placeOf(p *document.Allocation) xid.ID {
	id, _ := xid.Location.Parse(p.LocationID) // it was formatted
	return id
}

// restock returns units of a line to the stock: at a location, or else where they were taken from.
func (e *orderEdit) restock(l *db.OrderLine, quantity int64, to *xid.ID) {
	if l.ProductID == nil || quantity <= 0 {
		return
	}
	rest := e.places.release(l, quantity, false, func(at xid.ID, n int64) {
		e.places.shift(l, *cmp.Or(to, &at), n)
	})
	switch {
	case rest == 0:
	case to != nil:
		e.places.shift(l, *to, rest)
	default: // at the default location
		if e.stock == nil {
			e.stock = stock{}
		}
		e.stock[itemOf(l)] += rest
	}
}

// shipFrom notes which location ships units of a line: from, or else those that they were taken from. Units
// of other locations go back there. It adds the locations to used.
func (e *orderEdit) shipFrom(l *db.OrderLine, quantity int64, from *xid.ID, used map[xid.ID]bool) {
	if l.ProductID == nil {
		return
	}
	line := xid.OrderLine.Format(l.ID)
	for i := range e.places.list {
		p := &e.places.list[i]
		if at := placeOf(p); p.LineID == line && (from == nil || *from == at) {
			n := min(quantity, p.Quantity-p.FulfilledQuantity)
			p.FulfilledQuantity += n
			quantity -= n
			e.places.changed = e.places.changed || n > 0
			used[at] = used[at] || n > 0
		}
	}
	if from == nil || quantity == 0 {
		return
	}
	used[*from] = true
	rest := e.places.release(l, quantity, true, func(at xid.ID, n int64) { e.places.shift(l, at, n) })
	switch {
	case rest == quantity && *from == l.StoreID: // placed before there were others
		return
	case rest > 0:
		e.places.shift(l, l.StoreID, rest)
	}
	e.places.shift(l, *from, -quantity)
	e.places.list = append(e.places.list, document.Allocation{LineID: line, LocationID: xid.Location.Format(*from),
		Quantity: quantity, FulfilledQuantity: quantity})
	e.places.changed = true
}

// location returns the open location that an input names, nil for none.
func (m Mutation) location(ctx context.Context, name *string) (*xid.ID, error) {
	if name == nil {
		return nil, nil
	}
	id, err := xid.Location.Parse(*name)
	if err == nil && id == viewer.From(ctx).Store {
		return &id, nil
	}
	if err == nil {
		var open bool
		open, err = m.Client(ctx).Location.Query().Where(location.ID(id), location.ClosedAtIsNil()).Exist(ctx)
		if err != nil {
			return nil, fmt.Errorf("find a location: %w", err)
		}
		if open {
			return &id, nil
		}
	}
	return nil, core.Invalid("location", fault.UnknownValue, "The store has no such open location.")
}

// saveShifts writes the changes of the stock at locations.
func (m Mutation) saveShifts(ctx context.Context, shifts []levels.Shift, now micros.Time) error {
	if len(shifts) == 0 {
		return nil
	}
	moves, err := m.stock().Shift(ctx, shifts)
	if err != nil {
		return err
	}
	sums := map[xid.ID]int64{}
	for _, move := range moves {
		sums[move.Product] += move.By
	}
	for _, id := range slices.SortedFunc(maps.Keys(sums), xid.ID.Compare) {
		if _, err := m.moveSum(ctx, id, sums[id], now, "id IS NOT NULL"); err != nil {
			return fmt.Errorf("move stock: %w", err)
		}
	}
	for _, move := range moves {
		if move.Variant == move.Product || move.By == 0 {
			continue
		}
		w := item{product: move.Product, variant: move.Variant}
		if _, err := m.moveVariant(ctx, w, move.By, variant.InventoryQuantityNotNil()); err != nil {
			return fmt.Errorf("move stock: %w", err)
		}
	}
	s, err := m.CurrentStore(ctx)
	if err != nil {
		return err
	}
	return m.stock().Moved(ctx, s, moves)
}

// saveAllocations writes the locations that the stock of an order was taken from. Its row was changed in
// this transaction.
func (m Mutation) saveAllocations(ctx context.Context, o *db.Order, list []document.Allocation) error {
	o.Allocations = document.NewAllocations(list)
	u := m.Client(ctx).Order.Update().Where(order.ID(o.ID)).SetAllocations(o.Allocations)
	if o.Allocations == nil {
		u.ClearAllocations()
	}
	return fault.Wrap("store where an order takes its stock", u.Exec(ctx))
}

// moveSum adds to the stock of a product that meets a condition, and raises its version. It returns
// 0 if the product does not.
func (m Mutation) moveSum(
	ctx context.Context, id xid.ID, pieces int64, now micros.Time, only string, args ...any,
) (int, error) {
	return m.run(ctx, moveStock+only, append(touch(now), pieces), append([]any{id}, args...)...)
}

// moveVariant adds to the stock of a variant.
func (m Mutation) moveVariant(ctx context.Context, w item, pieces int64, only predicate.Variant) (int, error) {
	return m.Client(ctx).Variant.Update().Where(variant.ProductID(w.product), variant.ID(w.variant), only).
		AddInventoryQuantity(pieces).Save(ctx)
}

// countOrder adds an order to its customer's counters.
//
// orders_count counts every order placed, canceled ones too; total_spent_minor is the money paid
// less the money refunded; last_order_at is the latest placed_at. Counters raise the customer's
// version and updated_at, so that a sync sees them, but emit no customer.updated: each has its
// order event.
func (m Mutation) countOrder(ctx context.Context, id xid.ID, placed, now micros.Time) error {
	n, err := m.run(ctx, orderCounted, append(touch(now), placed, placed), id, string(state.CustomerRedacted))
	if err != nil {
		return fmt.Errorf("count the customer's order: %w", err)
	}
	if n == 0 {
		return errRedacted
	}
	return nil
}

// errRedacted says that a customer was redacted after it was read.
var errRedacted = errors.New("the customer was redacted meanwhile")

func unknownCustomer() error {
	return fault.Invalid(fault.Field{Pointer: "#/customer_id", Code: fault.UnknownValue,
		Detail: "Unknown customer."})
}

// spend adds an amount, which may be negative, to the customer's total.
func (m Mutation) spend(ctx context.Context, id *xid.ID, amount int64, now micros.Time) error {
	if id == nil || amount == 0 {
		return nil
	}
	n, err := m.Client(ctx).Customer.Update().
		Where(customer.ID(*id), customer.TotalSpentMinorLTE(currency.MaxMinor-amount)).
		AddTotalSpentMinor(amount).AddVersion(1).Modify(change.RaiseUpdatedAt(now)).Save(ctx)
	if err != nil {
		return fmt.Errorf("update the customer's total: %w", err)
	}
	if n == 0 {
		return core.TooLarge("customer's total")
	}
	return nil
}
