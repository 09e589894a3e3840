package selection

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/internal/exec"
	"github.com/storefront-go/storefront/graph/lib/cost"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// maxCost is the maximum cost of a selection in points. All fields of all types cost less; a query
// may cost twenty times as much. A selection is applied to each event, a query runs once.
const maxCost = 250

var schema = exec.NewExecutableSchema(exec.Config{}).Schema()

// samples are objects of events, by the names of their types.
var samples = func() map[string]wire.Value {
	byType := map[string]wire.Value{}
	for _, e := range event.All() {
		if v, err := wire.Parse(Example(e.Type)); err == nil {
			byType[typeOf(e.Type)] = v
		}
	}
	return byType
}()

// Problem says what is wrong with a selection.
type Problem struct{ Code, Detail string }

func (p *Problem) Error() string { return p.Detail }

// problem returns what is wrong at a position.
func problem(at *ast.Position, code, format string, args ...any) error {
	where := ""
	if at != nil {
		where = fmt.Sprintf("Line %d, column %d: ", at.Line, at.Column)
	}
	return &Problem{Code: code, Detail: where + fmt.Sprintf(format, args...)}
}

// Compile parses and checks a selection. Its fields must be in the objects of events, so that it
// shows nothing that needs another scope than the event itself. The error is a [*Problem].
func Compile(text string) (*Selection, error) {
	if len(text) > limit.Selection {
		return nil, problem(nil, fault.TooLong, "The selection has more than %d bytes.", limit.Selection)
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, problem(nil, fault.InvalidFormat, "A selection begins with { and a fragment: { ... on Order { id } }.")
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: text})
	if err != nil {
		return nil, problem(positionOf(err), fault.InvalidFormat, "The selection is not GraphQL here.")
	}
	if len(doc.Operations) != 1 || len(doc.Fragments) > 0 {
		return nil, problem(nil, fault.InvalidFormat, "A selection has one pair of braces around everything.")
	}
	s := &Selection{types: map[string][]field{}}
	for _, part := range doc.Operations[0].SelectionSet {
		if err := s.fragment(part); err != nil {
			return nil, err
		}
	}
	if n := cost.Of(doc.Operations[0], nil); n > maxCost {
		return nil, problem(nil, fault.OutOfRange, "The selection costs %d points, %d is the maximum.", n, maxCost)
	}
	return s, nil
}

func positionOf(err error) *ast.Position {
	g, ok := errors.AsType[*gqlerror.Error](err)
	if !ok || len(g.Locations) == 0 {
		return nil
	}
	return &ast.Position{Line: g.Locations[0].Line, Column: g.Locations[0].Column}
}

// fragment compiles the fields of one type.
func (s *Selection) fragment(part ast.Selection) error {
	f, ok := part.(*ast.InlineFragment)
	if !ok || len(f.Directives) > 0 || f.TypeCondition == "" {
		return problem(part.GetPosition(), fault.InvalidFormat, "Here are fragments with a type: ... on Order { id }.")
	}
	sample, ok := samples[f.TypeCondition]
	switch {
	case !ok:
		return problem(f.Position, fault.UnknownValue, "No event is about the type %s.", shown(f.TypeCondition))
	case s.types[f.TypeCondition] != nil:
		return problem(f.Position, fault.InvalidFormat, "The type %s is here twice.", f.TypeCondition)
	}
	fields, err := compile(f.TypeCondition, f.SelectionSet, sample)
	s.types[f.TypeCondition] = fields
	return err
}

// compile compiles the fields of an object like the sample. Each may be selected once, under any
// alias, so that a message is about as large as the full one at most.
func compile(name string, set ast.SelectionSet, sample wire.Value) ([]field, error) {
	fields, seen := make([]field, 0, len(set)), map[string]bool{}
	for _, part := range set {
		f, ok := part.(*ast.Field)
		if !ok || len(f.Directives) > 0 || len(f.Arguments) > 0 {
			return nil, problem(part.GetPosition(), fault.InvalidFormat,
				"Only fields can be selected in %s, without arguments and directives.", name)
		}
		switch {
		case f.Alias != f.Name && len(f.Alias) > limit.SelectionName:
			return nil, problem(f.Position, fault.TooLong, "The alias has more than %d characters.", limit.SelectionName)
		case seen["field "+f.Name], seen["alias "+f.Alias]:
			return nil, problem(f.Position, fault.InvalidFormat, "%s is here twice.", shown(f.Alias))
		}
		seen["field "+f.Name], seen["alias "+f.Alias] = true, true
		compiled, err := compileField(name, f, sample)
		if err != nil {
			return nil, err
		}
		fields = append(fields, compiled)
	}
	return fields, nil
}

func compileField(name string, f *ast.Field, sample wire.Value) (field, error) {
	done, in := field{key: f.Alias}, schema.Types[name]
	f.ObjectDefinition = in
	if f.Name == "__typename" && len(f.SelectionSet) == 0 {
		f.Definition = &ast.FieldDefinition{Name: f.Name, Type: ast.NonNullNamedType("String", nil)}
		return done, nil
	}
	def := in.Fields.ForName(f.Name)
	value, found := sample.Get(memberOf(f.Name))
	for _, v := range value.Elements() { // an element stands for the list
		value = v
		break
	}
	if def == nil || !found || !shows(def, value) {
		return done, problem(f.Position, fault.UnknownValue, "Events do not contain %s.%s.", name, shown(f.Name))
	}
	f.Definition, done.member, done.empty = def, memberOf(f.Name), emptyOf(def.Type)
	kind := schema.Types[def.Type.Name()].Kind
	done.enum = kind == ast.Enum
	switch {
	case kind != ast.Object && len(f.SelectionSet) > 0:
		return done, problem(f.Position, fault.InvalidFormat, "%s.%s has no fields.", name, f.Name)
	case kind != ast.Object:
		return done, nil
	case len(f.SelectionSet) == 0:
		return done, problem(f.Position, fault.InvalidFormat, "Select fields of %s.%s.", name, f.Name)
	}
	var err error
	done.object = def.Type.Name()
	done.fields, err = compile(done.object, f.SelectionSet, value)
	return done, err
}

// shows reports whether a member of an event has the form that the field has in GraphQL. Fields that
// need a scope or a role of their own are never shown.
func shows(def *ast.FieldDefinition, value wire.Value) bool {
	if len(def.Arguments) > 0 || len(def.Directives) > 0 {
		return false
	}
	switch schema.Types[def.Type.Name()].Kind {
	case ast.Object:
		return value.Kind() == wire.ObjectKind
	case ast.Scalar, ast.Enum:
		return value.Kind() != wire.ObjectKind || def.Type.Name() == "CustomFieldValues"
	}
	return false
}

// emptyOf returns what stands for null in a field that is never null in GraphQL, "" for null.
func emptyOf(t *ast.Type) string {
	switch {
	case !t.NonNull:
		return ""
	case t.Elem != nil:
		return "[]"
	case t.NamedType == "String":
		return `""`
	}
	return ""
}

// memberOf returns the name of a field in bodies.
func memberOf(name string) string {
	var b strings.Builder
	for _, c := range name {
		if unicode.IsUpper(c) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// shown returns a name for an error.
func shown(name string) string {
	if len(name) > limit.SelectionName {
		return name[:limit.SelectionName] + "…"
	}
	return strconv.Quote(name)
}
