package layout

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/scope"
)

func TestGates(t *testing.T) {
	run(t, gates, []broken{
		{name: "gated", files: map[string]string{schemaFile: "type Query {\n  a: Int @scope(name: \"orders.read\")\n " +
			" b: Int @dashboard\n}\ntype Order { id: ID }\n"}},
		{name: "open", files: map[string]string{schemaFile: "type Query {\n  a: Int\n}\nextend type Query {\n  b: " +
			"Int @deprecated\n}\n"},
			want: []string{"schema.graphqls:2: a has neither @scope nor @dashboard",
				"schema.graphqls:5: b has neither @scope nor @dashboard"}},
		{name: "named roots",
			files: map[string]string{schemaFile: "schema { mutation: Change }\ntype Change {\n  a: Int\n}\n"},
			want:  []string{"schema.graphqls:3: a has neither @scope nor @dashboard"}},
		{name: "empty", files: map[string]string{schemaFile: "type A { b: Int }\n"},
			want: []string{"schema.graphqls: no root field found"}},
		{name: "missing", want: []string{"schema.graphqls: the file is missing"}},
	})
}

func TestScopes(t *testing.T) {
	const gated = "type Query {\n  a: Int @scope(name: \"orders.read\")\n}\n"
	run(t, scopes, []broken{
		{name: "equal", files: map[string]string{schemaFile: gated, openapiFile: securityScheme(scope.All())}},
		{name: "unknown", files: map[string]string{
			schemaFile:  "type Query {\n  a: Int @scope(name: \"order.read\")\n}\n",
			openapiFile: "# pages.write, a `.write`, x.pages.read\n" + securityScheme(scope.All())},
			want: []string{
				"schema.graphqls:2: order.read is not in ent/scope",
				"rest/openapi.yaml:1: pages.write is not in ent/scope",
				"schema.graphqls:2: @scope of a names no scope of ent/scope",
			}},
		{name: "missing", files: map[string]string{schemaFile: gated, openapiFile: securityScheme(scope.All()[1:])},
			want: []string{"rest/openapi.yaml: securitySchemes.oauth2 lacks " + scope.All()[0].Name}},
		{name: "reworded", files: map[string]string{
			schemaFile:  gated,
			openapiFile: strings.Replace(securityScheme(scope.All()), scope.All()[0].Sentence, "Other.", 1)},
			want: []string{`rest/openapi.yaml: ` + scope.All()[0].Name + ` reads "Other.", in the catalogue "` +
				scope.All()[0].Sentence + `"`}},
	})
}

// securityScheme is the part of an OpenAPI document that offers scopes.
func securityScheme(list []scope.Scope) string {
	var b strings.Builder
	b.WriteString("components:\n  securitySchemes:\n    oauth2:\n      flows:\n        authorizationCode:\n        " +
		"  scopes:\n")
	for _, s := range list {
		b.WriteString("            " + s.Name + ": \"" + s.Sentence + "\"\n")
	}
	return b.String()
}
