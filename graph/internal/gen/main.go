// Command gen generates the executable schema: it runs gqlgen and then simplifies its output.
//
// gqlgen resolves every field with its own context, through the field middlewares, and every
// element of a list in a goroutine. A field that only copies a scalar from an entity cannot fail,
// and this service has no field middleware, so such fields are marshaled in place. Elements are
// marshaled in order: rows are loaded for a whole page, so goroutines would only wait for each
// other. Objects keep no map of their names. Together these were two thirds of the allocations of a
// page. The map of functions that read inputs, which gqlgen creates for each request, serves
// resolvers that ask for it; none does.
//
// A list of objects without other selected fields is written at once: see flat.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
)

func main() {
	if err := run(); err != nil {
		log.Fatal("generate GraphQL: ", err)
	}
}

// plugin keeps the model from which gqlgen generates code.
type plugin struct{ *codegen.Data }

func (p *plugin) Name() string { return "flat" }

func (p *plugin) GenerateCode(d *codegen.Data) error { //nolint:unparam // of the interface
	p.Data = d
	return nil
}

func run() error {
	c, err := config.LoadConfigFromDefaultLocations() // finds gqlgen.yml in a parent folder and changes to it
	if err != nil {
		return err
	}
	// gqlgen compiles its output with the rest of the package, which may match an older schema.
	sibling := func(name string) string { return filepath.Join(filepath.Dir(c.Exec.Filename), name) }
	if err := os.WriteFile(sibling("flat_gen.go"), []byte("package exec\n\nvar flatTypes map[string]flatType\n"), 0o644); err != nil {
		return err
	}
	if err := markOmittable(c); err != nil {
		return err
	}
	var p plugin
	if err := api.Generate(c, api.AddPlugin(&p)); err != nil {
		return err
	}
	src, err := os.ReadFile(c.Exec.Filename)
	if err != nil {
		return err
	}
	types := flatTypesOf(p.Objects)
	out, err := rewrite(simplify(src), plainOf(p.Objects), types.lists(p.ReferencedTypes))
	if err != nil {
		return fmt.Errorf("%s: %w", c.Exec.Filename, err)
	}
	functions, err := format.Source(types.source())
	return errors.Join(err, os.WriteFile(c.Exec.Filename, out, 0o644),
		os.WriteFile(sibling("flat_gen.go"), functions, 0o644),
		os.WriteFile(sibling("flat_gen_test.go"), types.cases(), 0o644))
}

// patches are the inputs in which leaving out a field differs from null.
var patches = []string{"AppUpdateInput", "CustomFieldUpdateInput",
	"CustomerUpdateInput", "FulfillmentUpdateInput", "LocationUpdateInput", "OrderUpdateInput",
	"PageUpdateInput", "ProductUpdateInput", "ProductVariantListInput", "ProductVariantUpdateInput",
	"WebhookEndpointUpdateInput"}

// markOmittable makes the model distinguish absent fields of patches from null.
func markOmittable(c *config.Config) error {
	if err := c.LoadSchema(); err != nil {
		return err
	}
	for _, name := range patches {
		entry := c.Models[name]
		entry.Fields = map[string]config.TypeMapField{}
		for _, f := range c.Schema.Types[name].Fields {
			if !f.Type.NonNull {
				entry.Fields[f.Name] = config.TypeMapField{Omittable: new(true)}
			}
		}
		c.Models[name] = entry
	}
	return nil
}

// simplify replaces functions of gqlgen by those of this package.
func simplify(src []byte) []byte {
	before, rest, _ := bytes.Cut(src, []byte("\tinputUnmarshalMap := "))
	_, after, _ := bytes.Cut(rest, []byte("\n\t)\n"))
	return []byte(strings.NewReplacer(
		"\t\"bytes\"\n", "",
		"ctx = graphql.WithUnmarshalerMap(ctx, inputUnmarshalMap)\n", "",
		"var buf bytes.Buffer\n", "buf := model.AnswerBuffer(ctx)\n", "MarshalGQL(&buf)", "MarshalGQL(buf)",
		"graphql.MarshalSliceConcurrently(", "marshalSlice(",
		"out := graphql.NewFieldSet(fields)", "out := newObject(fields)",
		"innerFunc(ctx, out)", "innerFunc(ctx, &out.FieldSet)",
	).Replace(string(before) + string(after)))
}

// rewrite gives functions a new body, or a first statement. It fails if one is missing.
func rewrite(src []byte, bodies, first map[string]string) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is {
			continue
		}
		from, to := files.Position(f.Body.Lbrace).Offset+1, files.Position(f.Body.Rbrace).Offset
		if text, ok := bodies[f.Name.Name]; ok {
			edits = append(edits, edit{from, to, text})
		}
		if text, ok := first[f.Name.Name]; ok {
			edits = append(edits, edit{from, from, text})
		}
	}
	if want := len(bodies) + len(first); len(edits) != want {
		return nil, fmt.Errorf("%d of %d functions were found: adapt this program to gqlgen's version", len(edits), want)
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, src[at:e.from]...), e.text...)
		at = e.to
	}
	return format.Source(append(out, src[at:]...))
}

// copied returns the expression of a field that copies a value, or "", and whether it may fail.
func copied(f *codegen.Field) (expr string, fails bool) {
	switch {
	case f.IsResolver, f.IsMap(), f.IsBatch(), f.Stream, f.HasHaser, f.VOkFunc, f.HasDirectives(),
		len(f.Args) > 0, f.TypeReference.IsRoot:
		return "", false
	case f.IsMethod():
		return f.GoReceiverName + "." + f.GoFieldName + "(" + f.CallArgs() + ")", !f.NoErr
	}
	return f.GoReceiverName + "." + f.GoFieldName, false
}

// plainOf returns the bodies of functions of fields that copy a leaf value and cannot fail.
func plainOf(objects codegen.Objects) map[string]string {
	bodies := map[string]string{}
	for _, o := range objects {
		for _, f := range o.Fields {
			if expr, fails := copied(f); expr != "" && !fails && f.TypeReference.Definition.IsLeafType() {
				bodies["_"+o.Name+"_"+f.Name] = fmt.Sprintf("\n\treturn ec.%s(ctx, field.Selections, %s)\n",
					f.TypeReference.MarshalFunc(), expr)
			}
		}
	}
	return bodies
}
