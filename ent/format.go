package ent

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// Format names a form of stored data that programs of before cannot read. A new
// database is written in every form that is known; one that an older program may
// still read is not, until `storefront migrate finalize` says that there is none left.
type Format string

// PackedEvents is the form in which the bodies of events are packed (ent/eventbody).
const PackedEvents Format = "packed_events"

// SalesRollups are the sums of sales (graph/engine/rollup). They hold where no program relays
// events without noting what the sums lack then, so they are made once it is written.
const SalesRollups Format = "sales_rollups"

// LinesInOrders is the form in which an order's lines are in its own row alone
// (ent/lineset), and no more in rows of order_lines.
const LinesInOrders Format = "lines_in_orders"

// ShortEvents is the form in which packed bodies have their ids and times as numbers
// (Pack of ent/eventbody, and no more PackFirst).
const ShortEvents Format = "short_events"

// Formats returns those that this program knows.
func Formats() []Format { return []Format{PackedEvents, SalesRollups, LinesInOrders, ShortEvents} }

// FormatTable names the formats in which a database is written, a row each.
const FormatTable = "data_formats"

// formatAge is how long a process takes a database for what it was when it looked.
const formatAge = 10 * time.Second

// formats is what a process knows of the formats of its database.
type formats struct {
	all    atomic.Bool // every format that is known: nothing more is to be learned
	named  atomic.Pointer[[]Format]
	looked atomic.Int64 // when, in nanoseconds since the epoch
}

// refreshFormats looks now and then, outside of transactions, in which formats the
// database may be written. Where it cannot tell, it goes on with what it knew: the
// older form can be read by all.
func (s *Store) refreshFormats(ctx context.Context) {
	now := time.Now().UnixNano()
	last := s.formats.looked.Load()
	if s.formats.all.Load() || now-last < int64(formatAge) || !s.formats.looked.CompareAndSwap(last, now) {
		return
	}
	named, err := s.readFormats(ctx)
	if err != nil {
		s.log.DebugContext(ctx, "formats of the database not read", "error", err)
		return
	}
	s.formats.named.Store(&named)
	s.formats.all.Store(!slices.ContainsFunc(Formats(), func(f Format) bool { return !slices.Contains(named, f) }))
}

// readFormats fails where there is no table: nobody finalized the database.
func (s *Store) readFormats(ctx context.Context) (named []Format, err error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT name FROM "+FormatTable)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		named = append(named, Format(name))
	}
	return named, rows.Err()
}

// Writes reports whether the transaction of ctx may write data in a format.
func Writes(ctx context.Context, f Format) bool {
	t, ok := ctx.Value(txKey{}).(*tx)
	if !ok {
		return false
	}
	if t.store.formats.all.Load() {
		return true
	}
	named := t.store.formats.named.Load()
	return named != nil && slices.Contains(*named, f)
}
