package limit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/storefront-go/storefront/ent/limit"
)

// The table has a row for each constant of limit.go, except for the minimum lengths.
func TestTableHasAllConstants(t *testing.T) {
	constants := map[string]bool{}
	source, err := parser.ParseFile(token.NewFileSet(), "limit.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(source, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for _, name := range spec.Names {
				constants[name.Name] = true
			}
		}
		return true
	})
	delete(constants, "ShortPassword")
	delete(constants, "ShortCode")
	table, err := parser.ParseFile(token.NewFileSet(), "fixed.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	ast.Inspect(table, func(n ast.Node) bool {
		if row, ok := n.(*ast.CompositeLit); ok && len(row.Elts) == 3 {
			name, ok := row.Elts[2].(*ast.KeyValueExpr).Value.(*ast.Ident)
			if !ok || !constants[name.Name] {
				t.Errorf("a row has no constant, or one that has a row already: %v", name)
			} else {
				delete(constants, name.Name)
			}
			rows++
		}
		return true
	})
	if len(constants) > 0 || rows != len(limit.All()) {
		t.Errorf("%d rows; without one: %v", rows, constants)
	}
}
