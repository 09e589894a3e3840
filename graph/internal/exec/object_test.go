package exec

import (
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// An object is written as gqlgen's own is.
func TestObject(t *testing.T) {
	for _, names := range [][]string{nil, {"a"}, {"a", "b_2", "__typename"}} {
		var fields []graphql.CollectedField
		for _, name := range names {
			fields = append(fields, graphql.CollectedField{Field: &ast.Field{Alias: name}})
		}
		ours, theirs := newObject(fields), graphql.NewFieldSet(fields)
		for i := range fields {
			ours.Values[i], theirs.Values[i] = graphql.MarshalInt(i), graphql.MarshalInt(i)
		}
		var got, want strings.Builder
		ours.MarshalGQL(&got)
		theirs.MarshalGQL(&want)
		if got.String() != want.String() {
			t.Errorf("got %s, want %s", &got, &want)
		}
	}
}
