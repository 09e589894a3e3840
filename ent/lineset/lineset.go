// Package lineset packs the lines of an order into one value in the order's own row, so that a page
// of orders needs a single statement.
//
// A set is a byte for its format, the lines in order, and a checksum over them and the order's id.
// Only two counters of a line ever change, and a change rewrites the whole set. The format is our
// own because rows are read far more often than written: it is less than half as long as JSON, and
// read in a tenth of the time.
package lineset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"unsafe"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
)

// ErrDamaged is the error for bytes that are not a set of the order's lines.
var ErrDamaged = errors.New("the lines in an order's row are damaged")

// form1 is the first byte of the only format.
const form1 = 1

// Flags in the first byte of a line.
const (
	hasProduct = 1 << iota
	hasVariant
	hasSku
	hasOptions
	isShipped
)

const (
	sumSize = 4
	// leastSize is the size of the shortest line: its flags, its id, an empty title and seven
	// numbers of one byte.
	leastSize = 1 + 16 + 1 + 7
)

var table = crc32.MakeTable(crc32.Castagnoli)

// Pack returns the lines of an order as stored in its row. It returns nil if there are none or
// their positions do not count from 0; such an order has no set.
func Pack(order xid.ID, lines []*db.OrderLine) []byte {
	b := binary.AppendUvarint([]byte{form1}, uint64(len(lines)))
	for i, l := range lines {
		if l.Position != i {
			return nil
		}
		b = appendLine(b, l)
	}
	if len(lines) == 0 {
		return nil
	}
	return binary.LittleEndian.AppendUint32(b, sum(order[:], b))
}

func appendLine(b []byte, l *db.OrderLine) []byte {
	at := len(b)
	b = append(append(b, 0), l.ID[:]...)
	if l.ProductID != nil {
		b[at] |= hasProduct
		b = append(b, l.ProductID[:]...)
	}
	if l.VariantID != nil {
		b[at] |= hasVariant
		b = append(b, l.VariantID[:]...)
	}
	b = appendText(b, l.Title)
	if l.Sku != nil {
		b[at] |= hasSku
		b = appendText(b, *l.Sku)
	}
	if l.Options != nil {
		b[at] |= hasOptions
		b = appendText(b, l.Options)
	}
	if l.RequiresShipping {
		b[at] |= isShipped
	}
	for _, n := range [...]int64{l.Quantity, l.FulfilledQuantity, l.RefundedQuantity, l.UnitPriceMinor, l.DiscountMinor,
		l.TaxMinor, l.TotalMinor} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func appendText[T ~string | ~[]byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// sum returns the checksum of an order's set, which differs from that of another order.
func sum(order, set []byte) uint32 {
	return crc32.Update(crc32.Checksum(order, table), table, set)
}

// Of returns the lines in an order's row, in order. It returns nil if they have to be read from
// their own rows, and fails if the set is damaged, since the lines may exist nowhere else.
func Of(o *db.Order) ([]*db.OrderLine, error) {
	if !Holds(o) {
		return nil, nil
	}
	lines, err := Unpack(o.StoreID, o.ID, o.LineSet)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.PublicID(), err)
	}
	return lines, nil
}

// Holds reports whether an order's row has its current lines. It does not if they were never
// packed, or if a release without sets has changed the order since.
func Holds(o *db.Order) bool { return o.LineSetVersion != nil && *o.LineSetVersion == o.Version }

// Lacking returns the orders whose lines have to be read from their own rows.
func Lacking(orders []*db.Order) (lacking []xid.ID) {
	for _, o := range orders {
		if !Holds(o) {
			lacking = append(lacking, o.ID)
		}
	}
	return lacking
}

// whole reports whether a set belongs to the order, by its checksum.
func whole(order, set []byte) bool {
	end := len(set) - sumSize
	return end >= 2 && set[0] == form1 && binary.LittleEndian.Uint32(set[end:]) == sum(order, set[:end])
}

// OfAll returns the lines in the rows of several orders, grouped by order and sorted, and the
// orders whose lines have to be read from their own rows. It fails as [Of] does.
func OfAll(orders []*db.Order) (lines []*db.OrderLine, rest []xid.ID, err error) {
	lines = make([]*db.OrderLine, 0, 2*len(orders))
	for _, o := range orders {
		set, err := Of(o)
		switch {
		case err != nil:
			return nil, nil, err
		case set == nil:
			rest = append(rest, o.ID)
		default:
			lines = append(lines, set...)
		}
	}
	return lines, rest, nil
}

// Keep is for a change of orders that raises their version by one and leaves their lines unchanged:
// sets that were current stay current.
func Keep(u *sql.UpdateBuilder) {
	const column = order.FieldLineSetVersion
	u.Set(column, sql.Expr("`"+column+"` + 1"))
}

// room is a line and the values that it points to. All lines of an order are one allocation.
type room struct {
	line             db.OrderLine
	product, variant xid.ID
	sku              string
}

// Unpack returns the lines of an order from their set, or [ErrDamaged]. They share the set's bytes,
// which must not be modified.
func Unpack(store, order xid.ID, set []byte) ([]*db.OrderLine, error) {
	return new(Unpacker).Unpack(store, order, set)
}

// Unpacker unpacks one set after the other into the same memory. The zero Unpacker is ready to use.
type Unpacker struct {
	rooms []room
	lines []*db.OrderLine
	order xid.ID // a field, since on the stack it would escape
}

// Unpack is like the function [Unpack], but overwrites its previous result.
func (u *Unpacker) Unpack(store, order xid.ID, set []byte) ([]*db.OrderLine, error) {
	if u.order = order; !whole(u.order[:], set) {
		return nil, ErrDamaged
	}
	r := reader{rest: set[1 : len(set)-sumSize]}
	n := r.number()
	if n <= 0 || n > int64(len(r.rest)/leastSize) {
		return nil, ErrDamaged
	}
	if int64(len(u.rooms)) < n {
		u.rooms, u.lines = make([]room, n), make([]*db.OrderLine, n)
	}
	for i := range u.rooms[:n] {
		u.rooms[i] = room{line: db.OrderLine{StoreID: store, OrderID: order, Position: i}}
		r.line(&u.rooms[i])
		u.lines[i] = &u.rooms[i].line
	}
	if r.failed || len(r.rest) > 0 {
		return nil, ErrDamaged
	}
	return u.lines[:n:n], nil
}

// reader reads a set. Reading beyond its end returns zero values and sets failed.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) line(into *room) {
	l, flags := &into.line, r.take(1)
	if r.failed {
		return
	}
	has := flags[0]
	l.ID = r.id()
	if has&hasProduct != 0 {
		into.product = r.id()
		l.ProductID = &into.product
	}
	if has&hasVariant != 0 {
		into.variant = r.id()
		l.VariantID = &into.variant
	}
	l.Title = r.text()
	if has&hasSku != 0 {
		into.sku = r.text()
		l.Sku = &into.sku
	}
	if has&hasOptions != 0 {
		l.Options = document.Tags(slices.Clip(r.take(r.number())))
	}
	l.RequiresShipping = has&isShipped != 0
	for _, n := range [...]*int64{&l.Quantity, &l.FulfilledQuantity, &l.RefundedQuantity, &l.UnitPriceMinor,
		&l.DiscountMinor, &l.TaxMinor, &l.TotalMinor} {
		*n = r.number()
	}
}

func (r *reader) number() int64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.failed = true
		return 0
	}
	r.rest = r.rest[size:]
	return int64(n)
}

func (r *reader) take(n int64) []byte {
	if r.failed || n < 0 || n > int64(len(r.rest)) {
		r.failed = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) id() (id xid.ID) {
	copy(id[:], r.take(int64(len(id))))
	return id
}

// text returns the next text as a part of the set: copies would be a third of the allocations of
// unpacking.
func (r *reader) text() string {
	b := r.take(r.number())
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // the set's bytes are never modified
}
