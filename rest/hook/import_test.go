package hook_test

import (
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// The package can be copied: it imports the standard library alone, whose paths
// have no dot in their first element.
func TestStandardLibraryAlone(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		read++
		for _, spec := range syntax.Imports {
			if first, _, _ := strings.Cut(spec.Path.Value, "/"); strings.Contains(first, ".") {
				t.Errorf("%s imports %s", f.Name(), spec.Path.Value)
			}
		}
	}
	if read < 5 {
		t.Errorf("only %d files", read)
	}
}
