package lineset_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/xid"
)

// lines returns a minimal line and one with all members and extreme numbers.
func lines(store, order xid.ID) []*db.OrderLine {
	return []*db.OrderLine{
		{ID: xid.New(), StoreID: store, OrderID: order, Title: "Mug", Quantity: 1},
		{ID: xid.New(), StoreID: store, OrderID: order, Position: 1, ProductID: new(xid.New()),
			VariantID: new(xid.New()), Title: "Tasse “groß” \x00 \U0001f600", Sku: new(""),
			Options:  document.NewTags([]string{"blau", "groß"}),
			Quantity: 1<<31 - 1, FulfilledQuantity: 3, RefundedQuantity: 2, UnitPriceMinor: 1<<53 - 1,
			DiscountMinor: 128,
			TaxMinor:      math.MaxInt64, TotalMinor: -1, RequiresShipping: true},
	}
}

func diff(a, b []*db.OrderLine) string {
	return cmp.Diff(a, b, cmpopts.IgnoreUnexported(db.OrderLine{}))
}

func TestRoundTrip(t *testing.T) {
	store, order := xid.New(), xid.New()
	want := lines(store, order)
	got, err := lineset.Unpack(store, order, lineset.Pack(order, want))
	if d := diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	if options := got[1].Options; cap(options) != len(options) {
		t.Error("appending to the options writes into the set")
	}
	if lineset.Pack(order, nil) != nil || lineset.Pack(order, want[1:]) != nil {
		t.Error("incomplete lines of an order were packed")
	}
}

// An Unpacker returns only the lines of the given order, whatever it unpacked before.
func TestUnpacker(t *testing.T) {
	store, order := xid.New(), xid.New()
	all := lines(store, order)
	few := []*db.OrderLine{{ID: xid.New(), StoreID: store, OrderID: order, Title: "Cup", Quantity: 2}}
	var u lineset.Unpacker
	for i, want := range [][]*db.OrderLine{few, all, few, all} {
		got, err := u.Unpack(store, order, lineset.Pack(order, want))
		if d := diff(want, got); err != nil || d != "" {
			t.Errorf("set %d: %v\n%s", i, err, d)
		}
	}
	set := lineset.Pack(order, all)
	if n := testing.AllocsPerRun(10, func() { _, _ = u.Unpack(store, order, set) }); n > 0 {
		t.Errorf("it allocates %v times", n)
	}
	old, held := db.Order{ID: xid.New()}, db.Order{ID: order, LineSetVersion: new(int64(0))}
	if got := lineset.Lacking([]*db.Order{&held, &old}); !slices.Equal(got, []xid.ID{old.ID}) {
		t.Errorf("%v lack their lines", got)
	}
}

// A set with any changed byte is damaged, and so is the set of another order.
func TestDamage(t *testing.T) {
	store, order := xid.New(), xid.New()
	set := lineset.Pack(order, lines(store, order))
	try := func(what string, i int, order xid.ID, set []byte) {
		if got, err := lineset.Unpack(store, order, set); !errors.Is(err, lineset.ErrDamaged) {
			t.Errorf("%s %d: %v, %v", what, i, got, err)
		}
	}
	for i := range set {
		bad := slices.Clone(set)
		bad[i] ^= 1 << (i % 8)
		try("a bit of byte", i, order, bad)
		try("cut at byte", i, order, set[:i])
	}
	try("more by", 1, order, append(slices.Clone(set), 0))
	try("another order's", 0, xid.New(), set)
}

// The set in an order's row is valid only for the version that it was written with.
func TestOf(t *testing.T) {
	store, id := xid.New(), xid.New()
	want := lines(store, id)
	o := &db.Order{ID: id, StoreID: store, Version: 3, LineSet: lineset.Pack(id, want), LineSetVersion: new(int64(3))}
	if got, err := lineset.Of(o); err != nil || diff(want, got) != "" || !lineset.Holds(o) {
		t.Errorf("%v, %v", got, err)
	}
	old, none, damaged := *o, *o, *o
	old.Version, none.LineSetVersion, damaged.LineSet = 4, nil, o.LineSet[1:]
	for i, o := range []*db.Order{&old, &none} {
		if got, err := lineset.Of(o); err != nil || got != nil || lineset.Holds(o) {
			t.Errorf("order %d has lines, or %v", i, err)
		}
	}
	all, rest, err := lineset.OfAll([]*db.Order{o, &old, o})
	if err != nil || len(all) != 4 || !slices.Equal(rest, []xid.ID{id}) {
		t.Errorf("%d lines, and %d orders without: %v", len(all), len(rest), err)
	}
	if all, rest, err := lineset.OfAll([]*db.Order{o, &damaged}); !errors.Is(err, lineset.ErrDamaged) {
		t.Errorf("a damaged set: %d lines, %d orders without, %v", len(all), len(rest), err)
	}
}

// Any bytes are either damaged or unpack to lines that pack to the same lines. A valid checksum is
// added, so that the reader is fuzzed too.
func FuzzUnpack(f *testing.F) {
	var store, order xid.ID
	set := lineset.Pack(order, lines(store, order))
	f.Add(set[:len(set)-4])
	f.Add([]byte{1, 0})
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := lineset.Unpack(store, order, lineset.Seal(order, body))
		if err != nil {
			return
		}
		again, err := lineset.Unpack(store, order, lineset.Pack(order, got))
		if d := diff(got, again); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
	})
}
