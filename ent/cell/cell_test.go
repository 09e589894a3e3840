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
		{name: "text of bytes", dest: (*cell.Text[string])(&text), src: []byte("a"),
			ok: func() bool { return text == "a" }},
		{name: "text of text", dest: (*cell.Text[string])(&text), src: "b", ok: func() bool { return text == "b" }},
		{name: "bytes", dest: (*cell.Bytes)(&raw), src: []byte("a"), ok: func() bool { return string(raw) == "a" }},
		{name: "empty bytes", dest: (*cell.Bytes)(&raw), src: []byte{},
			ok: func() bool { return raw != nil && len(raw) == 0 }},
		{name: "no bytes", dest: (*cell.Bytes)(&raw), ok: func() bool { return raw == nil }},
		{name: "empty bytes after none", dest: (*cell.Bytes)(&raw), src: []byte{},
			ok: func() bool { return raw != nil }},
		{name: "number", dest: (*cell.Int64)(&number), src: int64(-5), ok: func() bool { return number == -5 }},
		{name: "number of text", dest: (*cell.Int64)(&number), src: []byte("7"),
			ok: func() bool { return number == 7 }},
		{name: "small number", dest: (*cell.Int)(&small), src: int64(9), ok: func() bool { return small == 9 }},
		{name: "flag of number", dest: (*cell.Flag)(&flag), src: int64(1), ok: func() bool { return flag }},
		{name: "flag of NULL", dest: (*cell.Flag)(&flag), src: nil, ok: func() bool { return !flag }},
		{name: "flag", dest: (*cell.Flag)(&flag), src: false, ok: func() bool { return !flag }},
		{name: "present text", dest: cell.TextOf(&optT), src: []byte("a"),
			ok: func() bool { return optT != nil && *optT == "a" }},
		{name: "the same text again", dest: cell.TextOf(&optT), src: []byte("a"),
			ok: func() bool { return *optT == "a" }},
		{name: "another text", dest: cell.TextOf(&optT), src: []byte("b"), ok: func() bool { return *optT == "b" }},
		{name: "NULL text", dest: cell.TextOf(&optT), ok: func() bool { return optT == nil }},
		{name: "present number", dest: cell.NumberOf(&optN), src: int64(3),
			ok: func() bool { return optN != nil && *optN == 3 }},
		{name: "NULL number", dest: cell.NumberOf(&optN), ok: func() bool { return optN == nil }},
		{name: "present id", dest: cell.PointerOf(&optID), src: id[:],
			ok: func() bool { return optID != nil && *optID == id }},
		{name: "NULL id", dest: cell.PointerOf(&optID), ok: func() bool { return optID == nil }},
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
	for _, dest := range []sql.Scanner{
		(*cell.Text[string])(&text), (*cell.Bytes)(&raw), (*cell.Int64)(&number), cell.NumberOf(&optN),
	} {
		if err := dest.Scan(1.5); err == nil {
			t.Errorf("%T took a float", dest)
		}
	}
	if err := (*cell.Int64)(&number).Scan([]byte("x")); err == nil {
		t.Error("a text was scanned as a number")
	}
}

// Drivers reuse their buffers: scanned values must not change with them, and appending to the bytes
// of one row must not change those of another.
func TestScannedBytesAreCopied(t *testing.T) {
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
		t.Error("equal rows share capacity to append")
	}
}
