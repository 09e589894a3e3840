// Package lineset packs the lines of an order into one value, which rides in the order's
// own row: a page of orders is one statement then.
//
// A set is a byte that names its form, the lines one after the other, and a checksum
// over them and the order's id. What lines say never changes but for two counters, and a
// change of these writes the whole set anew. The packing is our own since the rows are
// read far more often than written: it is less than half as long as JSON, and read in a
// tenth of the time.
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

// ErrDamaged is the error of bytes that are not a set of the order's lines.
var ErrDamaged = errors.New("the lines in an order's row are damaged")

// form1 is the first byte of the only form there is.
const form1 = 1

// What a line has, in the byte that it begins with.
const (
	hasProduct = 1 << iota
	hasVariant
	hasSku
	hasOptions
	isShipped
)

const (
	sumSize = 4
	// leastSize is that of a line without anything: its flags, its id, a title of no
	// bytes and seven numbers of one.
	leastSize = 1 + 16 + 1 + 7
)

var table = crc32.MakeTable(crc32.Castagnoli)

// Pack returns the lines of an order as its row holds them. There have to be some, with
// the positions from 0 on; it returns nil for others, whose order has no set.
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

// sum is that of an order's set: one of another order does not fit.
func sum(order, set []byte) uint32 {
	return crc32.Update(crc32.Checksum(order, table), table, set)
}

// Of returns the lines that an order's row holds, in their order. It returns none where
// they have to be read from their own rows, and fails where the set is damaged: there
// may be no other place that has them.
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

// Holds reports whether an order's row holds its lines as they are. It does not where
// nobody packed them yet, or a program that does not know of sets has changed the order
// since.
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

// whole reports whether a set is one of the order's, by its checksum.
func whole(order, set []byte) bool {
	end := len(set) - sumSize
	return end >= 2 && set[0] == form1 && binary.LittleEndian.Uint32(set[end:]) == sum(order, set[:end])
}

// OfAll returns the lines that the rows of some orders hold, those of one order together in
// their order, and the orders whose lines have to be read from their own rows. It fails as
// [Of] does.
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

// Keep is for a change of orders that raises their version by one and leaves their lines as they
// are: what the rows hold stays current where it was, and nowhere else.
func Keep(u *sql.UpdateBuilder) {
	const column = order.FieldLineSetVersion
	u.Set(column, sql.Expr("`"+column+"` + 1"))
}

// room is a line with what it points to: one allocation holds those of an order.
type room struct {
	line             db.OrderLine
	product, variant xid.ID
	sku              string
}

// Unpack returns the lines of an order from their set, or [ErrDamaged]. They share the set's
// bytes, which nobody may write to.
func Unpack(store, order xid.ID, set []byte) ([]*db.OrderLine, error) {
	return new(Unpacker).Unpack(store, order, set)
}

// Unpacker unpacks sets for one who is done with each before the next: all lines lie in the
// same memory. The zero Unpacker is ready.
type Unpacker struct {
	rooms []room
	lines []*db.OrderLine
	order xid.ID // here, since on the stack it would escape
}

// Unpack is like the function [Unpack]. What it returned before is overwritten.
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

// reader reads a set; what it reads behind its end is nothing.
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

// take returns the next n bytes, nil where there are not as many.
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

// text returns the next text, which is a part of the set: a copy would be a third of what
// unpacking allocates.
func (r *reader) text() string {
	b := r.take(r.number())
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // nobody writes to the set's bytes
}
