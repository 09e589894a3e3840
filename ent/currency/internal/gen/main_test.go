package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bojanz/currency"
	"github.com/google/go-cmp/cmp"
)

func TestCommittedTableIsCurrent(t *testing.T) {
	want, err := render()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../table.go")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("table.go is stale, run go generate ./ent/currency (-want +got):\n%s", d)
	}
}

// A code that the source drops must be removed from the list too.
func TestEveryCodeOutsideIsInTheSource(t *testing.T) {
	for _, code := range outside {
		if !slices.Contains(currency.GetCurrencyCodes(), code) {
			t.Errorf("%s: not in the source any more", code)
		}
	}
}

func TestRunWritesTheTable(t *testing.T) {
	out := filepath.Join(t.TempDir(), "table.go")
	if err := run(out); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want, err := render()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Error("the file differs from what was rendered")
	}
}
