// Command gen writes the executable schema: it runs gqlgen, then takes out of its
// output what the plain fields of this schema do not need.
//
// gqlgen resolves every field with a context of its own, through the field
// middlewares, and every element of a list in a goroutine. A field that only
// copies a scalar out of an entity can neither fail nor be watched by a field
// middleware (this service has none), so it is marshalled in place. Elements are
// marshalled in their order: what loads rows is shared by a whole page, so
// goroutines would only wait for each other. Objects keep no map of their names.
// Together these were two thirds of the allocations of a page. The map of functions that
// read inputs, which is made for each request, is for resolvers that ask for it: none does.
//
// A list of objects of which nothing else is selected is written at once: see flat.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/vektah/gqlparser/v2/ast"
)

func main() {
	if err := run(); err != nil {
		log.Fatal("generate GraphQL: ", err)
	}
}

func run() error {
	c, err := config.LoadConfigFromDefaultLocations() // gqlgen.yml at the top; works from there on
	if err != nil {
		return err
	}
	// gqlgen compiles what it writes, with what lies beside it and may be of another schema.
	beside := func(name string) string { return filepath.Join(filepath.Dir(c.Exec.Filename), name) }
	if err := os.WriteFile(beside("flat_gen.go"), []byte("package exec\n\nvar flatTypes map[string]flatType\n"), 0o644); err != nil {
		return err
	}
	if err := api.Generate(c); err != nil {
		return err
	}
	src, err := os.ReadFile(c.Exec.Filename)
	if err != nil {
		return err
	}
	src, functions, cases, err := flat(src, c.Schema)
	if err != nil {
		return err
	}
	out, fields := simplify(src, c.Schema)
	if fields == 0 || !bytes.Contains(functions, []byte("w.text(")) {
		return fmt.Errorf("no field of %s has the form that gqlgen writes: adapt this program to its version", c.Exec.Filename)
	}
	return errors.Join(os.WriteFile(c.Exec.Filename, out, 0o644),
		os.WriteFile(beside("flat_gen.go"), functions, 0o644), os.WriteFile(beside("flat_gen_test.go"), cases, 0o644))
}

var (
	// answers is where an operation's answer is written.
	answers = regexp.MustCompile(`var buf bytes\.Buffer\n(\t+)data\.MarshalGQL\(&buf\)`)
	// plain is a field whose resolver returns an expression that cannot fail and
	// that no directive guards.
	plain = regexp.MustCompile(`(?m)^\treturn graphql\.ResolveField\(
\t\tctx,
\t\tec\.OperationContext,
\t\tfield,
\t\tec\.fieldContext_\w+,
\t\tfunc\(ctx context\.Context\) \(any, error\) \{
\t\t\treturn (obj\.[\w.()]+), nil
\t\t\},
\t\tnil,
\t\tec\.(marshal[NO](\w+?)2[^,\s]*),
\t\t(?:true|false),
\t\t(?:true|false),
\t\)$`)
	lists   = regexp.MustCompile(`graphql\.MarshalSliceConcurrently\(`)
	objects = regexp.MustCompile(`out := graphql\.NewFieldSet\(fields\)`)
	inners  = regexp.MustCompile(`innerFunc\(ctx, out\)`)
	inputs  = regexp.MustCompile(`(?m)\tinputUnmarshalMap := (?s:.*?)\n\t\)\n|\t+ctx = graphql\.WithUnmarshalerMap\(.*\n`)
)

// simplify rewrites the plain fields of scalars and enumerations, the lists and
// the objects.
// It returns how many fields it found.
func simplify(src []byte, schema *ast.Schema) (out []byte, fields int) {
	out = plain.ReplaceAllFunc(src, func(field []byte) []byte {
		m := plain.FindSubmatch(field)
		if def := schema.Types[string(m[3])]; def == nil || !def.IsLeafType() {
			return field
		}
		fields++
		return fmt.Appendf(nil, "\treturn ec.%s(ctx, field.Selections, %s)", m[2], m[1])
	})
	out = lists.ReplaceAll(out, []byte("marshalSlice("))
	out = inputs.ReplaceAll(out, nil)
	out = objects.ReplaceAll(out, []byte("out := newObject(fields)"))
	out = bytes.Replace(out, []byte("\t\"bytes\"\n"), nil, 1) // of the buffers that go next
	out = answers.ReplaceAll(out, []byte("buf := model.AnswerBuffer(ctx)\n${1}data.MarshalGQL(buf)"))
	return inners.ReplaceAll(out, []byte("innerFunc(ctx, &out.FieldSet)")), fields
}
