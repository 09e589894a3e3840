package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKeysAreCurrent: every text of the English file has its constant, and no other text has one.
func TestKeysAreCurrent(t *testing.T) {
	english, err := os.ReadFile("../../language/en.json")
	if err != nil {
		t.Fatal(err)
	}
	want, err := source(english)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../key.go")
	if diff := cmp.Diff(string(want), string(got)); err != nil || diff != "" {
		t.Errorf("run go generate ./graph/lib/phrase: %v\n%s", err, diff)
	}
}
