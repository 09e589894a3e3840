package exec

import (
	"bytes"
	"io"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// flatType is an object whose fields the generated functions can write without a value for
// each: those that copy something out of an entity.
type flatType struct {
	implementors []string
	fields       map[string]flatField
}

// flatField is the number of a field in the function that writes its object, and the type
// of the objects in it; "" where it is a scalar.
type flatField struct {
	number int
	nested string
}

// flatPlan is what was selected of one type, when all of it is flat.
type flatPlan struct{ fields []flatSelection }

type flatSelection struct {
	key    string // with what stands before it
	number int
	nested *flatPlan
}

// plan returns nil where a selected field is not flat, or @skip leaves none.
func plan(op *graphql.OperationContext, name string, sel ast.SelectionSet) *flatPlan {
	t, known := flatTypes[name]
	if !known {
		return nil
	}
	fields := graphql.CollectFields(op, sel, t.implementors)
	if len(fields) == 0 {
		return nil
	}
	p := &flatPlan{make([]flatSelection, len(fields))}
	begin := `{"`
	for i := range fields {
		f := &fields[i]
		flat, is := t.fields[f.Name]
		s := &p.fields[i]
		s.key, s.number = begin+f.Alias+`":`, flat.number
		switch {
		case f.Name == "__typename":
			s.key += `"` + name + `"`
		case !is || f.Deferrable != nil:
			return nil
		case flat.nested != "":
			if s.nested = plan(op, flat.nested, f.Selections); s.nested == nil {
				return nil
			}
		}
		begin = `,"`
	}
	return p
}

// flat writes a list of objects whose selected fields are all flat; nil where they are not,
// or where one is null that must not be.
func flat[T any](op *graphql.OperationContext, name string, sel ast.SelectionSet, v []*T,
	write func(*flatPlan, *bytes.Buffer, *T) bool,
) graphql.Marshaler {
	if len(v) == 0 {
		return nil
	}
	p := plan(op, name, sel)
	if p == nil {
		return nil
	}
	w := buffers.Get().(*bytes.Buffer)
	for i, obj := range v {
		w.WriteByte("[,"[min(i, 1)])
		if obj == nil || !write(p, w, obj) {
			release(w)
			return nil
		}
	}
	w.WriteByte(']')
	return &written{w}
}

// buffers are used again from list to list, unless one grew very large.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxPooled = 256 << 10

func release(b *bytes.Buffer) {
	if b.Cap() <= maxPooled {
		b.Reset()
		buffers.Put(b)
	}
}

// written is JSON that is marshalled once.
type written struct{ *bytes.Buffer }

// MarshalGQL implements graphql.Marshaler.
func (b *written) MarshalGQL(w io.Writer) {
	w.Write(b.Bytes())
	release(b.Buffer)
	b.Buffer = nil
}
