package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
)

// open returns the reader of a body.
func open(t *testing.T, body string) *Reader {
	t.Helper()
	v, err := Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(v)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// brief formats errors as "pointer code".
func brief(fields []fault.Field) []string {
	list := []string{}
	for _, f := range fields {
		list = append(list, f.Pointer+" "+f.Code)
	}
	return list
}

func TestReaderNeedsObject(t *testing.T) {
	for _, body := range []string{"null", "[]", "1", `"{}"`, "true"} {
		t.Run(body, func(t *testing.T) {
			v, err := Parse([]byte(body))
			if err != nil {
				t.Fatal(err)
			}
			_, err = NewReader(v)
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != fault.ValidationFailed {
				t.Fatalf("got %v, want validation_failed", err)
			}
			if diff := cmp.Diff([]string{"# invalid_type"}, brief(f.Fields)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReaderReads(t *testing.T) {
	r := open(t, `{"s":"ä","i":1.0e1,"b":false,"l":["x",""],"e":[],"t":"2026-01-31T12:00:00.123456+01:00",
		"o":{"n":5},"a":[{"q":1},{"q":2}],"z":null}`)
	if got := r.String("s"); got == nil || *got != "ä" {
		t.Errorf("String: got %v", got)
	}
	if got := r.Int("i"); got == nil || *got != 10 {
		t.Errorf("Int: got %v", got)
	}
	if got := r.Bool("b"); got == nil || *got {
		t.Errorf("Bool: got %v", got)
	}
	if diff := cmp.Diff([]string{"x", ""}, r.Strings("l")); diff != "" {
		t.Errorf("Strings: %s", diff)
	}
	if got := r.Strings("e"); got == nil || len(got) != 0 {
		t.Errorf("Strings: got %#v, want an empty list", got)
	}
	want, _ := micros.Parse("2026-01-31T11:00:00.123456Z")
	if got := r.Time("t"); got == nil || *got != want {
		t.Errorf("Time: got %v, want %v", got, want)
	}
	if got := r.Object("o").Int("n"); got == nil || *got != 5 {
		t.Errorf("Object: got %v", got)
	}
	sum := int64(0)
	objects, ok := r.Array("a")
	for _, o := range objects {
		sum += *o.Int("q")
	}
	if !ok || sum != 3 {
		t.Errorf("Array: got %v %d, want 3", ok, sum)
	}
	if r.String("z") != nil || r.Int("absent") != nil || r.Strings("absent2") != nil || r.Object("absent3") != nil {
		t.Error("null and absent are not nil")
	}
	if got := r.Fields(); len(got) != 0 || got == nil {
		t.Errorf("got findings %v, want an empty list", got)
	}
}

// TestReaderOfOldTimes: a time before the first possible id is valid.
func TestReaderOfOldTimes(t *testing.T) {
	r := open(t, `{"at":"0001-01-01T00:00:00Z"}`)
	if r.Time("at") != nil || len(r.Fields()) != 1 || r.Fields()[0].Code != fault.OutOfRange {
		t.Errorf("got %v", r.Fields())
	}
}

func TestReaderFindsAll(t *testing.T) {
	r := open(t, `{"tags":["a",1,null,"b"],"extra":1,"title":5,"price":"15","big":1e30,"half":1.5,"flag":"true",
		"when":"yesterday","when2":7,"o":{"n":true,"x":{"deep":1}},"o2":[],
		"list":[{"q":"1","r":2},3],"list2":{},"nul":null,"a/b~c é":0}`)
	r.Time("when2")
	if diff := cmp.Diff([]string{"a", "", "", "b"}, r.Strings("tags")); diff != "" {
		t.Errorf("Strings: %s", diff)
	}
	r.String("title")
	r.Int("price")
	r.Int("big")
	r.Int("half")
	r.Bool("flag")
	r.Time("when")
	r.Object("o").Int("n")
	if r.Object("o2") != nil {
		t.Error("an array is read as an object")
	}
	objects, _ := r.Array("list")
	for _, o := range objects {
		o.Int("q")
	}
	if _, ok := r.Array("list2"); ok {
		t.Error("an object is read as an array")
	}
	want := []string{
		"#/tags/1 invalid_type", "#/tags/2 invalid_type", "#/extra unknown_member", "#/title invalid_type",
		"#/price invalid_type", "#/big out_of_range", "#/half invalid_type", "#/flag invalid_type",
		"#/when invalid_format", "#/when2 invalid_type", "#/o/n invalid_type", "#/o/x unknown_member",
		"#/o2 invalid_type", "#/list/0/q invalid_type", "#/list/0/r unknown_member", "#/list/1 invalid_type",
		"#/list2 invalid_type", "#/nul unknown_member", "#/a~1b~0c%20%C3%A9 unknown_member",
	}
	if diff := cmp.Diff(want, brief(r.Fields())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, brief(r.Fields())); diff != "" {
		t.Errorf("second call: %s", diff)
	}
	for _, f := range r.Fields() {
		if f.Detail == "" {
			t.Errorf("%s has no detail", f.Pointer)
		}
	}
}

func TestReaderNamesAreExact(t *testing.T) {
	r := open(t, `{"Price_minor":1,"price_minor\u0000":2,"pric\u0065_minor":3}`)
	if got := r.Int("price_minor"); got == nil || *got != 3 {
		t.Errorf("got %v, want 3", got)
	}
	want := []string{"#/Price_minor unknown_member", "#/price_minor%00 unknown_member"}
	if diff := cmp.Diff(want, brief(r.Fields())); diff != "" {
		t.Error(diff)
	}
}

func TestReaderIsBounded(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tc := range []struct {
		name, body string
		want       int
		first      string
	}{
		{name: "unknown members", body: many(1000, `"z":0`), want: 100, first: "#/m0 unknown_member"},
		{name: "elements", body: `{"tags":[` + strings.Repeat("0,", 1000) + `0]}`, want: 100,
			first: "#/tags/0 invalid_type"},
		{name: "long name", body: fmt.Sprintf(`{%q:1}`, long), want: 1, first: "# unknown_member"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := open(t, tc.body)
			r.Strings("tags")
			got := brief(r.Fields())
			if len(got) != tc.want || got[0] != tc.first {
				t.Errorf("got %d findings from %q, want %d from %q", len(got), got[0], tc.want, tc.first)
			}
		})
	}
}

func TestPointer(t *testing.T) {
	for want, tokens := range map[string][]string{
		"#":                   {},
		"#/":                  {""},
		"#/tags/3":            {"tags", "3"},
		"#/a~1b":              {"a/b"},
		"#/m~0n":              {"m~n"},
		"#/c%25d":             {"c%d"},
		"#/e%5Ef":             {"e^f"},
		"#/k%22l":             {`k"l`},
		"#/%20":               {" "},
		"#/%F0%9F%98%80/%0A":  {"😀", "\n"},
		"#/%23%7C%5C%5B%7B":   {`#|\[{`},
		"#/!$&'()*+,;=:@?-._": {"!$&'()*+,;=:@?-._"},
	} {
		if got := Pointer(tokens...); got != want {
			t.Errorf("%q: got %s, want %s", tokens, got, want)
		}
	}
}
