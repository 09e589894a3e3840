// Package stock follows changes of stock, in the transactions that make them.
package stock

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// Change is a change of the stock of a variant. A product without options is its own variant.
type Change struct {
	Product, Variant xid.ID
	// Before and After are nil while the stock is not tracked.
	Before, After *int64
	// Moved says that the stock at locations changed, if the sum did or not.
	Moved bool
}

// Keeper follows the changes of stock of all stores.
type Keeper struct {
	Store *ent.Store
	// Notifier is nil without a mail server.
	Notifier *notify.Notifier
}

// Changed follows changes of stock of the viewer's store, whose row is s, in the transaction of ctx,
// after the rows of the products were written. Staff are notified of variants whose stock fell to the
// limit of the store, and those that an event has to report are marked. A variant may occur more than
// once, in the order of its changes.
func (k Keeper) Changed(ctx context.Context, s *db.Store, list []Change) error {
	list = merged(list)
	changed := make([]Move, len(list))
	for i, c := range list {
		changed[i] = Move{Product: c.Product, Variant: c.Variant}
	}
	if err := k.mark(ctx, s, changed); err != nil {
		return err
	}
	return k.watch(ctx, s, list)
}

// watch notifies staff of variants whose stock fell to the limit of the store.
func (k Keeper) watch(ctx context.Context, s *db.Store, list []Change) error {
	if s.LowStock == nil {
		return nil
	}
	var low []Change
	for _, c := range list {
		if c.Before != nil && c.After != nil && *c.Before > *s.LowStock && *c.After <= *s.LowStock {
			low = append(low, c)
		}
	}
	if len(low) == 0 {
		return nil
	}
	return k.announce(ctx, s, low)
}

// merged returns one change per variant, from its first stock to its last, where these differ or the stock
// at locations changed.
func merged(list []Change) (all []Change) {
	at := map[xid.ID]int{}
	for _, c := range list {
		if i, ok := at[c.Variant]; ok {
			all[i].After, all[i].Moved = c.After, all[i].Moved || c.Moved
			continue
		}
		at[c.Variant] = len(all)
		all = append(all, c)
	}
	return slices.DeleteFunc(all, func(c Change) bool {
		return !c.Moved && (c.Before == c.After || c.Before != nil && c.After != nil && *c.Before == *c.After)
	})
}

// Move is a number of units that an order takes from the stock of a variant, as a negative number, or
// gives back to it.
type Move struct {
	Product, Variant xid.ID
	By               int64
}

// Moved follows what an order took and gave back, as [Keeper.Changed] does. The stock is written already.
func (k Keeper) Moved(ctx context.Context, s *db.Store, moves []Move) error {
	if err := k.mark(ctx, s, moves); err != nil {
		return err
	}
	var taken []Move
	for _, m := range moves {
		if m.By < 0 {
			taken = append(taken, m)
		}
	}
	if s.LowStock == nil || len(taken) == 0 {
		return nil
	}
	left, err := k.left(ctx, taken)
	if err != nil {
		return err
	}
	var list []Change
	for _, m := range taken {
		if after := left[m.Variant]; after != nil {
			before := *after - m.By
			list = append(list, Change{Product: m.Product, Variant: m.Variant, Before: &before, After: after})
		}
	}
	return k.watch(ctx, s, list)
}

// left returns the stock of variants by id.
func (k Keeper) left(ctx context.Context, of []Move) (map[xid.ID]*int64, error) {
	var products, own, variants []xid.ID
	for _, m := range of {
		if m.Variant == m.Product {
			own = append(own, m.Product)
			continue
		}
		products, variants = append(products, m.Product), append(variants, m.Variant)
	}
	left, c := map[xid.ID]*int64{}, k.Store.DB(ctx)
	if len(own) > 0 {
		query := c.Product.Query().Where(product.IDIn(own...))
		query.Select(product.FieldID, product.FieldInventoryQuantity)
		rows, err := query.All(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the stock of products: %w", err)
		}
		for _, p := range rows {
			left[p.ID] = p.InventoryQuantity
		}
	}
	if len(variants) == 0 {
		return left, nil
	}
	query := c.Variant.Query().Where(variant.ProductIDIn(products...), variant.IDIn(variants...))
	query.Modify(ent.ForceIndex(ent.Primary))
	query.Select(variant.FieldID, variant.FieldInventoryQuantity)
	rows, err := query.All(ctx)
	for _, v := range rows {
		left[v.ID] = v.InventoryQuantity
	}
	return left, fault.Wrap("read the stock of variants", err)
}

// shownLines and shownTitle bound a notice: its lines, and the characters of a title.
const (
	shownLines = 10
	shownTitle = 100
)

// announce writes one notice about all variants. A person who changed the stock gets no email.
func (k Keeper) announce(ctx context.Context, s *db.Store, low []Change) error {
	shown := low[:min(len(low), shownLines)]
	titles, err := k.titles(ctx, shown)
	if err != nil {
		return err
	}
	lines := make([]string, len(shown))
	for i, c := range shown {
		title := titles[c.Product]
		if c.Variant != c.Product {
			title += " (" + titles[c.Variant] + ")"
		}
		lines[i] = title + ": " + strconv.FormatInt(*c.After, 10) + " left"
	}
	notice := notify.Notice{Level: state.NotificationWarning, Topic: state.AlertLowStock, Kind: xid.Product,
		ID: low[0].Product, Title: "Low stock: " + lines[0], Body: strings.Join(lines, "\n")}
	if more := len(low) - 1; more > 0 {
		notice.Title += " and " + strconv.Itoa(more) + " more"
	}
	if v := viewer.From(ctx); v.IsPerson() {
		notice.Except = v.Actor
	}
	return k.Notifier.Append(viewer.Operator(ctx, s.ID), k.Store, notice)
}

// titles returns the titles of products and variants by id.
func (k Keeper) titles(ctx context.Context, of []Change) (map[xid.ID]string, error) {
	var products, variants []xid.ID
	for _, c := range of {
		products = append(products, c.Product)
		if c.Variant != c.Product {
			variants = append(variants, c.Variant)
		}
	}
	titles, c := map[xid.ID]string{}, k.Store.DB(ctx)
	query := c.Product.Query().Where(product.IDIn(products...))
	query.Select(product.FieldID, product.FieldTitle)
	rows, err := query.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read titles of products: %w", err)
	}
	for _, p := range rows {
		titles[p.ID] = clipped(p.Title)
	}
	if len(variants) == 0 {
		return titles, nil
	}
	own := c.Variant.Query().Where(variant.ProductIDIn(products...), variant.IDIn(variants...))
	own.Modify(ent.ForceIndex(ent.Primary))
	own.Select(variant.FieldID, variant.FieldTitle)
	list, err := own.All(ctx)
	for _, v := range list {
		titles[v.ID] = clipped(v.Title)
	}
	return titles, fault.Wrap("read titles of variants", err)
}

func clipped(title string) string {
	if runes := []rune(title); len(runes) > shownTitle {
		return string(runes[:shownTitle]) + "…"
	}
	return title
}
