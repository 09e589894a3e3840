package change_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/change"
)

// TestEveryKindHasAName checks that every kind has a name for NotFound.
func TestEveryKindHasAName(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../../../ent/xid/xid.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	for n := range ast.Preorder(f) {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Type == nil {
			continue
		}
		if of, ok := v.Type.(*ast.Ident); !ok || of.Name != "Kind" {
			continue
		}
		prefix, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		kinds++
		if name := change.KindName(xid.Kind(prefix)); name == "" || strings.Contains(name, "_") {
			t.Errorf("%s is called %q: %s", prefix, name, fault.Missing(name).Detail)
		}
	}
	if kinds < 30 {
		t.Errorf("%d kinds found", kinds)
	}
}
