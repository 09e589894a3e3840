package document_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/document"
)

func TestRoundTrip(t *testing.T) {
	address := document.AddressFields{Name: new("Ada"), Line1: "1 Way", City: "Oslo", Country: "NO"}
	a, err := document.NewAddress(&address).Fields()
	if diff := cmp.Diff(&address, a); err != nil || diff != "" {
		t.Errorf("address: %v\n%s", err, diff)
	}
	tags, err := document.NewTags([]string{"a", "ü"}).List()
	if diff := cmp.Diff([]string{"a", "ü"}, tags); err != nil || diff != "" {
		t.Errorf("tags: %v\n%s", err, diff)
	}
	lines, err := document.NewLines([]document.Line{{LineID: "oli_1", Quantity: 2}}).List()
	if diff := cmp.Diff([]document.Line{{LineID: "oli_1", Quantity: 2}}, lines); err != nil || diff != "" {
		t.Errorf("lines: %v\n%s", err, diff)
	}
}

// Every key is present and arrays are never null (contract, section 1).
func TestForms(t *testing.T) {
	for _, tc := range []struct{ name, got, want string }{
		{"no address", string(document.NewAddress(nil)), ""},
		{"no tags", string(document.NewTags(nil)), "[]"},
		{"no lines", string(document.NewLines(nil)), "[]"},
		{"no addresses", string(document.NewAddresses(nil)), "[]"},
		{"address", string(document.NewAddress(&document.AddressFields{Line1: "a", City: "b", Country: "NO"})),
			`{"name":null,"company":null,"line1":"a","line2":null,"city":"b","region":null,"postal_code":null,` +
				`"country":"NO","phone":null}`},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, tc.got, tc.want)
		}
	}
}

func TestAbsentAndBroken(t *testing.T) {
	if a, err := document.Address(nil).Fields(); a != nil || err != nil {
		t.Errorf("got %v, %v", a, err)
	}
	if _, err := document.Tags("{").List(); err == nil {
		t.Error("a broken document was decoded")
	}
}

// TestAddressFields compares reading in place with decoding.
func TestAddressFields(t *testing.T) {
	text := func(s string) *string { return &s }
	forms := []document.AddressFields{
		{Line1: "1 Road", City: "Town", Country: "GB"},
		{Name: text("A"), Company: text(""), Line1: "a \"b\" \\ <c> \u2028 é",
			Line2: text("\t"), City: "ü", Region: text("R"), PostalCode: text("0"), Country: "DE", Phone: text("+1")},
		{},
	}
	for _, f := range forms {
		a := document.NewAddress(&f)
		if got := document.Read(a); got == nil {
			t.Errorf("%s is not read", a)
		} else if diff := cmp.Diff(&f, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", a, diff)
		}
	}
	for _, other := range []string{`{"city": "Town"}`, `{"name":null,"company":null,"line1":null,"line2":null,` +
		`"city":"","region":null,"postal_code":null,"country":"","phone":null}`} {
		var want document.AddressFields
		if err := json.Unmarshal([]byte(other), &want); err != nil {
			t.Fatal(err)
		}
		got, err := document.Address(other).Fields()
		if diff := cmp.Diff(&want, got); diff != "" || err != nil || document.Read(document.Address(other)) != nil {
			t.Errorf("%s: %v, (-want +got)\n%s", other, err, diff)
		}
	}
}

// TestTagsInPlace compares reading lists in place with decoding.
func TestTagsInPlace(t *testing.T) {
	for _, list := range [][]string{{"a"}, {"", "b,c", `d","e`}, {"]", "\\", "<f> \u2028 é", "\t"}} {
		doc := document.NewTags(list)
		if got, err := doc.List(); err != nil || !slices.Equal(got, list) {
			t.Errorf("%s: %q, %v", doc, got, err)
		}
	}
	two := document.NewTags([]string{"sale", "new"})
	if n := testing.AllocsPerRun(10, func() { _, _ = two.List() }); n > 1 {
		t.Errorf("%s is decoded with %v allocations", two, n)
	}
	for _, other := range []string{`["a" ,"b"]`, `[ "a"]`, `["a"] `, `[null]`, `["a",]`, `["a"`, `["a"]]`, `["a""b"]`,
		`[1]`, `"a"`, `[`, `["`, `["\x"]`} {
		var want []string
		failed := json.Unmarshal([]byte(other), &want) != nil
		got, err := document.Tags(other).List()
		if (err != nil) != failed || !failed && !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", other, got, err, want)
		}
	}
}
