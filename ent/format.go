package ent

import (
	"context"
	stdsql "database/sql"
	"slices"
	"sync/atomic"
	"time"
)

// Format names a format of stored data that earlier releases cannot read. A new database uses every
// known format. An existing one uses a format only after `storefront migrate finalize` has declared
// that no older program is left.
type Format string

// PackedEvents is the format with packed event bodies (ent/eventbody).
const PackedEvents Format = "packed_events"

// SalesRollups are the sums of sales (graph/engine/rollup). They are valid only if every program
// that relays events notes what the sums lack, so they are computed once this format is in use.
const SalesRollups Format = "sales_rollups"

// LinesInOrders is the format with an order's lines only in its own row (ent/lineset), not in rows
// of order_lines.
const LinesInOrders Format = "lines_in_orders"

// ShortEvents is the format with ids and times of packed bodies as numbers (Pack of ent/eventbody
// instead of PackFirst).
const ShortEvents Format = "short_events"

// SearchTerms are the words of version 2 by which staff find rows (graph/engine/index/search). An
// earlier program writes fewer words, so all are written again once this format is in use.
const SearchTerms Format = "search_terms"

// TaxCategories are tax rates for categories, with relations or with more than two decimals, and the
// categories of products. An earlier program would compute other taxes.
const TaxCategories Format = "tax_categories"

// PartPayments are online payments of the rest of an order. An earlier program would refund them, because it
// accepts payments of the total only.
const PartPayments Format = "part_payments"

// Invoices are the invoices and credit notes of orders. An earlier program would change orders without
// issuing those that are due.
const Invoices Format = "invoices"

// ClosedShops are shops that take no orders for a while, or that visitors need a password for. An
// earlier program would sell, and show the pages to everyone.
const ClosedShops Format = "closed_shops"

// CheckoutDetails are the billing addresses and gift messages of carts. An earlier program would leave them
// out of the order.
const CheckoutDetails Format = "checkout_details"

// Returns are the returns of orders. An earlier program would not know their events, and would keep their
// notes when it redacts a customer.
const Returns Format = "returns"

// SalePrices are the sale prices of products and the lowest earlier prices beside reductions. An earlier
// program would sell at other prices, and change a price without them.
const SalePrices Format = "sale_prices"

// ShopperReturns are the returns and withdrawals of shoppers, and their terms. An earlier program would drop the
// terms when it changes the storefront, and keep the names of withdrawals when it redacts a customer.
const ShopperReturns Format = "shopper_returns"

// CustomFields are the values of custom fields. An earlier program would drop those of a variant that it
// changes, and keep those of a customer whom it redacts.
const CustomFields Format = "custom_fields"

// Formats returns the formats that this program knows.
func Formats() []Format {
	return []Format{PackedEvents, SalesRollups, LinesInOrders, ShortEvents, SearchTerms, TaxCategories, PartPayments,
		Invoices, ClosedShops, CheckoutDetails, Returns, SalePrices, ShopperReturns, CustomFields}
}

// FormatTable is the table of the formats that a database uses, one row each.
const FormatTable = "data_formats"

const formatAge = 10 * time.Second

type formats struct {
	all    atomic.Bool // every known format is in use: no more reads are needed
	named  atomic.Pointer[[]Format]
	looked atomic.Int64 // time of the last read, in nanoseconds since the epoch
}

// refreshFormats reads the formats in use from time to time, outside transactions. If that fails,
// the previous result stays: every program can read the older format.
func (s *Store) refreshFormats(ctx context.Context) {
	now := time.Now().UnixNano()
	last := s.formats.looked.Load()
	if s.formats.all.Load() || now-last < int64(formatAge) || !s.formats.looked.CompareAndSwap(last, now) {
		return
	}
	named, err := s.readFormats(ctx)
	if err != nil {
		s.log.DebugContext(ctx, "the formats of the database could not be read", "error", err)
		return
	}
	s.formats.named.Store(&named)
	s.formats.all.Store(!slices.ContainsFunc(Formats(), func(f Format) bool { return !slices.Contains(named, f) }))
}

// readFormats fails if there is no table, that is, before the first finalize.
func (s *Store) readFormats(ctx context.Context) (named []Format, err error) {
	err = Read(ctx, s.readers, func(rows *stdsql.Rows) error {
		var name string
		err := rows.Scan(&name)
		named = append(named, Format(name))
		return err
	}, "SELECT name FROM "+FormatTable)
	return named, err
}

// Writes reports whether the transaction of ctx may write data in format f.
func Writes(ctx context.Context, f Format) bool {
	t, ok := ctx.Value(txKey{}).(*tx)
	return ok && t.store.Uses(f)
}

// Uses reports whether the database uses format f. It goes on to use it.
func (s *Store) Uses(f Format) bool {
	if s.formats.all.Load() {
		return true
	}
	named := s.formats.named.Load()
	return named != nil && slices.Contains(*named, f)
}
