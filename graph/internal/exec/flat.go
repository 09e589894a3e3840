package exec

import (
	"context"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent/cell"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/lib/budget"
	"github.com/storefront-go/storefront/graph/model"
)

// flatType is an object whose fields the generated functions can write without a value for
// each: those that copy something out of an entity.
type flatType struct {
	implementors []string
	fields       map[string]flatField
}

// flatField is the number of a field in the function that writes its object, and the type
// of the objects in it; "" where it is a scalar. __typename is number 0 of every type.
type flatField struct {
	number int
	nested string
}

// flatPlan is what was selected of one type, when all of it is flat.
type flatPlan struct{ fields []flatSelection }

type flatSelection struct {
	alias  string
	number int
	nested *flatPlan
}

// plan returns nil where a selected field is not flat, or @skip leaves none.
func plan(op *graphql.OperationContext, name string, sel ast.SelectionSet) *flatPlan {
	t, known := flatTypes[name]
	if !known {
		return nil
	}
	fields := collect(op, sel, t.implementors)
	if len(fields) == 0 {
		return nil
	}
	p := &flatPlan{make([]flatSelection, len(fields))}
	for i := range fields {
		f := &fields[i]
		flat, is := t.fields[f.Name]
		s := &p.fields[i]
		s.alias, s.number = f.Alias, flat.number
		switch {
		case f.Name == "__typename":
		case !is || f.Deferrable != nil:
			return nil
		case flat.nested != "":
			if s.nested = plan(op, flat.nested, f.Selections); s.nested == nil {
				return nil
			}
		}
	}
	return p
}

// collect is [graphql.CollectFields] without what that needs for fragments, directives and
// names that come twice: most selections have none.
func collect(op *graphql.OperationContext, sel ast.SelectionSet, implementors []string) []graphql.CollectedField {
	fields := make([]graphql.CollectedField, len(sel))
	for i, s := range sel {
		f, is := s.(*ast.Field)
		if !is || len(f.Directives) > 0 || slices.ContainsFunc(fields[:i], func(before graphql.CollectedField) bool {
			return before.Alias == f.Alias
		}) {
			return graphql.CollectFields(op, sel, implementors)
		}
		fields[i] = graphql.CollectedField{Field: f, Selections: f.SelectionSet}
	}
	return fields
}

// flat writes a list of objects whose selected fields are all flat; nil where they are not,
// or where one is null that must not be.
func flat[T any](ctx context.Context, op *graphql.OperationContext, name string, sel ast.SelectionSet, v []*T,
	write func(*flatPlan, *buffer, *T) bool,
) graphql.Marshaler {
	if len(v) == 0 {
		return nil
	}
	p := plan(op, name, sel)
	if p == nil {
		return nil
	}
	w := buffers.Get().(*buffer)
	w.answer, w.counted = budget.Of(ctx), 0
	for i, obj := range v {
		w.between(i, '[')
		if obj == nil || !write(p, w, obj) {
			w.release()
			return nil
		}
	}
	w.byte(']')
	w.count(0)
	return written{w}
}

// writeKept writes an address as its row keeps it, null for none: decoded, it would be room for
// nine texts that are written at once. What has another form is decoded for write.
func (p *flatPlan) writeKept(w *buffer, a document.Address,
	write func(*flatPlan, *buffer, *document.AddressFields) bool,
) bool {
	if len(a) == 0 {
		w.null()
		return true
	}
	var members document.AddressTexts
	if !members.Read(a) {
		v, err := a.Fields()
		switch {
		case err != nil:
			return false
		case v == nil:
			w.null()
			return true
		}
		return write(p, w, v)
	}
	for i := range p.fields {
		f := &p.fields[i]
		w.name(i, f.alias)
		if f.number == 0 {
			w.text("Address")
		} else if v := members.At(f.number - 1); v != nil {
			w.text(*v)
		} else {
			w.null()
		}
	}
	w.byte('}')
	return true
}

// buffer is JSON that grows.
type buffer struct {
	b       []byte
	answer  *budget.Answer
	counted int // bytes of b that count on the answer
}

// buffers are used again from list to list, unless one grew very large.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

const maxPooled = 256 << 10

func (w *buffer) release() {
	if cap(w.b) <= maxPooled {
		w.b, w.answer = w.b[:0], nil
		buffers.Put(w)
	}
}

// count counts the buffer on the answer, with more bytes that are about to be written. It panics
// where the answer becomes too large: functions that write a value return no error.
func (w *buffer) count(more int) {
	n := len(w.b) + more - w.counted
	if w.answer == nil || n <= 0 {
		return
	}
	w.counted += n
	if err := w.answer.Write(n); err != nil {
		panic(err)
	}
}

// between writes what stands before the element or member number i.
func (w *buffer) between(i int, begin byte) {
	if i > 0 {
		begin = ','
	}
	w.b = append(w.b, begin)
}

// name writes the name of the member number i, which is made of letters, digits and
// underscores.
func (w *buffer) name(i int, name string) {
	w.between(i, '{')
	w.b = append(append(append(w.b, '"'), name...), '"', ':')
}

func (w *buffer) byte(c byte)             { w.b = append(w.b, c) }
func (w *buffer) any(v graphql.Marshaler) { v.MarshalGQL(w) }

// These are called at a thousand places, where they would be 100 KB of the program.

//go:noinline
func (w *buffer) null() { w.b = append(w.b, "null"...) }

//go:noinline
func (w *buffer) text(v string) {
	if len(v) >= cell.LongValue {
		w.count(len(v))
	}
	w.b = model.AppendText(w.b, v)
}

//go:noinline
func (w *buffer) number(v int64) { w.b = strconv.AppendInt(w.b, v, 10) }

//go:noinline
func (w *buffer) boolean(v bool) { w.b = strconv.AppendBool(w.b, v) }

//go:noinline
func (w *buffer) enum(v string) { w.b = model.AppendEnum(w.b, v) }

//go:noinline
func (w *buffer) moment(v micros.Time) { w.b = append(v.Append(append(w.b, '"')), '"') }

// Write implements io.Writer.
func (w *buffer) Write(p []byte) (int, error) {
	if len(p) >= cell.LongValue {
		w.count(len(p))
	}
	w.b = append(w.b, p...)
	return len(p), nil
}

// AvailableBuffer is that of [bytes.Buffer]: what is appended to it and then written stays
// where it is.
func (w *buffer) AvailableBuffer() []byte { return w.b[len(w.b):] }

// written is JSON that is marshalled once.
type written struct{ *buffer }

// MarshalGQL implements graphql.Marshaler.
func (j written) MarshalGQL(w io.Writer) {
	if answer, is := w.(*model.Answer); is { // with room for the ends of what the list is in
		answer.Grow(len(j.b) + 512)
	}
	w.Write(j.b)
	j.release()
}
