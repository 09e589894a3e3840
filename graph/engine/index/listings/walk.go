package listings

import (
	"context"
	stdsql "database/sql"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
)

// Sort is the order of a list.
type Sort string

// Orders of lists.
const (
	Newest    Sort = "newest"
	PriceUp   Sort = "price"
	PriceDown Sort = "price-desc"
	Title     Sort = "title"
	// Manual is the order in which products were added to a collection by hand.
	Manual Sort = "manual"
)

// maxScan bounds the products that one page reads when few of them pass its filters. The page may
// then be short, and the next one continues.
const maxScan = 2000

// maxFew is the maximum number of products within the price bounds for which a list is read by
// price and then sorted.
const maxFew = 500

type order struct {
	column string
	down   bool
}

var orders = map[Sort]order{
	Newest: {"published_at", true}, PriceUp: {"price_minor", false}, PriceDown: {"price_minor", true},
	Title: {"title_key", false}, Manual: {"position", false},
}

// Known reports whether the order exists.
func (s Sort) Known() bool { return orders[s].column != "" }

// List describes a page of a list.
type List struct {
	ID   xid.ID
	Sort Sort
	// On are other lists in which the products must be, too.
	On []xid.ID
	// Least and Most bound the price; nil is unbounded.
	Least, Most *int64
	InStock     bool
	// After and Before are cursors. At most one is set.
	After, Before string
	Limit         int

	few bool // at most [maxFew] products are within the price bounds
}

// Page is a page of a list: the products in order, and cursors for [List.After] and [List.Before],
// which are "" at the ends.
type Page struct {
	IDs           []xid.ID
	After, Before string
}

// spot is a position in an order, whether or not a product is there.
type spot struct {
	key any // an int64 or a string
	id  xid.ID
}

// cursor encodes a position. It is not secret: a made-up cursor reads the list from there.
func (s spot) cursor(by Sort) string {
	b := append([]byte(by[:1]), s.id[:]...)
	if n, ok := s.key.(int64); ok {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	} else {
		b = append(b, s.key.(string)...)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// spotOf decodes a cursor. It returns nil for an invalid one, or one of another order.
func spotOf(text string, by Sort) *spot {
	const head = 1 + len(xid.ID{})
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < head || b[0] != by[0] {
		return nil
	}
	id, b := xid.ID(b[1:head]), b[head:]
	switch {
	case by == Title && len(b) <= limit.TitleKey && utf8.Valid(b):
		return &spot{string(b), id}
	case by != Title && len(b) == 8:
		return &spot{int64(binary.BigEndian.Uint64(b)), id}
	}
	return nil
}

// Reader reads the listing index of a store.
type Reader struct {
	Client *db.Client
	Engine string
	Store  xid.ID
}

// Read reads a page with one statement. It runs a second one if a backward walk reaches the
// beginning of the list, and one more to count if the list has price bounds but another order.
func (r Reader) Read(ctx context.Context, l List) (_ *Page, err error) {
	if l.few, err = r.few(ctx, l); err != nil {
		return nil, err
	}
	if at := spotOf(l.Before, l.Sort); at != nil {
		p, err := r.walk(ctx, l, at, true)
		if err != nil || p.Before != "" {
			return p, err
		}
		return r.walk(ctx, l, nil, false) // a whole page from the beginning
	}
	return r.walk(ctx, l, spotOf(l.After, l.Sort), false)
}

// few reports whether a list is read by its price bounds because few products are within them. It
// reads only the index, and no more of it than needed.
func (r Reader) few(ctx context.Context, l List) (few bool, err error) {
	if !l.bounded() || l.byPrice() || l.Sort == Manual {
		return false, nil
	}
	within, args := l.prices("l")
	query := fmt.Sprintf("SELECT COUNT(*) FROM (SELECT 1 FROM listings l%s WHERE l.store_id = ? AND l.shelf = ?%s "+
		"LIMIT %d) c", ent.IndexHint(r.Engine, "listings", byPrice), within, maxFew+1)
	err = ent.Read(ctx, r.Client, func(rows *stdsql.Rows) error {
		n := 0
		err := rows.Scan(&n)
		few = n <= maxFew
		return err
	}, query, append([]any{r.Store, l.ID}, args...)...)
	if err != nil {
		return false, fmt.Errorf("count products within a price range: %w", err)
	}
	return few, nil
}

const byPrice = "listing_store_id_shelf_price_minor_id"

var errDone = errors.New("the page is full")

type found struct {
	spot
	passes bool
}

func (r Reader) walk(ctx context.Context, l List, from *spot, back bool) (*Page, error) {
	query, args := l.statement(r, from, back)
	var hits []spot
	var last spot
	scanned := 0
	err := ent.Read(ctx, r.Client, func(rows *stdsql.Rows) error {
		f, err := l.scan(rows)
		if err != nil {
			return err
		}
		scanned++
		if f.passes {
			if hits = append(hits, f.spot); len(hits) > l.Limit {
				return errDone
			}
		}
		last = f.spot
		return nil
	}, query, args...)
	if err != nil && !errors.Is(err, errDone) {
		return nil, fmt.Errorf("walk a list: %w", err)
	}
	return l.page(hits, last, scanned >= l.most(), from, back), nil
}

// page builds a page from the hits of a walk. The list goes on if there is one hit more than fits,
// or if the walk ended at its bound.
func (l List) page(hits []spot, last spot, bounded bool, from *spot, back bool) *Page {
	p := &Page{}
	on := ""
	switch {
	case len(hits) > l.Limit:
		hits = hits[:l.Limit]
		on = hits[l.Limit-1].cursor(l.Sort)
	case bounded:
		on = last.cursor(l.Sort)
	}
	behind := ""
	if from != nil {
		behind = from.cursor(l.Sort)
		if len(hits) > 0 {
			behind = hits[0].cursor(l.Sort)
		}
	}
	if p.After, p.Before = on, behind; back {
		p.After, p.Before = behind, on
		slices.Reverse(hits)
	}
	for _, h := range hits {
		p.IDs = append(p.IDs, h.id)
	}
	return p
}

// bounded reports whether the list has a lowest or highest price.
func (l List) bounded() bool { return l.Least != nil || l.Most != nil }

func (l List) byPrice() bool { return orders[l.Sort].column == "price_minor" }

// within reports whether the price bounds limit the range of the walk.
func (l List) within() bool { return l.few || l.byPrice() }

func (l List) most() int {
	if l.Sort != Manual && len(l.On) == 0 && !l.InStock && (!l.bounded() || l.within()) {
		return l.Limit + 1
	}
	return maxScan
}

func (l List) scan(rows *stdsql.Rows) (f found, err error) {
	if l.Sort == Title {
		var key string
		err = rows.Scan(&f.id, &key, &f.passes)
		f.key = key
		return f, err
	}
	var key int64
	err = rows.Scan(&f.id, &key, &f.passes)
	f.key = key
	return f, err
}

// statement walks the index of the order, or the price index if few products are within the bounds,
// and sorts those afterwards. The filters are computed as a column, so that the number of rows read
// is bounded, not the number of hits.
func (l List) statement(r Reader, from *spot, back bool) (string, []any) {
	by := orders[l.Sort]
	passes, args := l.passes(r.Store)
	where, more := l.bounds(r.Engine, by, from, back)
	args = append(append(args, r.Store, l.ID), more...)
	towards := ""
	if by.down != back {
		towards = " DESC"
	}
	table, key, index := "listings", "shelf", "listing_store_id_shelf_"+by.column+"_id"
	switch {
	case l.Sort == Manual:
		table, key, index = "collection_products", "collection_id", byPosition
	case l.few:
		index = byPrice
	}
	return fmt.Sprintf("SELECT l.id, l.%s, %s FROM %s l%s WHERE l.store_id = ? AND l.%s = ?%s "+
		"ORDER BY l.%s%s, l.id%s LIMIT %d", by.column, passes, table, ent.IndexHint(r.Engine, table, index), key,
		where, by.column, towards, towards, l.most()), args
}

func (l List) bounds(engine string, by order, from *spot, back bool) (where string, args []any) {
	if from != nil {
		sign := ">"
		if by.down != back {
			sign = "<"
		}
		if engine == dialect.SQLite {
			where = fmt.Sprintf(" AND (l.%s, l.id) %s (?, ?)", by.column, sign)
			args = append(args, from.key, from.id)
		} else { // MySQL uses an index range for the simple comparison only
			where = fmt.Sprintf(" AND l.%[1]s %[2]s= ? AND (l.%[1]s %[2]s ? OR (l.%[1]s = ? AND l.id %[2]s ?))",
				by.column, sign)
			args = append(args, from.key, from.key, from.key, from.id)
		}
	}
	if l.within() {
		prices, more := l.prices("l")
		where, args = where+prices, append(args, more...)
	}
	return where, args
}

func (l List) prices(of string) (where string, args []any) {
	if l.Least != nil {
		where, args = " AND "+of+".price_minor >= ?", append(args, *l.Least)
	}
	if l.Most != nil {
		where, args = where+" AND "+of+".price_minor <= ?", append(args, *l.Most)
	}
	return where, args
}

// passes returns an expression for whether a row passes the filters.
func (l List) passes(store xid.ID) (string, []any) {
	text, args := "", []any(nil)
	switch {
	case l.Sort == Manual: // a collection may contain hidden products
		prices, more := l.prices("o")
		text = " AND EXISTS (SELECT 1 FROM listings o WHERE o.store_id = ? AND o.shelf = ? AND o.id = l.id" + prices + ")"
		args = append([]any{store, l.ID}, more...)
	case !l.within():
		text, args = l.prices("l")
	}
	for _, id := range l.On {
		text += " AND EXISTS (SELECT 1 FROM listings o WHERE o.store_id = ? AND o.shelf = ? AND o.id = l.id)"
		args = append(args, store, id)
	}
	if l.InStock {
		text += " AND EXISTS (SELECT 1 FROM products p WHERE p.store_id = ? AND p.id = l.id AND " +
			"(p.inventory_quantity IS NULL OR p.inventory_quantity > 0))"
		args = append(args, store)
	}
	if text == "" {
		return "1", nil
	}
	return "(" + strings.TrimPrefix(text, " AND ") + ")", args
}
