package exec

import (
	"io"

	"github.com/99designs/gqlgen/graphql"
)

// object is the members of one object of an answer. It stands in for the type of
// gqlgen around it, which keeps a map of the names it has written for each object;
// a selection is collected by name already, so no name comes twice.
type object struct {
	graphql.FieldSet
	fields []graphql.CollectedField
}

func newObject(fields []graphql.CollectedField) *object {
	return &object{*graphql.NewFieldSet(fields), fields}
}

// MarshalGQL implements graphql.Marshaler. A name is made of letters, digits and
// underscores.
func (o *object) MarshalGQL(w io.Writer) {
	begin := `{"`
	for i := range o.fields {
		io.WriteString(w, begin)
		io.WriteString(w, o.fields[i].Alias)
		io.WriteString(w, `":`)
		o.Values[i].MarshalGQL(w)
		begin = `,"`
	}
	if len(o.fields) == 0 {
		io.WriteString(w, "{")
	}
	io.WriteString(w, "}")
}
