package exec

import "github.com/vektah/gqlparser/v2/ast"

// The schema is sound once it is loaded, and then nobody asks where in its text a name
// stands: the places, of some six thousand names, are a twentieth of what an idle server
// holds. Errors of a query say where in the query they are.
func init() {
	for _, d := range parsedSchema.Types {
		d.Position, d.TypePositions = nil, nil
		unplaceDirectives(d.Directives)
		for _, f := range d.Fields {
			f.Position = nil
			unplaceType(f.Type)
			unplaceValue(f.DefaultValue)
			unplaceDirectives(f.Directives)
			unplaceArguments(f.Arguments)
		}
		for _, v := range d.EnumValues {
			v.Position = nil
			unplaceDirectives(v.Directives)
		}
	}
	for _, d := range parsedSchema.Directives {
		d.Position = nil
		unplaceArguments(d.Arguments)
	}
}

func unplaceArguments(list ast.ArgumentDefinitionList) {
	for _, a := range list {
		a.Position = nil
		unplaceType(a.Type)
		unplaceValue(a.DefaultValue)
		unplaceDirectives(a.Directives)
	}
}

func unplaceDirectives(list ast.DirectiveList) {
	for _, d := range list {
		d.Position = nil
		for _, a := range d.Arguments {
			a.Position = nil
			unplaceValue(a.Value)
		}
	}
}

func unplaceType(t *ast.Type) {
	for ; t != nil; t = t.Elem {
		t.Position = nil
	}
}

func unplaceValue(v *ast.Value) {
	if v == nil {
		return
	}
	v.Position = nil
	for _, c := range v.Children {
		c.Position = nil
		unplaceValue(c.Value)
	}
}
