package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// plainValue returns v as encoding/json would decode it.
func plainValue(v Value) any {
	switch v.Kind() {
	case BoolKind:
		return v.Bool()
	case NumberKind:
		return json.Number(v.Text())
	case StringKind:
		return v.Text()
	case ArrayKind:
		list := []any{}
		for _, e := range v.Elements() {
			list = append(list, plainValue(e))
		}
		return list
	case ObjectKind:
		object := map[string]any{}
		for name, m := range v.Members() {
			object[name] = plainValue(m)
		}
		return object
	}
	return nil
}

func decode(t *testing.T, b []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("decode %q: %v", b, err)
	}
	return v
}

// FuzzParse compares Parse with encoding/json: it accepts only JSON, decodes it in the same way,
// and its canonical form is stable.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `[1,2.50,-0,1e3]`, `"\ud83d\ude00"`, `"\ud800"`,
		"\"\xff\"", `{"b":[null,true,{"c":"d\n"}],"a":""}`, "\xef\xbb\xbf{}", `{} x`, nest(32), nest(33),
		many(12, `"z":1`),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Parse(b)
		if err != nil {
			return
		}
		if !json.Valid(b) {
			t.Fatalf("accepted %q, which is not JSON", b)
		}
		// Not cmp.Diff, whose time doubles with each level of nesting.
		if got, want := plainValue(v), decode(t, b); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %v, encoding/json reads %v", b, got, want)
		}
		canonical := AppendCanonical(nil, v)
		again, err := Parse(canonical)
		if err != nil {
			t.Fatalf("canonical form %q: %v", canonical, err)
		}
		if got := AppendCanonical(nil, again); !bytes.Equal(got, canonical) {
			t.Fatalf("canonical form of %q is not stable: %q, then %q", b, canonical, got)
		}
		if got, want := plainValue(again), plainValue(v); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: canonical form means %v, want %v", b, got, want)
		}
	})
}
