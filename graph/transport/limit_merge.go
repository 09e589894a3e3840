package transport

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// mergeable checks that fields with the same name in the answer are the same field with the same
// arguments (GraphQL specification, section 5.3.2).
//
// The rule of the library compares all pairs, which is quadratic in the size of the document. This
// one compares each field with the first of its name, in time linear in the fields of the
// operation, which are bounded. That is enough because the schema has neither interfaces nor
// unions: all selections of one place have the same type.
func mergeable(op *ast.OperationDefinition) *gqlerror.Error {
	return merge([]ast.SelectionSet{op.SelectionSet})
}

// place holds the selections of one object under one name.
type place struct {
	first *ast.Field
	below []ast.SelectionSet
}

func merge(sets []ast.SelectionSet) *gqlerror.Error {
	g := group{places: map[string]*place{}, seen: map[*ast.FragmentDefinition]bool{}}
	for _, set := range sets {
		if err := g.add(set); err != nil {
			return err
		}
	}
	for _, name := range g.names {
		if p := g.places[name]; len(p.below) > 0 {
			if err := merge(p.below); err != nil {
				return err
			}
		}
	}
	return nil
}

type group struct {
	places map[string]*place
	names  []string
	seen   map[*ast.FragmentDefinition]bool
}

func (g *group) add(set ast.SelectionSet) *gqlerror.Error {
	for _, s := range set {
		var err *gqlerror.Error
		switch s := s.(type) {
		case *ast.Field:
			err = g.field(s)
		case *ast.InlineFragment:
			err = g.add(s.SelectionSet)
		case *ast.FragmentSpread:
			// Another spread of the same fragment adds nothing.
			if !g.seen[s.Definition] {
				g.seen[s.Definition] = true
				err = g.add(s.Definition.SelectionSet)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *group) field(f *ast.Field) *gqlerror.Error {
	p := g.places[f.Alias]
	if p == nil {
		p = &place{first: f}
		g.places[f.Alias] = p
		g.names = append(g.names, f.Alias)
	}
	if p.first.Name != f.Name || !sameArguments(p.first.Arguments, f.Arguments) {
		err := gqlerror.Errorf("Fields %q conflict: they are different fields or have different arguments. "+
			"Give one of them an alias.", f.Alias)
		if f.Position != nil {
			err.Locations = []gqlerror.Location{{Line: f.Position.Line, Column: f.Position.Column}}
		}
		return err
	}
	if len(f.SelectionSet) > 0 {
		p.below = append(p.below, f.SelectionSet)
	}
	return nil
}

func sameArguments(a, b ast.ArgumentList) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		y := b.ForName(x.Name)
		if y == nil || !sameValue(x.Value, y.Value) {
			return false
		}
	}
	return true
}

func sameValue(a, b *ast.Value) bool {
	if a.Kind != b.Kind || a.Raw != b.Raw || len(a.Children) != len(b.Children) {
		return false
	}
	for i, x := range a.Children {
		y := b.Children[i].Value
		if a.Kind == ast.ObjectValue {
			y = b.Children.ForName(x.Name)
		}
		if y == nil || !sameValue(x.Value, y) {
			return false
		}
	}
	return true
}
