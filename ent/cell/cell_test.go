package cell_test

import (
	"database/sql"
	"testing"

	"github.com/storefront-go/storefront/ent/cell"
	"github.com/storefront-go/storefront/ent/xid"
)

func TestScan(t *testing.T) {
	var (
		text   string
		raw    []byte
		number int64
		small  int
		flag   bool
		optT   *string
		optN   *int64
		optID  *xid.ID
	)
	id := xid.New()
	for _, tc := range []struct {
		name string
		dest sql.Scanner
		src  any
		ok   func() bool
	}{
		{"text of bytes", (*cell.Text[string])(&text), []byte("a"), func() bool { return text == "a" }},
		{"text of text", (*cell.Text[string])(&text), "b", func() bool { return text == "b" }},
		{"bytes", (*cell.Bytes)(&raw), []byte("a"), func() bool { return string(raw) == "a" }},
		{"empty bytes", (*cell.Bytes)(&raw), []byte{}, func() bool { return raw != nil && len(raw) == 0 }},
		{"no bytes", (*cell.Bytes)(&raw), nil, func() bool { return raw == nil }},
		{"empty bytes after none", (*cell.Bytes)(&raw), []byte{}, func() bool { return raw != nil }},
		{"number", (*cell.Int64)(&number), int64(-5), func() bool { return number == -5 }},
		{"number of text", (*cell.Int64)(&number), []byte("7"), func() bool { return number == 7 }},
		{"small number", (*cell.Int)(&small), int64(9), func() bool { return small == 9 }},
		{"flag of number", (*cell.Flag)(&flag), int64(1), func() bool { return flag }},
		{"flag", (*cell.Flag)(&flag), false, func() bool { return !flag }},
		{"text that is there", cell.TextOf(&optT), []byte("a"), func() bool { return optT != nil && *optT == "a" }},
		{"the same text again", cell.TextOf(&optT), []byte("a"), func() bool { return *optT == "a" }},
		{"another text", cell.TextOf(&optT), []byte("b"), func() bool { return *optT == "b" }},
		{"text that is not", cell.TextOf(&optT), nil, func() bool { return optT == nil }},
		{"number that is there", cell.NumberOf(&optN), int64(3), func() bool { return optN != nil && *optN == 3 }},
		{"number that is not", cell.NumberOf(&optN), nil, func() bool { return optN == nil }},
		{"id that is there", cell.PointerOf(&optID), id[:], func() bool { return optID != nil && *optID == id }},
		{"id that is not", cell.PointerOf(&optID), nil, func() bool { return optID == nil }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := tc.dest.Scan(tc.src); err != nil || !tc.ok() {
				t.Errorf("scanned wrongly: %v", err)
			}
		})
	}
}

func TestMismatch(t *testing.T) {
	var (
		text   string
		raw    []byte
		number int64
		optN   *int64
	)
	for _, dest := range []sql.Scanner{(*cell.Text[string])(&text), (*cell.Bytes)(&raw), (*cell.Int64)(&number), cell.NumberOf(&optN)} {
		if err := dest.Scan(1.5); err == nil {
			t.Errorf("%T took a float", dest)
		}
	}
	if err := (*cell.Int64)(&number).Scan([]byte("x")); err == nil {
		t.Error("a text was taken for a number")
	}
}

// Drivers reuse their buffers: what was scanned must not change with them, and
// appending to one row's bytes must not reach another's.
func TestScannedBytesAreOurs(t *testing.T) {
	var raw []byte
	src := []byte("one")
	if err := (*cell.Bytes)(&raw).Scan(src); err != nil {
		t.Fatal(err)
	}
	first := raw
	copy(src, "two")
	if string(first) != "one" {
		t.Error("the driver's buffer is shared")
	}
	copy(src, "one")
	if err := (*cell.Bytes)(&raw).Scan(src); err != nil {
		t.Fatal(err)
	}
	_ = append(first, '!')
	if string(append(raw, '?')) != "one?" {
		t.Error("equal rows share room to append")
	}
}
