package layout

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"go.yaml.in/yaml/v3"

	"github.com/storefront-go/storefront/ent/scope"
)

const (
	schemaFile  = "schema.graphqls"
	openapiFile = "rest/openapi.yaml"
)

// scopeName matches what looks like a scope and is not part of a longer dotted name.
var scopeName = regexp.MustCompile(`(?:^|[^\w.])([a-z][a-z_]*\.(?:read|write))\b`)

// gates requires @scope or @dashboard on every root field: others are open to every credential.
func gates(t *Tree) []Finding {
	doc, err := t.schema()
	if err != nil {
		return []Finding{{Path: schemaFile, Text: err.Error()}}
	}
	var list []Finding
	fields := rootFields(doc)
	if len(fields) == 0 {
		list = append(list, Finding{Path: schemaFile, Text: "no root field found"})
	}
	for _, f := range fields {
		if f.Directives.ForName("scope") == nil && f.Directives.ForName("dashboard") == nil {
			list = append(list, at(f.Position, f.Name+" has neither @scope nor @dashboard"))
		}
	}
	return list
}

// scopes compares the two documents with the catalog.
func scopes(t *Tree) []Finding {
	list := slices.Concat(strangers(t, schemaFile), strangers(t, openapiFile))
	if doc, err := t.schema(); err == nil {
		list = append(list, gateNames(doc)...)
	}
	offered, err := t.offered()
	if err != nil {
		return append(list, Finding{Path: openapiFile, Text: err.Error()})
	}
	for _, s := range scope.All() {
		if s.Title == "" || s.Sentence == "" {
			list = append(list, Finding{Path: "ent/scope", Text: s.Name + " has no words for the consent screen"})
		}
		switch sentence, ok := offered[s.Name]; {
		case !ok:
			list = append(list, Finding{Path: openapiFile, Text: "securitySchemes.oauth2 lacks " + s.Name})
		case sentence != s.Sentence:
			list = append(list, Finding{
				Path: openapiFile, Text: fmt.Sprintf("%s reads %q, in the catalogue %q", s.Name, sentence, s.Sentence),
			})
		}
	}
	return list
}

func strangers(t *Tree, name string) []Finding {
	f := t.file(name)
	if f == nil {
		return []Finding{{Path: name, Text: "the file is missing"}}
	}
	var list []Finding
	line := 0
	for text := range strings.Lines(string(f.Src)) {
		line++
		for _, m := range scopeName.FindAllStringSubmatch(text, -1) {
			if !scope.Known(m[1]) {
				list = append(list, finding(f, line, "%s is not in ent/scope", m[1]))
			}
		}
	}
	return list
}

func gateNames(doc *ast.SchemaDocument) []Finding {
	var list []Finding
	for _, f := range rootFields(doc) {
		d := f.Directives.ForName("scope")
		if d == nil {
			continue
		}
		arg := d.Arguments.ForName("name")
		if arg == nil || !scope.Known(arg.Value.Raw) {
			list = append(list, at(f.Position, "@scope of "+f.Name+" names no scope of ent/scope"))
		}
	}
	return list
}

func (t *Tree) schema() (*ast.SchemaDocument, error) {
	f := t.file(schemaFile)
	if f == nil {
		return nil, fmt.Errorf("the file is missing")
	}
	return parser.ParseSchema(&ast.Source{Name: schemaFile, Input: string(f.Src)})
}

// rootFields lists the fields of the root types and of their extensions.
func rootFields(doc *ast.SchemaDocument) ast.FieldList {
	roots := []string{"Query", "Mutation", "Subscription"}
	for _, s := range slices.Concat(doc.Schema, doc.SchemaExtension) {
		for _, o := range s.OperationTypes {
			roots = append(roots, o.Type)
		}
	}
	var fields ast.FieldList
	for _, d := range slices.Concat(doc.Definitions, doc.Extensions) {
		if slices.Contains(roots, d.Name) {
			fields = append(fields, d.Fields...)
		}
	}
	return fields
}

// offered returns the scopes of the OAuth flow with their sentences.
func (t *Tree) offered() (map[string]string, error) {
	f := t.file(openapiFile)
	if f == nil {
		return nil, fmt.Errorf("the file is missing")
	}
	var doc struct {
		Components struct {
			SecuritySchemes struct {
				OAuth2 struct {
					Flows struct {
						AuthorizationCode struct {
							Scopes map[string]string
						} `yaml:"authorizationCode"`
					}
				} `yaml:"oauth2"`
			} `yaml:"securitySchemes"`
		}
	}
	err := yaml.Unmarshal(f.Src, &doc)
	return doc.Components.SecuritySchemes.OAuth2.Flows.AuthorizationCode.Scopes, err
}

func (t *Tree) file(name string) *File {
	i := slices.IndexFunc(t.Files, func(f *File) bool { return f.Path == name })
	if i < 0 {
		return nil
	}
	return t.Files[i]
}

func at(p *ast.Position, text string) Finding {
	return Finding{Path: schemaFile, Line: p.Line, Text: text}
}
