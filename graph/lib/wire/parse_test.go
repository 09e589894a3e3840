package wire

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/fault"
)

func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct{ name, body, detail string }{
		{"empty", "", "no value at byte 0"},
		{"white space", " \n", "no value at byte 2"},
		{"byte order mark", "\xef\xbb\xbf{}", "byte order mark at byte 0"},
		{"word", "nul", "unexpected end at byte 3"},
		{"wrong word", "trüe", "unexpected character at byte 2"},
		{"bare text", "abc", "unexpected character at byte 0"},
		{"trailing value", "{} {}", "more data after the value at byte 3"},
		{"trailing NUL", "{}\x00", "more data after the value at byte 2"},
		{"trailing comma in object", `{"a":1,}`, "unexpected character at byte 7"},
		{"trailing comma in array", `[1,]`, "unexpected character at byte 3"},
		{"leading comma", `[,1]`, "unexpected character at byte 1"},
		{"missing comma", `[1 2]`, "unexpected character at byte 3"},
		{"missing colon", `{"a" 1}`, "unexpected character at byte 5"},
		{"wrong bracket", `[1}`, "unexpected character at byte 2"},
		{"open array", `[1`, "unexpected end at byte 2"},
		{"open object", `{"a":1`, "unexpected end at byte 6"},
		{"open string", `"abc`, "unexpected end at byte 4"},
		{"name is no string", `{a:1}`, "unexpected character at byte 1"},
		{"comment", `{} // x`, "more data after the value at byte 3"},
		{"single quotes", `{'a':1}`, "unexpected character at byte 1"},
		{"leading zero", `[01]`, "unexpected character at byte 2"},
		{"plus", `+1`, "unexpected character at byte 0"},
		{"minus alone", `-`, "unexpected end at byte 1"},
		{"no digits after point", `1.`, "unexpected end at byte 2"},
		{"no digits before point", `.5`, "unexpected character at byte 0"},
		{"no exponent", `1e+`, "unexpected end at byte 3"},
		{"not a number", `NaN`, "unexpected character at byte 0"},
		{"hexadecimal", `0x10`, "more data after the value at byte 1"},
		{"raw newline", "\"a\nb\"", "control character in a string at byte 2"},
		{"raw NUL", "\"\x00\"", "control character in a string at byte 1"},
		{"unknown escape", `"\x41"`, "unexpected character at byte 2"},
		{"escape at the end", `"\`, "unexpected end at byte 2"},
		{"short hex", `"\u12"`, "unexpected character at byte 5"},
		{"bad hex", `"\u12g4"`, "unexpected character at byte 5"},
		{"bad UTF-8", "\"a\xff\"", "bad UTF-8 at byte 2"},
		{"overlong UTF-8", "\"\xc0\xaf\"", "bad UTF-8 at byte 1"},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", "bad UTF-8 at byte 1"},
		{"cut UTF-8", "\"\xe2\x82\"", "bad UTF-8 at byte 1"},
		{"bad UTF-8 in a name", "{\"\xff\":1}", "bad UTF-8 at byte 2"},
		{"lone high surrogate", `"\ud800"`, "lone surrogate at byte 1"},
		{"lone low surrogate", `"a\udc00"`, "lone surrogate at byte 2"},
		{"two high surrogates", `"\ud800\ud800"`, "lone surrogate at byte 1"},
		{"high surrogate, letter", `"\ud800\u0041"`, "lone surrogate at byte 1"},
		{"duplicate", `{"a":1,"a":2}`, "duplicate member at byte 7"},
		{"duplicate by escape", `{"price":1,"pric\u0065":2}`, "duplicate member at byte 11"},
		{"duplicate by two escapes", `{"\/":1,"\u002f":2}`, "duplicate member at byte 8"},
		{"duplicate inside", `[{"x":{"b":[],"c":0,"b":{}}}]`, "duplicate member at byte 20"},
		{"duplicate among many", many(50, `"m7":0`), "duplicate member at byte 391"},
		{"duplicate by escape among many", many(50, `"m\u0037":0`), "duplicate member at byte 391"},
		{"depth 33 of arrays", nest(33), "nesting too deep at byte 32"},
		{"depth 33 mixed", strings.Repeat(`{"a":[`, 17), "nesting too deep at byte 96"},
		{"depth without end", strings.Repeat("[", 1<<20), "nesting too deep at byte 32"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse([]byte(tc.body))
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != fault.MalformedBody {
				t.Fatalf("got %v, want a malformed_body fault", err)
			}
			if want := "The body is not valid JSON: " + tc.detail + "."; f.Detail != want {
				t.Errorf("got %q, want %q", f.Detail, want)
			}
		})
	}
}

// many returns an object of n members, "m0" and so on, and one more.
func many(n int, last string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		b.WriteString(`"m` + strconv.Itoa(i) + `":0,`)
	}
	return b.String() + last + "}"
}

func nest(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

func TestParseAccepts(t *testing.T) {
	for _, tc := range []struct{ name, body, canonical string }{
		{"null", "null", "null"},
		{"white space", " \t\r\n{ \"a\" : [ 1 , 2 ] } \n", `{"a":[1,2]}`},
		{"empty containers", `[{},[],""]`, `[{},[],""]`},
		{"numbers as written", `[-0,0.0,1E+2,1e02,10]`, `[-0,0.0,1E+2,1e02,10]`},
		{"words", `[true,false,null]`, `[true,false,null]`},
		{"short escapes", `"\"\\\/\b\f\n\r\t"`, `"\u0022\u005c/\u0008\u000c\u000a\u000d\u0009"`},
		{"NUL escaped", `"\u0000"`, `"\u0000"`},
		{"surrogate pair", `"\uD83D\ude00"`, `"😀"`},
		{"escapes and text", `"a\u00e9b\u20acc"`, `"aéb€c"`},
		{"delete character", "\"\x7f\"", "\"\x7f\""},
		{"replacement character", `"\ufffd�"`, `"��"`},
		{"names in order of bytes", `{"b":1,"a":2,"B":3,"é":4,"\u0000":5}`, `{"\u0000":5,"B":3,"a":2,"b":1,"é":4}`},
		{"names in other case", `{"a":1,"A":2}`, `{"A":2,"a":1}`},
		{"same name at other depth", `{"a":{"a":{"a":1}}}`, `{"a":{"a":{"a":1}}}`},
		{"depth 32", nest(32), nest(32)},
		{"empty name", `{"":0}`, `{"":0}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v, err := Parse([]byte(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(AppendCanonical(nil, v)); got != tc.canonical {
				t.Errorf("got %s, want %s", got, tc.canonical)
			}
		})
	}
}

func TestParseManyMembers(t *testing.T) {
	v, err := Parse([]byte(many(50_000, `"last":{"x":[1,2,3]}`)))
	if err != nil {
		t.Fatal(err)
	}
	last, ok := v.Get("last")
	if !ok || v.Len() != 50_001 || last.Kind() != ObjectKind {
		t.Errorf("got %d members, last %v", v.Len(), last.Kind())
	}
}

func TestZeroValue(t *testing.T) {
	var v Value
	_, found := v.Get("a")
	if v.Kind() != NullKind || v.Bool() || v.Text() != "" || v.Len() != 0 || v.Offset() != 0 || found {
		t.Error("the zero value is not null")
	}
	if got := string(AppendCanonical(nil, v)); got != "null" {
		t.Errorf("got %s, want null", got)
	}
}
