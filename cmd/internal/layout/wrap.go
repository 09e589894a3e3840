package layout

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// nilWraps forbids wrapping an error that may be nil: in the branch of "err != nil || n != 1", err
// is nil if only the count is wrong, and the text ends with "%!w(<nil>)".
func nilWraps(f *File) []Finding {
	wraps := f.calls("fmt", "Errorf")
	var list []Finding
	for n := range ast.Preorder(f.Syntax) {
		branch, ok := n.(*ast.IfStmt)
		if !ok {
			continue
		}
		for _, name := range maybeNil(branch.Cond) {
			for _, w := range wraps {
				if branch.Body.Pos() <= w.Pos() && w.End() <= branch.Body.End() &&
					wrapsName(w.(*ast.CallExpr), name) {
					list = append(list, finding(f, f.line(w),
						"%s may be nil here: ask for it in a branch of its own", name))
				}
			}
		}
	}
	return list
}

// maybeNil returns the errors that a condition compares with nil beside an "or".
func maybeNil(cond ast.Expr) []string {
	or, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || or.Op != token.LOR {
		return nil
	}
	var names []string
	for _, side := range []ast.Expr{or.X, or.Y} {
		names = append(names, maybeNil(side)...)
		test, ok := ast.Unparen(side).(*ast.BinaryExpr)
		if !ok || test.Op != token.NEQ || !isIdent(test.Y, "nil") {
			continue
		}
		if x, ok := test.X.(*ast.Ident); ok {
			names = append(names, x.Name)
		}
	}
	return names
}

// wrapsName reports whether a call of Errorf has %w in its format and name among its arguments.
func wrapsName(call *ast.CallExpr, name string) bool {
	format, ok := call.Args[0].(*ast.BasicLit)
	return ok && strings.Contains(format.Value, "%w") &&
		slices.ContainsFunc(call.Args[1:], func(a ast.Expr) bool { return isIdent(a, name) })
}
