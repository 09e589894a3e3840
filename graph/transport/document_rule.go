package transport

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
)

func noIntrospection(events *core.Events, add core.AddErrFunc) {
	events.OnField(func(_ *core.Walker, f *ast.Field) {
		if f.Name == "__schema" || f.Name == "__type" {
			add(core.Message("There is no field %q here: introspection is switched off.", f.Name), core.At(f.Position))
		}
	})
}

// intsOf32Bits refuses integers beyond an Int (GraphQL specification, section 3.5.1). The library
// reads 64 bits and reports larger ones itself.
func intsOf32Bits(events *core.Events, add core.AddErrFunc) {
	events.OnValue(func(_ *core.Walker, v *ast.Value) {
		if v.Kind != ast.IntValue || v.Definition == nil || v.Definition.Name != "Int" {
			return
		}
		if n, err := strconv.ParseInt(v.Raw, 10, 64); err == nil && !isInt(n) {
			add(core.Message("Int cannot represent %s: %s", v.Raw, anInt), core.At(v.Position))
		}
	})
}

// anInt describes the type Int in errors.
const anInt = "an Int is a whole number of 32 bits with a sign."

// isInt reports whether the value of a variable fits the type Int.
func isInt(v any) bool {
	n, ok := v.(int64)
	return ok && int64(int32(n)) == n
}

// notInt returns the name of a variable of type Int whose value is none, or "". The library accepts
// 64 bits, fractions without a remainder, and strings. No input object has a member of this type,
// and no argument takes a list of it.
func notInt(op *ast.OperationDefinition, variables map[string]any) string {
	for _, d := range op.VariableDefinitions {
		if v := variables[d.Variable]; v != nil && d.Type.NamedType == "Int" && !isInt(v) {
			return d.Variable
		}
	}
	return ""
}
