package core_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// valueOf returns the stored form of a value, or the code of its fault.
func valueOf(t *testing.T, kind state.CustomFieldType, text string) string {
	t.Helper()
	v, err := wire.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c := &core.Check{}
	stored := c.CustomValue("a.b", kind, v)
	if f, bad := errors.AsType[*fault.Error](c.Err()); bad {
		return f.Fields[0].Code
	}
	return string(stored)
}

func TestCustomValue(t *testing.T) {
	for _, tc := range []struct {
		kind        state.CustomFieldType
		given, want string
	}{
		{kind: state.FieldText, given: `"a\nb"`, want: `"a\u000ab"`},
		{kind: state.FieldText, given: `"<b>"`, want: `"<b>"`},
		{kind: state.FieldText, given: `""`, want: "too_short"},
		{kind: state.FieldText, given: `1`, want: "invalid_type"},
		{kind: state.FieldText, given: `"` + strings.Repeat("x", 5001) + `"`, want: "too_long"},
		{kind: state.FieldNumber, given: `-1.50e2`, want: "-150"},
		{kind: state.FieldNumber, given: `0.0`, want: "0"},
		{kind: state.FieldNumber, given: `1.25e-3`, want: "0.00125"},
		{kind: state.FieldNumber, given: `999999999999999`, want: "999999999999999"},
		{kind: state.FieldNumber, given: `1e400`, want: "out_of_range"},
		{kind: state.FieldNumber, given: `0.1234567890123456`, want: "out_of_range"},
		{kind: state.FieldNumber, given: `"1"`, want: "invalid_type"},
		{kind: state.FieldBoolean, given: `false`, want: "false"},
		{kind: state.FieldBoolean, given: `"true"`, want: "invalid_type"},
		{kind: state.FieldDate, given: `"2024-02-29"`, want: `"2024-02-29"`},
		{kind: state.FieldDate, given: `"2026-02-29"`, want: "invalid_format"},
		{kind: state.FieldDate, given: `"2026-1-1"`, want: "invalid_format"},
		{kind: state.FieldMoney, given: `{"currency":"eur","amount_minor":1e2}`,
			want: `{"amount_minor":100,"currency":"EUR"}`},
		{kind: state.FieldMoney, given: `{"currency":"EUR"}`, want: "invalid_type"},
		{kind: state.FieldMoney, given: `{"amount_minor":1}`, want: "invalid_type"},
		{kind: state.FieldMoney, given: `{"currency":"XXQ","amount_minor":1}`, want: "unknown_value"},
		{kind: state.FieldMoney, given: `{"currency":"EUR","amount_minor":-1}`, want: "out_of_range"},
		{kind: state.FieldMoney, given: `{"currency":"EUR","amount_minor":1,"x":1}`, want: "unknown_member"},
		{kind: state.FieldURL, given: `"http://a.example/?b"`, want: `"http://a.example/?b"`},
		{kind: state.FieldURL, given: `"javascript:alert(1)"`, want: "invalid_format"},
		{kind: state.FieldURL, given: `"https://a@b.example"`, want: "invalid_format"},
		{kind: state.FieldURL, given: `"//a.example"`, want: "invalid_format"},
		{kind: state.FieldList, given: `["a","a"]`, want: `["a","a"]`},
		{kind: state.FieldList, given: `["a",1]`, want: "invalid_type"},
		{kind: state.FieldList, given: `["a","b\n"]`, want: "invalid_format"},
		{kind: state.FieldList, given: "[" + strings.Repeat(`"a",`, 100) + `"a"]`, want: "too_long"},
		{kind: state.FieldJSON, given: `{"b":[1.50],"a":null}`, want: `{"a":null,"b":[1.50]}`},
		{kind: state.FieldJSON, given: `"a"`, want: "invalid_type"},
		{kind: state.FieldJSON, given: `[1e400]`, want: "out_of_range"},
		{kind: state.FieldJSON, given: strings.Repeat("[", 11) + strings.Repeat("]", 11), want: "out_of_range"},
		{kind: state.FieldJSON, given: `["` + strings.Repeat("x", 16<<10) + `"]`, want: "too_long"},
	} {
		if got := valueOf(t, tc.kind, tc.given); got != tc.want {
			t.Errorf("%s %.40s: %.60s, want %s", tc.kind, tc.given, got, tc.want)
		}
	}
}

// FuzzCustomValue: what is stored is JSON, is accepted again, and then stays as it is.
func FuzzCustomValue(f *testing.F) {
	kinds := []state.CustomFieldType{state.FieldText, state.FieldNumber, state.FieldBoolean, state.FieldDate,
		state.FieldMoney, state.FieldURL, state.FieldJSON, state.FieldList}
	for _, text := range []string{`"a"`, `1.50`, `true`, `"2026-01-31"`, `{"amount_minor":1,"currency":"EUR"}`, `["a"]`,
		`"https://a.example"`, `{"a":{"b":[1,null]}}`, `-0`, `1e-15`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := wire.Parse(text)
		if err != nil {
			return
		}
		for _, kind := range kinds {
			c := &core.Check{}
			stored := c.CustomValue("a.b", kind, v)
			if c.Err() != nil {
				continue
			}
			again, err := wire.Parse(stored)
			if err != nil {
				t.Fatalf("%s is stored as %q: %v", text, stored, err)
			}
			if next := c.CustomValue("a.b", kind, again); c.Err() != nil || !bytes.Equal(next, stored) {
				t.Fatalf("%s as %s: %q becomes %q: %v", text, kind, stored, next, c.Err())
			}
		}
	})
}
