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
	c, err := config.LoadConfigFromDefaultLocations() // finds gqlgen.yml in a parent folder and changes to it
	if err != nil {
		return err
	}
	// gqlgen compiles its output together with the rest of the package, which may match an older
	// schema.
	sibling := func(name string) string { return filepath.Join(filepath.Dir(c.Exec.Filename), name) }
	if err := os.WriteFile(sibling("flat_gen.go"), []byte("package exec\n\nvar flatTypes map[string]flatType\n"), 0o644); err != nil {
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
		os.WriteFile(sibling("flat_gen.go"), functions, 0o644), os.WriteFile(sibling("flat_gen_test.go"), cases, 0o644))
}

var (
	// answers matches the code that writes an operation's answer.
	answers = regexp.MustCompile(`var buf bytes\.Buffer\n(\t+)data\.MarshalGQL\(&buf\)`)
	// plain matches a field whose resolver returns an expression that cannot fail and that no
	// directive guards.
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

// simplify rewrites plain fields of scalars and enumerations, lists and objects. It returns how
// many fields it rewrote.
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
	out = bytes.Replace(out, []byte("\t\"bytes\"\n"), nil, 1) // for the buffers that the next line replaces
	out = answers.ReplaceAll(out, []byte("buf := model.AnswerBuffer(ctx)\n${1}data.MarshalGQL(buf)"))
	return inners.ReplaceAll(out, []byte("innerFunc(ctx, &out.FieldSet)")), fields
}
