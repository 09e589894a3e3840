package transport

import (
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/model"
)

type errorList = []*model.UserError

// refusedPayload returns the payload of a refused mutation: of the type of v, the nil pointer that its
// method returned beside the error.
func refusedPayload(v any, errs errorList) any {
	payload := reflect.New(reflect.TypeOf(v).Elem())
	payload.Elem().FieldByName("UserErrors").Set(reflect.ValueOf(errs))
	return payload.Interface()
}

// userFault reports whether a mutation returns the fault in its payload: faults of the input, of
// the state or of the caller's rights.
func userFault(k fault.Kind) bool {
	switch k {
	case fault.ValidationFailed, fault.NotFound, fault.Conflict, fault.Forbidden, fault.InsufficientScope:
		return true
	}
	return false
}

func userErrors(f *fault.Error, field graphql.CollectedField) errorList {
	if len(f.Fields) == 0 {
		e := &model.UserError{Code: f.Name(), Message: f.Detail}
		if f.Limit != "" {
			e.Limit = &f.Limit
		}
		return errorList{e}
	}
	errs := make(errorList, len(f.Fields))
	for i, bad := range f.Fields {
		errs[i] = &model.UserError{Code: bad.Code, Message: bad.Detail, Path: argumentPath(bad, field)}
	}
	return errs
}

// argumentPath converts the pointer of a member in a REST body into a path in the arguments:
// "#/price_minor" becomes input, priceMinor. A member that the field takes as a separate argument
// is not below input.
func argumentPath(f fault.Field, field graphql.CollectedField) []string {
	if f.Parameter != "" {
		return []string{camel(f.Parameter)}
	}
	tokens := pointerTokens(f.Pointer)
	for i, t := range tokens {
		if !strings.Contains(t, ".") { // the name of a custom field stays
			tokens[i] = camel(t)
		}
	}
	arguments := field.Definition.Arguments
	own := len(tokens) > 0 && arguments.ForName(tokens[0]) != nil
	if arguments.ForName("input") != nil && !own {
		tokens = slices.Insert(tokens, 0, "input")
	}
	return tokens
}

// pointerTokens splits a JSON pointer in a URI fragment (RFC 6901, section 6).
func pointerTokens(pointer string) []string {
	text, ok := strings.CutPrefix(pointer, "#/")
	if !ok {
		return nil
	}
	tokens := strings.Split(text, "/")
	for i, t := range tokens {
		if plain, err := url.PathUnescape(t); err == nil {
			t = plain
		}
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(t)
	}
	return tokens
}

// camel converts a REST name to its GraphQL name.
func camel(name string) string {
	head, rest, found := strings.Cut(name, "_")
	if !found || head == "" {
		return name
	}
	var b strings.Builder
	b.WriteString(head)
	for word := range strings.SplitSeq(rest, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
