package graph

import (
	"context"
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// A plan writes the answer of one root field in one go. The executor makes a
// context, two closures and a marshaler for each value of an answer, which for a
// page of orders is several times the work of reading it. Where a selection
// holds nothing but stored values, the plan made of it once, with the document,
// appends them as REST does; anything else (relations, arguments, @skip) is the
// executor's, field by field. Gates stand on root fields and on relations, so a
// plan passes none by.

// encoder appends a value as JSON.
type encoder func(b []byte, v any) ([]byte, error)

// errUnplanned is a value that a plan does not know, or cannot read.
var errUnplanned = errors.New("not what the plan was made for")

// shape is the stored values of a type.
type shape[T any] struct {
	name   string // of the GraphQL type
	leaves map[string]func([]byte, T) []byte
	// objects make the writer of an object or a list below, nil when its
	// selection holds more than stored values.
	objects map[string]func(ast.SelectionSet) writer[T]
}

// writer appends one part of a T.
type writer[T any] func([]byte, T) ([]byte, error)

// entry is one member of an object.
type entry[T any] struct {
	name string // with what stands before the value: `,"id":`
	leaf func([]byte, T) []byte
	deep writer[T] // when leaf is nil
}

// compile makes the writer of a selection, nil when it holds more than the
// shape knows.
func (s *shape[T]) compile(set ast.SelectionSet) writer[T] {
	c := compiler[T]{shape: s, seen: map[string]*ast.Field{}}
	if !c.add(set) || len(c.entries) == 0 {
		return nil
	}
	entries := c.entries
	return func(b []byte, v T) (_ []byte, err error) {
		for i := range entries {
			st := &entries[i]
			b = append(b, st.name...)
			if st.leaf != nil {
				b = st.leaf(b, v)
			} else if b, err = st.deep(b, v); err != nil {
				return b, err
			}
		}
		return append(b, '}'), nil
	}
}

type compiler[T any] struct {
	shape   *shape[T]
	entries []entry[T]
	seen    map[string]*ast.Field
}

func (c *compiler[T]) add(set ast.SelectionSet) bool {
	for _, s := range set {
		ok := false
		switch s := s.(type) {
		case *ast.Field:
			ok = len(s.Directives) == 0 && len(s.Arguments) == 0 && c.field(s)
		case *ast.InlineFragment:
			ok = len(s.Directives) == 0 && c.add(s.SelectionSet)
		case *ast.FragmentSpread:
			ok = len(s.Directives) == 0 && c.add(s.Definition.SelectionSet)
		}
		if !ok {
			return false
		}
	}
	return true
}

func (c *compiler[T]) field(f *ast.Field) bool {
	if c.seen[f.Alias] != nil {
		return len(f.SelectionSet) == 0 // said before; objects would be merged
	}
	c.seen[f.Alias] = f
	st := entry[T]{name: `,"` + f.Alias + `":`}
	if len(c.entries) == 0 {
		st.name = `{"` + f.Alias + `":`
	}
	if f.Name == "__typename" {
		name := `"` + c.shape.name + `"`
		st.leaf = func(b []byte, _ T) []byte { return append(b, name...) }
	} else if st.leaf = c.shape.leaves[f.Name]; st.leaf == nil {
		object := c.shape.objects[f.Name]
		if object == nil {
			return false
		}
		if st.deep = object(f.SelectionSet); st.deep == nil {
			return false
		}
	}
	c.entries = append(c.entries, st)
	return true
}

// object is a member that holds one object.
func object[T, E any](s *shape[E], get func(T) E) func(ast.SelectionSet) writer[T] {
	return func(set ast.SelectionSet) writer[T] {
		write := s.compile(set)
		if write == nil {
			return nil
		}
		return func(b []byte, v T) ([]byte, error) { return write(b, get(v)) }
	}
}

// objects is a member that holds a list of objects.
func objects[T, E any](s *shape[E], get func(T) []E) func(ast.SelectionSet) writer[T] {
	return func(set ast.SelectionSet) writer[T] {
		write := s.compile(set)
		if write == nil {
			return nil
		}
		return func(b []byte, v T) (_ []byte, err error) {
			b = append(b, '[')
			for i, e := range get(v) {
				if i > 0 {
					b = append(b, ',')
				}
				if b, err = write(b, e); err != nil {
					return b, err
				}
			}
			return append(b, ']'), nil
		}
	}
}

// planned makes the encoder of a root field that returns a T.
func planned[T comparable](s *shape[T]) func(ast.SelectionSet) encoder {
	return func(set ast.SelectionSet) encoder {
		write := s.compile(set)
		if write == nil {
			return nil
		}
		return func(b []byte, v any) ([]byte, error) {
			var none T
			t, ok := v.(T)
			if !ok || t == none {
				return b, errUnplanned
			}
			return write(b, t)
		}
	}
}

// plan makes the plans of a query's root fields.
func plan(doc *ast.QueryDocument) map[*ast.Field]encoder {
	plans := map[*ast.Field]encoder{}
	for _, op := range doc.Operations {
		if op.Operation != ast.Query {
			continue
		}
		for _, s := range op.SelectionSet {
			f, ok := s.(*ast.Field)
			if !ok || f.Definition == nil || shapes[f.Definition.Type.Name()] == nil {
				continue
			}
			if e := shapes[f.Definition.Type.Name()](f.SelectionSet); e != nil {
				plans[f] = e
			}
		}
	}
	return plans
}

// written is a part of an answer that is JSON already, in a buffer of the pool.
type written struct{ buffer *[]byte }

// MarshalGQL implements gqlgen's marshaler. It is called once, at the end, and
// gives the buffer back.
func (w written) MarshalGQL(out io.Writer) {
	out.Write(*w.buffer) //nolint:errcheck // a buffer of the executor, which takes everything
	release(w.buffer)
}

// resolvePlanned runs around the fields of a document with plans. A root field
// that has one is answered by it; the executor takes a marshaler as it is.
func (p *prepared) resolvePlanned(ctx context.Context, next graphql.Resolver) (any, error) {
	v, err := next(ctx)
	if err != nil {
		return nil, resolved{err}
	}
	field := graphql.GetFieldContext(ctx).Field
	e := p.plans[field.Field]
	// More selections than the field has of its own were merged into it.
	if e == nil || len(field.Selections) != len(field.SelectionSet) {
		return v, nil
	}
	buffer := buffers.Get().(*[]byte)
	if *buffer, err = e((*buffer)[:0], v); err != nil {
		release(buffer)
		return v, nil //nolint:nilerr // the executor takes what a plan cannot
	}
	return written{buffer}, nil
}
