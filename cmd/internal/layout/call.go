package layout

import (
	"go/ast"
	"slices"
	"strconv"
)

// readers are files outside cmd that read the environment or arguments.
var readers = map[string]string{
	"ent/currency/internal/gen": "a program that a go:generate line runs",
	"ent/storetest/mariadb":     "its test runs itself as the process that is killed",
	"graph/engine/domain":       "STOREFRONT_TEST_PEBBLE names the ACME server of a test run",
	"graph/engine/payment":      "STOREFRONT_TEST_STRIPE_MOCK names the stripe-mock of a test run",
	"ent/storetest":             "STOREFRONT_TEST_MYSQL and STOREFRONT_REQUIRE_MYSQL choose the engines of a test run",
	"rest/hook/receiver": "STOREFRONT_REQUIRE_INTERPRETERS turns a skipped language of a test run into " +
		"a failure",
}

var skippers = map[string]string{
	"cmd/e2e/browser_axe_test.go":   "needs axe of npm; .ci/run installs it and requires it",
	"cmd/e2e/browser_test.go":       "needs a chromium; .ci/run installs one and requires it",
	"cmd/e2e/client_test.go":        "needs packages of npm and PyPI; .ci/run installs them and requires them",
	"cmd/e2e/npm_test.go":           "needs packages of npm; .ci/run installs them and requires them",
	"cmd/e2e/tour_test.go":          "needs curl, jq and openssl; .ci/run installs them and requires them",
	"cmd/e2e/upgrade_test.go":       "needs git and the whole history, or the last release's binary; CI has a full clone",
	"cmd/e2e/webhook_clock_test.go": "needs mariadbd and faketime; .ci/run installs them and requires them",
	"ent/storetest/sequential.go":   "leaves out tests about which the race detector has nothing to say",

	"graph/engine/domain/pebble_test.go":  "needs pebble; .ci/run names one, which requires it",
	"graph/engine/payment/mock_test.go":   "needs stripe-mock; .ci/run names one, which requires it",
	"rest/hook/receiver/receiver_test.go": "needs node, python3 and php; .ci/run installs them and requires them",
}

// settings finds reads of the environment and of arguments. Tests may have an -update flag.
func settings(f *File) []Finding {
	if under(f.Dir(), "cmd") || f.Program() || readers[f.Dir()] != "" {
		return nil
	}
	var list []Finding
	for _, i := range f.Imports() {
		if i.Path == "flag" && !f.Test() {
			list = append(list, finding(f, i.Line, "flags are read in cmd only"))
		}
	}
	for _, fn := range []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"} {
		for _, n := range f.uses("os", fn) {
			list = append(list, finding(f, f.line(n), "os.%s: the environment is read in cmd only", fn))
		}
	}
	return list
}

// updateOne forbids ent's UpdateOne, which reads the row back by id alone, without the tenant.
func updateOne(f *File) []Finding {
	if f.Path == "ent/tenant_test.go" {
		return nil // it proves that the policy refuses them
	}
	return f.selects("updates by id alone: use Update().Where(…) and check the count", "UpdateOne", "UpdateOneID")
}

// transactions allows only ent's InTx to begin, join and retry transactions.
func transactions(f *File) []Finding {
	if under(f.Dir(), "ent") {
		return nil
	}
	return f.selects("transactions begin in ent: use InTx", "Tx", "BeginTx")
}

// sleeps allows time.Sleep only inside the function of synctest.Test, where time is fake.
func sleeps(f *File) []Finding {
	if !f.Test() {
		return nil
	}
	bubbles := f.calls("testing/synctest", "Test")
	var list []Finding
	for _, n := range f.uses("time", "Sleep") {
		fake := slices.ContainsFunc(bubbles, func(b ast.Node) bool {
			return b.Pos() <= n.Pos() && n.End() <= b.End()
		})
		if !fake {
			list = append(list, finding(f, f.line(n),
				"a test that sleeps is slow and flaky: wait for the event or use synctest"))
		}
	}
	return list
}

// skips checks every file that imports testing, helpers outside test files included.
func skips(f *File) []Finding {
	if f.importName("testing") == "" || skippers[f.Path] != "" {
		return nil
	}
	return f.selects("a skipped test proves nothing", "SkipNow", "Skipf", "Skip")
}

// eachCode returns the rule that calls ask for every hand-written Go file.
func eachCode(ask func(*File) []Finding) func(*Tree) []Finding {
	return func(t *Tree) (list []Finding) {
		for _, f := range t.Code() {
			list = append(list, ask(f)...)
		}
		return list
	}
}

// selects finds x.Name for every x that is not a package of the file.
func (f *File) selects(text string, names ...string) []Finding {
	var list []Finding
	for n := range ast.Preorder(f.Syntax) {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(names, sel.Sel.Name) {
			continue
		}
		if x, ok := sel.X.(*ast.Ident); ok && f.imported(x.Name) {
			continue
		}
		list = append(list, finding(f, f.line(sel.Sel), "%s: %s", sel.Sel.Name, text))
	}
	return list
}

func (f *File) uses(pkg, fn string) []ast.Node {
	name := f.importName(pkg)
	if name == "" {
		return nil
	}
	var list []ast.Node
	for n := range ast.Preorder(f.Syntax) {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == fn && isIdent(sel.X, name) {
			list = append(list, sel)
		}
	}
	return list
}

// calls finds every call of a function of an imported package, with its arguments.
func (f *File) calls(pkg, fn string) []ast.Node {
	uses := f.uses(pkg, fn)
	var list []ast.Node
	for n := range ast.Preorder(f.Syntax) {
		if call, ok := n.(*ast.CallExpr); ok && slices.Contains(uses, ast.Node(call.Fun)) {
			list = append(list, call)
		}
	}
	return list
}

func (f *File) importName(pkg string) string {
	for _, spec := range f.Syntax.Imports {
		if spec.Path.Value == strconv.Quote(pkg) {
			return specName(spec)
		}
	}
	return ""
}

func (f *File) imported(name string) bool {
	return slices.ContainsFunc(f.Syntax.Imports, func(s *ast.ImportSpec) bool { return specName(s) == name })
}

func isIdent(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}
