package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

func TestAppendString(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"empty", "", `""`},
		{"plain", "Enamel mug", `"Enamel mug"`},
		{"quotes", `a"b\c/d`, `"a\"b\\c/d"`},
		{"white space", "a\nb\tc\r", `"a\nb\tc\r"`},
		{"controls", "\x00\x1f\b\x7f", `"\u0000\u001f\u0008` + "\x7f" + `"`},
		{"no HTML escapes", "<a&b>", `"<a&b>"`},
		{"line separators", "a\u2028b\u2029c", `"a\u2028b\u2029c"`},
		{"other text", "é€😀", `"é€😀"`},
		{"bad UTF-8", "a\xffb\xc3", `"a\ufffdb\ufffd"`},
		{"surrogate in UTF-8", "\xed\xa0\x80", `"\ufffd\ufffd\ufffd"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := string(AppendString(nil, tc.in)); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\"\n\u2028\xff<é")
	f.Fuzz(func(t *testing.T, s string) {
		b := AppendString(nil, s)
		var got string
		if err := json.Unmarshal(b, &got); err != nil || !utf8.Valid(b) {
			t.Fatalf("%q became %q: %v", s, b, err)
		}
		if want := string([]rune(s)); got != want {
			t.Errorf("%q reads as %q", s, got)
		}
	})
}

func TestObject(t *testing.T) {
	at, err := micros.Parse("2026-01-31T12:00:00.000001Z")
	if err != nil {
		t.Fatal(err)
	}
	u := xid.At(at)
	o := Open([]byte("prefix\n"))
	o.Str("str", "a\"b")
	o.Plain("plain", "open")
	o.StrOpt("str_opt", new("x"))
	o.StrOpt("str_null", nil)
	o.Int("int", -5)
	o.IntOpt("int_opt", new(int64(9007199254740991)))
	o.IntOpt("int_null", nil)
	o.Bool("bool", true)
	o.Time("time", at)
	o.TimeOpt("time_opt", &at)
	o.TimeOpt("time_null", nil)
	o.ID("id", xid.Order, u)
	o.IDOpt("id_opt", xid.Customer, &u)
	o.IDOpt("id_null", xid.Customer, nil)
	o.Raw("raw", []byte(`{"a":[]}`))
	o.Raw("raw_null", nil)
	o.Null("null")
	o.Strings("strings", []string{"a", "\n"})
	o.Strings("strings_none", nil)
	o.Name("inner")
	inner := Open(o.B)
	o.B = inner.Close()

	text, ok := strings.CutPrefix(string(o.Close()), "prefix\n")
	var got any
	if err := json.Unmarshal([]byte(text), &got); err != nil || !ok {
		t.Fatalf("%s: %v", text, err)
	}
	want := map[string]any{
		"str": `a"b`, "plain": "open", "str_opt": "x", "str_null": nil, "int": -5.0, "int_opt": 9007199254740991.0,
		"int_null": nil, "bool": true, "time": "2026-01-31T12:00:00.000001Z", "time_opt": "2026-01-31T12:00:00.000001Z",
		"time_null": nil, "id": xid.Order.Format(u), "id_opt": xid.Customer.Format(u), "id_null": nil,
		"raw": map[string]any{"a": []any{}}, "raw_null": nil, "null": nil,
		"strings": []any{"a", "\n"}, "strings_none": []any{}, "inner": map[string]any{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// line writes an object with one member of each common type.
func line(b []byte, u xid.ID, at micros.Time, note *string) []byte {
	o := Open(b)
	o.ID("id", xid.Order, u)
	o.Str("email", "someone@example.org")
	o.StrOpt("note", note)
	o.Int("total_minor", 129900)
	o.Time("created_at", at)
	o.TimeOpt("paid_at", &at)
	o.Bool("paid", true)
	return o.Close()
}

func TestObjectAllocatesNothing(t *testing.T) {
	b, u, at := make([]byte, 0, 1024), xid.New(), micros.Now()
	if n := testing.AllocsPerRun(100, func() { line(b, u, at, nil) }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

func BenchmarkObject(b *testing.B) {
	buf, u, at := make([]byte, 0, 1024), xid.New(), micros.Now()
	b.ReportAllocs()
	for b.Loop() {
		line(buf, u, at, nil)
	}
}

func BenchmarkAppendString(b *testing.B) {
	buf := make([]byte, 0, 1024)
	for _, bm := range []struct{ name, text string }{
		{"ascii", "Enamel mug, blue, holds 350 ml and is safe in a dishwasher"},
		{"other", "Tasse émaillée – 350 ml, résiste au lave-vaisselle"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			b.ReportAllocs()
			for b.Loop() {
				AppendString(buf, bm.text)
			}
		})
	}
}
