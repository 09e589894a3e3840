package layout

import (
	"go/ast"
	"go/token"
)

// unordered are functions that may call the database while they range over a map: each call is its
// own transaction or needs none.
var unordered = map[string]string{
	"graph/engine/webhook/acquire.go: lease": "each row has a transaction of its own",
}

// mapOrder finds loops over a map, declared in the same function, that pass a context on: two
// transactions that write the same rows in different orders deadlock. Sort the keys first.
func mapOrder(f *File) []Finding {
	if f.Test() || !under(f.Dir(), "graph") && !under(f.Dir(), "ent") {
		return nil
	}
	var list []Finding
	for _, d := range f.Syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || unordered[f.Path+": "+fn.Name.Name] != "" {
			continue
		}
		for _, n := range mapLoops(fn) {
			list = append(list, finding(f, f.line(n), "%s calls the database in the order of a map: sort its keys",
				fn.Name.Name))
		}
	}
	return list
}

func mapLoops(fn *ast.FuncDecl) []*ast.RangeStmt {
	maps := localMaps(fn)
	var list []*ast.RangeStmt
	for n := range ast.Preorder(fn) {
		loop, ok := n.(*ast.RangeStmt)
		if !ok {
			continue
		}
		if over, ok := loop.X.(*ast.Ident); ok && maps[over.Name] && passesContext(loop.Body) {
			list = append(list, loop)
		}
	}
	return list
}

func passesContext(n ast.Node) bool {
	for n := range ast.Preorder(n) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			continue
		}
		if first, ok := call.Args[0].(*ast.Ident); ok && first.Name == "ctx" {
			return true
		}
	}
	return false
}

// localMaps returns the parameters and variables of a function that are declared as maps.
func localMaps(fn *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	note := func(of ast.Expr, list ...*ast.Ident) {
		for _, id := range list {
			names[id.Name] = names[id.Name] || isMap(of)
		}
	}
	for n := range ast.Preorder(fn) {
		switch n := n.(type) {
		case *ast.Field:
			note(n.Type, n.Names...)
		case *ast.ValueSpec:
			note(n.Type, n.Names...)
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if id, ok := to.(*ast.Ident); ok && n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
					note(n.Rhs[i], id)
				}
			}
		}
	}
	return names
}

func isMap(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.MapType:
		return true
	case *ast.CompositeLit:
		return isMap(e.Type)
	case *ast.CallExpr:
		f, ok := e.Fun.(*ast.Ident)
		return ok && f.Name == "make" && isMap(e.Args[0])
	}
	return false
}
