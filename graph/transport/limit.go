package transport

import (
	"fmt"
	"math"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/storefront-go/storefront/ent/limit"
)

// Bounds of a GraphQL document. They keep every step linear. A document beyond one is refused
// before validation, whose cost grows with fragments times fields.
const (
	maxDepth      = 12         // nesting of fields
	maxCost       = 5000       // of a request in points; see graph/lib/cost
	maxBody       = limit.Body // in bytes (contract, section 1), except for uploads
	maxTokens     = 10_000
	maxFields     = 4000 // of one operation, with fragments expanded
	maxRoots      = 50   // root fields: each is a query or a transaction
	maxParts      = 100  // operations and fragments
	maxVariables  = 200
	maxDirectives = 250
	maxWork       = 30_000 // parts times selections: the work of validation
	// The standard introspection query nests 15 fields.
	maxIntrospectionDepth = 20
)

func measure(doc *ast.QueryDocument) *gqlerror.Error {
	parts := len(doc.Operations) + len(doc.Fragments)
	m := meter{doc: doc, fragments: make(map[string]*extent, len(doc.Fragments))}
	for _, f := range doc.Fragments {
		m.count(f.SelectionSet, f.Directives)
	}
	for _, op := range doc.Operations {
		m.count(op.SelectionSet, op.Directives)
		if len(op.VariableDefinitions) > maxVariables {
			return oversized("variables", maxVariables)
		}
	}
	switch {
	case parts > maxParts:
		return oversized("operations and fragments", maxParts)
	case m.directives > maxDirectives:
		return oversized("directives", maxDirectives)
	case parts*m.selections > maxWork:
		return requestError(codeTooLarge, "The document has too many selections for its number of fragments.")
	}
	for _, op := range doc.Operations {
		if err := m.operation(op); err != nil {
			return err
		}
	}
	return nil
}

func oversized(what string, limit int) *gqlerror.Error {
	return requestError(codeTooLarge, fmt.Sprintf("The document has more than %d %s.", limit, what))
}

type meter struct {
	doc        *ast.QueryDocument
	fragments  map[string]*extent
	selections int // as written
	directives int
}

// extent is the size of a selection with fragments expanded.
type extent struct {
	fields, depth int
	introspection int // depth below __schema and __type
	open          bool
}

// count counts selections and directives as written.
func (m *meter) count(set ast.SelectionSet, on ast.DirectiveList) {
	m.directives += len(on)
	m.selections += len(set)
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			m.count(s.SelectionSet, s.Directives)
		case *ast.InlineFragment:
			m.count(s.SelectionSet, s.Directives)
		case *ast.FragmentSpread:
			m.directives += len(s.Directives)
		}
	}
}

func (m *meter) operation(op *ast.OperationDefinition) *gqlerror.Error {
	e, err := m.extent(op.SelectionSet)
	switch {
	case err != nil:
		return err
	case e.depth > maxDepth:
		return requestError(codeTooDeep, fmt.Sprintf("Fields nest deeper than %d.", maxDepth))
	case e.introspection > maxIntrospectionDepth:
		return requestError(codeTooDeep, fmt.Sprintf("Introspection nests deeper than %d.", maxIntrospectionDepth))
	case e.fields > maxFields:
		return oversized("fields", maxFields)
	case roots(op.SelectionSet, m.doc) > maxRoots:
		return oversized("fields at its root", maxRoots)
	}
	return nil
}

// extent measures a selection. Each fragment is measured once, so fragments that multiply each
// other are cheap to refuse, and the sums saturate.
func (m *meter) extent(set ast.SelectionSet) (e extent, err *gqlerror.Error) {
	for _, s := range set {
		var inner extent
		switch s := s.(type) {
		case *ast.Field:
			inner, err = m.extent(s.SelectionSet)
			inner.enter(s.Name)
		case *ast.InlineFragment:
			inner, err = m.extent(s.SelectionSet)
		case *ast.FragmentSpread:
			inner, err = m.fragment(s.Name)
		}
		if err != nil {
			return e, err
		}
		e.fields = min(e.fields+inner.fields, math.MaxInt32)
		e.depth = max(e.depth, inner.depth)
		e.introspection = max(e.introspection, inner.introspection)
	}
	return e, nil
}

// enter adds the field around a selection.
func (e *extent) enter(name string) {
	e.fields++
	if name == "__schema" || name == "__type" {
		e.introspection, e.depth = e.depth, 0
	}
	e.depth++
}

func (m *meter) fragment(name string) (extent, *gqlerror.Error) {
	if e := m.fragments[name]; e != nil {
		if e.open {
			return extent{}, requestError(codeInvalid, fmt.Sprintf("The fragment %q spreads itself.", name))
		}
		return *e, nil
	}
	f := m.doc.Fragments.ForName(name)
	if f == nil {
		return extent{}, nil // validation reports it
	}
	m.fragments[name] = &extent{open: true}
	e, err := m.extent(f.SelectionSet)
	m.fragments[name] = &e
	return e, err
}

// roots counts root fields. The document must have no cycles and a bounded number of fields.
func roots(set ast.SelectionSet, doc *ast.QueryDocument) (n int) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			n++
		case *ast.InlineFragment:
			n += roots(s.SelectionSet, doc)
		case *ast.FragmentSpread:
			if f := doc.Fragments.ForName(s.Name); f != nil {
				n += roots(f.SelectionSet, doc)
			}
		}
	}
	return n
}
