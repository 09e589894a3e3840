package cell_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/cell"
	"github.com/storefront-go/storefront/ent/xid"
)

func TestRows(t *testing.T) {
	for _, page := range []int{1, 21, 101} {
		n := 0
		for n < page {
			n += cell.Rows(n)
		}
		if n != page {
			t.Errorf("room for %d rows, want %d", n, page)
		}
	}
}

// TestTake passes the values of several rows to a destination, from a driver's buffer that changes
// with each, and checks the results.
func TestTake(t *testing.T) {
	var (
		state    cell.Text[string]
		document cell.Bytes
		count    cell.Int64
		flag     cell.Flag
		note     *string
		paid     *int64
		id       xid.ID
		customer *xid.ID
		body     boxed
	)
	dest := cell.NewDest(&state, &document, &count, &flag, cell.TextOf(&note), cell.NumberOf(&paid), &id,
		cell.PointerOf(&customer), &body)
	text := func(s string) cell.Value { return cell.Value{Kind: cell.KindBytes, Bytes: []byte(s)} }
	number := func(n int64) cell.Value { return cell.Value{Kind: cell.KindNumber, Number: n} }
	take := func(row ...cell.Value) {
		t.Helper()
		for i, v := range row {
			if err := dest.Take(i, v); err != nil {
				t.Error(err)
			}
			clear(v.Bytes)
		}
	}
	first, second := xid.New(), xid.New()
	take(text("open"), text("one"), number(-1), number(1), text("a"), number(7), text(string(first[:])),
		text(string(second[:])), text(`{"a":1}`))
	if state != "open" || string(document) != "one" || count != -1 || !bool(flag) || *note != "a" || *paid != 7 ||
		id != first || *customer != second || body != `{"a":1}` {
		t.Errorf("got %q, %q, %d, %t, %q, %d, %s, %s, %s", state, document, count, flag, *note, *paid, id, *customer, body)
	}

	// A value equal to the previous row's is shared, and has no spare capacity to append into.
	shared, sharedNote := &document[0], note
	take(text("open"), text("one"), number(0), number(0), text("a"))
	if &document[0] != shared || len(document) != cap(document) || note != sharedNote {
		t.Error("equal values are not shared, or have spare capacity")
	}
	take(text("paid"), text("two"), number(0), number(0), text("b"))
	if string(document) != "two" || *note != "b" || *sharedNote != "a" || bool(flag) {
		t.Errorf("got %q, %q after %q, %t", document, *note, *sharedNote, flag)
	}

	null := cell.Value{}
	take(text(""), null, number(0), number(0), null, null, text(string(second[:])), null)
	if state != "" || document != nil || note != nil || paid != nil || customer != nil {
		t.Errorf("NULL: got %q, %v, %v, %v, %v", state, document, note, paid, customer)
	}
	take(text(""), text(""))
	if document == nil {
		t.Error("an empty document was scanned as nil")
	}
	for i, v := range []cell.Value{
		null, number(1), text("x"), text("x"), number(1), text("x"), text("x"), text("x"), number(1),
	} {
		if err := dest.Take(i, v); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("column %d:", i+1)) {
			t.Errorf("column %d took %+v: %v", i+1, v, err)
		}
	}
}

// boxed is a scanner like eventbody.Body, which accepts only bytes.
type boxed string

func (b *boxed) Scan(src any) error {
	v, ok := src.([]byte)
	if !ok && src != nil {
		return fmt.Errorf("a %T", src)
	}
	*b = boxed(v)
	return nil
}

func TestInt8(t *testing.T) {
	var n cell.Int8
	if err := n.Scan(int64(-128)); err != nil || n != -128 {
		t.Errorf("got %d, %v", n, err)
	}
	if err := n.Scan(int64(128)); err == nil {
		t.Error("128 fits in eight bits")
	}
}
