package exec

import (
	"context"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

// elements marshals a list whose elements are what f says, and returns the JSON
// with the errors' paths.
func elements(t *testing.T, n int, f func(i int) graphql.Marshaler) (json string, paths []string) {
	t.Helper()
	ctx := graphql.WithResponseContext(t.Context(), graphql.DefaultErrorPresenter, graphql.DefaultRecover)
	ctx = graphql.WithOperationContext(ctx, &graphql.OperationContext{RecoverFunc: graphql.DefaultRecover})
	var b strings.Builder
	element := func(_ context.Context, i int) graphql.Marshaler { return f(i) }
	if list := marshalSlice(ctx, n, 0, false, element); list == nil {
		b.WriteString("none")
	} else {
		list.MarshalGQL(&b)
	}
	for _, err := range graphql.GetErrors(ctx) {
		paths = append(paths, err.Path.String())
	}
	return b.String(), paths
}

func TestMarshalSlice(t *testing.T) {
	for n, want := range map[int]string{0: "[]", 1: "[0]", 3: "[0,1,2]"} {
		if got, errs := elements(t, n, graphql.MarshalInt); got != want || len(errs) > 0 {
			t.Errorf("%d elements: got %s, errors at %v", n, got, errs)
		}
	}
}

func TestPanicIsTheErrorOfItsElement(t *testing.T) {
	got, paths := elements(t, 3, func(i int) graphql.Marshaler {
		if i == 1 {
			panic("broken")
		}
		return graphql.MarshalInt(i)
	})
	if got != "none" || len(paths) != 1 || paths[0] != "[1]" {
		t.Errorf("got %s with errors at %v", got, paths)
	}
}
