package csvcell_test

import (
	"encoding/json"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/csvcell"
)

func guarded(s string) string {
	if csvcell.Formula(s) {
		return "'" + s
	}
	return s
}

func TestUnguarded(t *testing.T) {
	for _, tc := range []struct{ cell, ours, other string }{
		{"'1 Quay", "'1 Quay", "'1 Quay"},
		{"'01234", "'01234", "01234"},
		{"'+49 30 1234", "'+49 30 1234", "+49 30 1234"},
		{"'=1+1", "=1+1", "=1+1"},
		{"'-2x", "-2x", "-2x"},
		{"''=1", "'=1", "'=1"},
		{"'", "'", "'"},
		{"'-", "'-", "'-"},
		{"'s Heer", "'s Heer", "'s Heer"},
	} {
		if got := csvcell.Unguarded(tc.cell); got != tc.ours {
			t.Errorf("Unguarded(%q) = %q, want %q", tc.cell, got, tc.ours)
		}
		if got := csvcell.UnguardedElsewhere(tc.cell); got != tc.other {
			t.Errorf("UnguardedElsewhere(%q) = %q, want %q", tc.cell, got, tc.other)
		}
	}
}

// FuzzUnguarded finds texts that a cell does not restore.
func FuzzUnguarded(f *testing.F) {
	for _, s := range []string{"", "'", "=1", "'=1", "''+a", "'+1", "-5", "+49 (0) 30", "'1 Quay", "@x", "'\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := csvcell.Unguarded(guarded(s)); got != s {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func TestFieldValue(t *testing.T) {
	for _, tc := range []struct {
		kind        state.CustomFieldType
		value, cell string
	}{
		{state.FieldText, `"a, \"b\"\nc"`, "a, \"b\"\nc"},
		{state.FieldText, `" padded "`, " padded "},
		{state.FieldText, `"12"`, "12"},
		{state.FieldNumber, `-12.5`, "-12.5"},
		{state.FieldBoolean, `false`, "false"},
		{state.FieldDate, `"2026-01-31"`, "2026-01-31"},
		{state.FieldMoney, `{"amount_minor":1999,"currency":"EUR"}`, "1999 EUR"},
		{state.FieldURL, `"https://example.com/?a=1,2"`, "https://example.com/?a=1,2"},
		{state.FieldJSON, `{"a":["=1",null]}`, `{"a":["=1",null]}`},
		{state.FieldList, `["a, b","=c"]`, `["a, b","=c"]`},
		{state.FieldList, `[]`, `[]`},
	} {
		if got := csvcell.Field(tc.kind, json.RawMessage(tc.value)); got != tc.cell {
			t.Errorf("Field(%s, %s) = %q, want %q", tc.kind, tc.value, got, tc.cell)
		}
		if got := string(csvcell.Value(tc.kind, tc.cell)); got != tc.value {
			t.Errorf("Value(%s, %q) = %s, want %s", tc.kind, tc.cell, got, tc.value)
		}
	}
	for _, tc := range []struct {
		kind        state.CustomFieldType
		cell, value string
	}{
		{state.FieldNumber, "twelve", `"twelve"`},
		{state.FieldBoolean, " TRUE ", `true`},
		{state.FieldMoney, "19.99 EUR", `"19.99 EUR"`},
		{state.FieldList, "a, b", `["a","b"]`},
		{state.FieldJSON, "{", `"{"`},
	} {
		if got := string(csvcell.Value(tc.kind, tc.cell)); got != tc.value {
			t.Errorf("Value(%s, %q) = %s, want %s", tc.kind, tc.cell, got, tc.value)
		}
	}
}

// FuzzValue finds cells whose value is not JSON.
func FuzzValue(f *testing.F) {
	types := []state.CustomFieldType{state.FieldText, state.FieldNumber, state.FieldBoolean, state.FieldDate,
		state.FieldMoney, state.FieldURL, state.FieldJSON, state.FieldList}
	f.Add(0, "a\x00b")
	f.Add(4, "1 \xff")
	f.Add(7, "[1")
	f.Fuzz(func(t *testing.T, n int, cell string) {
		kind := types[uint(n)%uint(len(types))]
		if v := csvcell.Value(kind, cell); !json.Valid(v) {
			t.Errorf("Value(%s, %q) = %s", kind, cell, v)
		}
	})
}

func TestFields(t *testing.T) {
	for want, values := range map[string][]json.RawMessage{
		"": {nil, nil}, `["a",null,5]`: {json.RawMessage(`"a"`), nil, json.RawMessage(`5`)},
	} {
		if got := csvcell.Fields(values); got != want {
			t.Errorf("Fields = %q, want %q", got, want)
		}
	}
}
