package transport

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/lib/cost"
)

// repeat joins n texts made by f.
func repeat(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// attacks holds documents that must be refused quickly and before anything runs. Where size is the
// attack, the bodies approach a MiB.
var attacks = []struct {
	name     string
	document string
	code     string
}{
	{"10,000 aliases of a root field",
		"{" + repeat(10_000, func(i int) string { return fmt.Sprintf("a%d:__typename ", i) }) + "}", codeTooLarge},
	{"2,000 aliases of a root field",
		"{" + repeat(2000, func(i int) string { return fmt.Sprintf("a%d:__typename ", i) }) + "}", codeTooLarge},
	{"60 products by alias",
		"{" + repeat(60, func(i int) string { return fmt.Sprintf("a%d:product(id:\"x\"){id}", i) }) + "}",
		codeTooLarge},
	{"60 mutations by alias", "mutation{" + repeat(60, func(i int) string {
		return fmt.Sprintf("a%d:productDelete(id:\"x\",expectedVersion:1){deletedId}", i)
	}) + "}", codeTooLarge},
	{"40 reports by alias",
		"{" + repeat(40, func(i int) string {
			return fmt.Sprintf("a%d:salesReport(days:%d){days{date orders totalMinor}}", i, 90-i)
		}) + "}", codeTooCostly},
	{"aliases below a list",
		"{orders(first:100){nodes{" + repeat(2000, func(i int) string { return fmt.Sprintf("a%d:id ", i) }) + "}}}",
		codeTooCostly},
	{"the same field 3,000 times", "{orders{nodes{" + strings.Repeat("id ", 3000) + "}}}", codeTooCostly},
	{"the same object 2,000 times", "{orders{nodes{" + strings.Repeat("customer{id} ", 1000) + "}}}", codeTooCostly},
	{"conflicting fields",
		"{orders(first:1){nodes{" + repeat(900, func(i int) string { return []string{"id ", "id:currency "}[i%2] }) +
			"}}}", codeInvalid},
	{"deep fields", "{" + strings.Repeat("orders{", 500) + "id" + strings.Repeat("}", 501), codeTooDeep},
	{"very deep fields", "{" + strings.Repeat("a{", 300_000) + "x" + strings.Repeat("}", 300_001), codeSyntax},
	{"deep lists", "{products(first:" + strings.Repeat("[", 4000) + strings.Repeat("]", 4000) + "){nodes{id}}}",
		codeSyntax},
	{"deep inline fragments", "{" + strings.Repeat("...{", 3000) + "__typename" + strings.Repeat("}", 3001),
		codeSyntax},
	{"lists in lists", "{orders(first:100){nodes{lineItems{product{id}} notes(first:100){id body author{id name}}}}}",
		codeTooCostly},
	{"fragment cycle", "{...A} fragment A on Query{...B} fragment B on Query{...A}", codeInvalid},
	{"fragment that spreads itself", "{...A} fragment A on Query{__typename ...A ...A}", codeInvalid},
	{"doubling fragments", "{...F0}" + repeat(30, func(i int) string {
		return fmt.Sprintf("fragment F%d on Query{...F%d ...F%d}", i, i+1, i+1)
	}) + "fragment F30 on Query{__typename}", codeTooLarge},
	{"nested doubling", "{orders{nodes{...F0}}}" + repeat(30, func(i int) string {
		return fmt.Sprintf(
			"fragment F%d on Order{a:customer{...G%d} b:customer{...G%d}}fragment G%d on Customer{...H%d}fragment "+
				"H%d on Customer{id}", i, i, i, i, i, i)
	}), codeInvalid},
	{"1,500 fragments",
		"{__typename}" +
			repeat(1500, func(i int) string { return fmt.Sprintf("fragment F%d on Query{__typename}", i) }),
		codeTooLarge},
	{"90 fragments of 90 fields", "{" + repeat(90, func(i int) string { return fmt.Sprintf("...F%d ", i) }) + "}" +
		repeat(90, func(i int) string {
			return fmt.Sprintf("fragment F%d on Query{%s}", i, strings.Repeat("__typename ", 90))
		}), codeTooLarge},
	{"1,000 operations", repeat(1000, func(i int) string { return fmt.Sprintf("query Q%d{__typename}", i) }),
		codeTooLarge},
	{"1,000 variables",
		"query(" + repeat(1000, func(i int) string { return fmt.Sprintf("$v%d:Int ", i) }) + "){__typename}",
		codeTooLarge},
	{"3,000 directives", "{__typename " + strings.Repeat("@skip(if:false)", 1500) + "}", codeTooLarge},
	{"unknown directives", "{__typename " + strings.Repeat("@x", 4000) + "}", codeTooLarge},
	{"3,000 unknown fields",
		"{orders{nodes{" + repeat(3000, func(i int) string { return fmt.Sprintf("totalMinors%d ", i) }) + "}}}",
		codeInvalid},
	{"unknown arguments",
		"{products(" + repeat(3000, func(i int) string { return fmt.Sprintf("firsts%d:1 ", i) }) + "){nodes{id}}}",
		codeInvalid},
	{"1 MiB of commas and comments", "{__typename " + strings.Repeat("#,\n", 200_000), codeTooLarge},
	{"1 MiB of one comment", "{__typename #" + strings.Repeat("x", 1_000_000), codeSyntax},
	{"1 MiB of a text", `{product(id:"` + strings.Repeat("x", 1_000_000), codeSyntax},
	{"1 MiB of a block text", `{product(id:"""` + strings.Repeat(" \\n", 250_000), codeSyntax},
	{"1 MiB of one name", "{" + strings.Repeat("x", 1_000_000) + "}", codeInvalid},
	{"1 MiB of a number", "{products(first:" + strings.Repeat("1", 1_000_000) + "){nodes{id}}}", codeInvalid},
	{"1 MiB of braces", strings.Repeat("{", 1_000_000), codeSyntax},
	{"1 MiB of a list", "{products(first:[" + strings.Repeat("1,", 500_000) + "]){nodes{id}}}", codeTooLarge},
	{"introspection in circles", "{__schema{types{fields{type{fields{type{fields{type{fields{name}}}}}}}}}}",
		codeInvalid},
	{"deep introspection", "{__schema{types{" + strings.Repeat("ofType{", 30) + "name" + strings.Repeat("}", 33),
		codeTooDeep},
	{"introspection by alias",
		"{" + repeat(20, func(i int) string { return fmt.Sprintf("a%d:__schema{types{name fields{name}}}", i) }) + "}",
		codeTooCostly},
	{"introspection hidden in a fragment",
		"{" + repeat(20, func(i int) string { return fmt.Sprintf("a%d:__schema{...S}", i) }) +
			"}fragment S on __Schema{types{name}}", codeTooCostly},
}

// Each attack is refused in negligible time and without a statement.
func TestAttacks(t *testing.T) {
	s := storetest.Open(t)
	f := newEndpoint(t, s, nil)
	key := keyFor(f, scope.OrdersRead, scope.ProductsWrite, scope.CustomersRead)
	f.Query(key, "{__typename}", nil).Ok()
	for _, tc := range attacks {
		t.Run(tc.name, func(t *testing.T) {
			before, start := s.Statements(), time.Now()
			a := f.Query(key, tc.document, nil)
			took := time.Since(start)
			if code(a) != tc.code || a.At() != nil && len(a.Data) > 0 {
				t.Errorf("code %q, want %q: %.300s", code(a), tc.code, a.Body)
			}
			if n := s.Statements() - before; n > 0 {
				t.Errorf("%d statements", n)
			}
			// It takes less than 50 ms; superlinear work would take minutes.
			if took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			if len(a.Body) > 10_000 {
				t.Errorf("%d bytes of errors", len(a.Body))
			}
		})
	}
}

func TestVariableBomb(t *testing.T) {
	f := newEndpoint(t, storetest.Open(t), nil)
	list := "[" + strings.Repeat("0,", 200_000) + "0]"
	a := f.Send(http.MethodPost, f.URL, keyFor(f, scope.ProductsRead),
		`{"query":"query($n: Int) { products(first: $n) { nodes { id } } }","variables":{"n":`+list+`}}`)
	if code(a) != codeVariables || len(a.Body) > 1000 {
		t.Errorf("%.300s", a.Body)
	}
}

func TestCost(t *testing.T) {
	schema := graph.Schema()
	d := newDocuments(schema, true)
	for _, tc := range []struct {
		document  string
		variables map[string]any
		want      int
	}{
		{"{__typename}", nil, 1},
		{"{me{hint}}", nil, 2},
		{"{products(first:10){nodes{id}}}", nil, 12},
		{"{products(first:10){edges{cursor node{id}}}}", nil, 23},
		{"{products{nodes{id}}}", nil, 56},
		{"{products(first:1000000){nodes{id}}}", nil, 111},
		{"{products(first:-5){nodes{id}}}", nil, 3},
		{"query($n:Int){products(first:$n){nodes{id}}}", map[string]any{"n": int64(20)}, 23},
		{"query($n:Int){products(first:$n){nodes{id}}}", map[string]any{}, 56},
		{"query($n:Int=5){products(first:$n){nodes{id}}}", map[string]any{"n": int64(5)}, 7},
		{"{products(first:10){...C}} fragment C on ProductConnection{nodes{...P}} fragment P on Product{id}", nil, 12},
		{"{products(first:10){...{nodes{...{id}}} pageInfo{hasNextPage}}}", nil, 14},
		{"{orders(first:10){nodes{notes(first:20){id}}}}", nil, 231},
		{"{orders(first:10){nodes{lineItems{id}}}}", nil, 66},
		{"{products(first:10){nodes{variants{id}}}}", nil, 66},
		{"{products(first:10){nodes{options{name} variants{id options}}}}", nil, 126},
		{"{a:products(first:10){nodes{id}} b:products(first:10){nodes{id}}}", nil, 24},
		{"{salesReport(days:1){currency}}", nil, 3},
		{"{salesReport(days:90){currency}}", nil, 92},
		{"{salesReport(days:90){days{date orders totalMinor}}}", nil, 208},
		{"{salesReport{days{date orders totalMinor}}}", nil, 70},
		{"query($n:Int!){salesReport(days:$n){currency}}", map[string]any{"n": int64(7)}, 9},
		{`{report(id:"rep_1"){result{sums{orders}}}}`, nil, 53},
		{"{orderCounts{open{value}}}", nil, 103},
		{`{orders(first:10,query:"a"){nodes{id}}}`, nil, 112},
		{`{search(query:"a",first:10){orders{id} customers{id}}}`, nil, 223},
		{`{a:search(query:"a",first:1){orders{id} b:orders{id}}}`, nil, 204},
		{"{__type(name:\"Order\"){name}}", nil, 101},
		{"{__schema{types{name}}}", nil, 1001},
	} {
		doc, errs := d.get(tc.document)
		if len(errs) > 0 {
			t.Fatalf("%s: %v", tc.document, errs)
		}
		if got := cost.Of(doc.Operations[0], tc.variables); got != tc.want {
			t.Errorf("%s costs %d, want %d", tc.document, got, tc.want)
		}
	}
}

// A page with all fields of an order stays below the limits.
func TestOrdinaryDocumentsPass(t *testing.T) {
	schema := graph.Schema()
	d := newDocuments(schema, true)
	leaves := func(name string) string {
		var names []string
		for _, f := range schema.Types[name].Fields {
			if def := schema.Types[f.Type.Name()]; def.IsLeafType() && len(f.Arguments) == 0 {
				names = append(names, f.Name)
			}
		}
		return strings.Join(names, " ")
	}
	for name, document := range map[string]string{
		"introspection": introspection,
		"orders": "{orders(first:100){edges{cursor node{" + leaves("Order") + " billingAddress{" + leaves("Address") +
			"} shippingAddress{" + leaves("Address") + "} lineItems{" + leaves("LineItem") + "} customer{" +
			leaves("Customer") + "}}} pageInfo{hasNextPage endCursor}}}",
		"products": "{products(first:100){nodes{" + leaves("Product") + "}}}",
	} {
		doc, errs := d.get(document)
		if len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
			continue
		}
		if c := cost.Of(doc.Operations[0], nil); c > maxCost {
			t.Errorf("%s costs %d", name, c)
		}
	}
}

// [mergeable] relies on all selections in one place having the same type.
func TestSchemaHasNoAbstractTypes(t *testing.T) {
	for _, def := range graph.Schema().Types {
		if def.IsAbstractType() {
			t.Errorf("%s: limit_merge.go does not support abstract types", def.Name)
		}
	}
}

func TestMergeable(t *testing.T) {
	d := newDocuments(graph.Schema(), true)
	for _, tc := range []struct {
		document string
		ok       bool
	}{
		{"{me{hint hint}}", true},
		{"{me{hint} me{name}}", true},
		{"{me{hint} me{hint:name}}", false},
		{"{me{a:hint ...{a:name}}}", false},
		{"{me{...F a:hint}} fragment F on Identity{a:name}", false},
		{"{me{...F ...G}} fragment F on Identity{a:name} fragment G on Identity{a:hint}", false},
		{"{me{...F ...F}} fragment F on Identity{a:name}", true},
		{"{products(first:1){nodes{id}} products(first:1){nodes{title}}}", true},
		{"{products(first:1){nodes{id}} products(first:2){nodes{id}}}", false},
		{"{products(first:1){nodes{id}} products{nodes{id}}}", false},
		{`{products(filter:{sku:"a",status:DRAFT}){nodes{id}} products(filter:{status:DRAFT,sku:"a"}){nodes{id}}}`,
			true},
		{`{products(filter:{sku:"a"}){nodes{id}} products(filter:{sku:"b"}){nodes{id}}}`, false},
		{"query($a:Int,$b:Int){products(first:$a){nodes{id}} products(first:$b){nodes{id}}}", false},
		{"{orders{nodes{customer{x:id}}} orders{nodes{customer{x:email}}}}", false},
	} {
		if _, errs := d.get(tc.document); (len(errs) == 0) != tc.ok {
			t.Errorf("%s: %v", tc.document, errs)
		}
	}
}

func TestDocumentCache(t *testing.T) {
	d := newDocuments(graph.Schema(), true)
	first, _ := d.get("{me{hint}}")
	if again, _ := d.get("{me{hint}}"); again != first {
		t.Error("a cached document was parsed again")
	}
	for name, text := range map[string]string{
		"an invalid": "{me{nothing}}", "a long": "{me{hint}} #" + strings.Repeat("x", maxCachedDocument),
	} {
		d.get(text)
		if _, ok := d.cache.Get(text); ok {
			t.Errorf("%s document is cached", name)
		}
	}
	for _, length := range []int{30, 2000} {
		text := func(i int) string { return fmt.Sprintf("{me{a%04d:hint%*s}}", i, length, "") }
		for i := range 2 * maxCachedDocuments {
			d.get(text(i))
		}
		n := 0
		for i := range 2 * maxCachedDocuments {
			if _, ok := d.cache.Get(text(i)); ok {
				n++
			}
		}
		if n > maxCachedDocuments || n*len(text(0)) > maxCachedText || n < 50 {
			t.Errorf("%d documents of %d bytes are cached", n, len(text(0)))
		}
	}
	if again, _ := d.get("{me{hint}}"); again == first {
		t.Error("the oldest document is still cached")
	}
}

// FuzzDocument looks for documents that violate the bounds or crash the parser.
func FuzzDocument(f *testing.F) {
	for _, tc := range attacks {
		if len(tc.document) < 1000 {
			f.Add(tc.document)
		}
	}
	f.Add(introspection)
	schema := graph.Schema()
	f.Fuzz(func(t *testing.T, text string) {
		doc, errs := newDocuments(schema, true).get(text)
		if len(errs) > 0 {
			return
		}
		if parsed, err := parser.ParseQuery(&ast.Source{Input: text}); err != nil || len(parsed.Operations) == 0 {
			t.Fatalf("%q is valid but does not parse: %v", text, err)
		}
		for _, op := range doc.Operations {
			if c := cost.Of(op, nil); c < 1 {
				t.Errorf("%q costs %d", text, c)
			}
		}
	})
}

// introspection is the standard query of tools.
const introspection = `query IntrospectionQuery { __schema { description queryType { name kind } mutationType { name kind } subscriptionType { name kind }
	types { ...FullType } directives { name description isRepeatable locations args { ...InputValue } } } }
fragment FullType on __Type { kind name description specifiedByURL isOneOf
	fields(includeDeprecated: true) { name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
	inputFields(includeDeprecated: true) { ...InputValue } interfaces { ...TypeRef }
	enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { ...TypeRef } }
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
	ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } } }`
