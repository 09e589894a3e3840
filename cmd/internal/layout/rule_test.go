package layout

import (
	"flag"
	"maps"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite .github/PACKAGES.md")

// TestRepository runs every rule on this repository.
func TestRepository(t *testing.T) {
	tree, err := Load(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Code()) == 0 {
		t.Fatal("no code found: the path to the root is wrong")
	}
	if *update {
		if err := os.WriteFile("../../../"+packageMap, PackageMap(tree), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, r := range Rules() {
		t.Run(r.Name, func(t *testing.T) {
			for _, f := range r.Check(tree) {
				t.Error(f)
			}
		})
	}
}

// TestExceptions checks that the tables of exceptions name only what exists.
func TestExceptions(t *testing.T) {
	for _, table := range []map[string]string{untested, readers, changers, lists, skippers} {
		for _, name := range slices.Sorted(maps.Keys(table)) {
			if _, err := os.Stat("../../../" + name); err != nil {
				t.Errorf("an exception for nothing: %v", err)
			}
			if table[name] == "" {
				t.Errorf("%s: an exception without a reason", name)
			}
		}
	}
	for _, e := range excuses {
		if _, err := os.Stat("../../../" + e.path); err != nil || e.reason == "" {
			t.Errorf("an excuse for nothing or without a reason: %+v, %v", e, err)
		}
	}
}

// broken is a test row of a rule: files, and the expected findings.
type broken struct {
	name  string
	files map[string]string
	want  []string
}

// run runs one rule on each row's files.
func run(t *testing.T, check func(*Tree) []Finding, rows []broken) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			for _, f := range check(parse(t, row.files)) {
				got = append(got, f.String())
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func parse(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, src := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(src)}
	}
	tree, err := Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
