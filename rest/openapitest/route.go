package openapitest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

type route struct {
	Operation
	item      *openapi3.PathItem
	operation *openapi3.Operation
	responses map[int]*response
}

type response struct {
	headers []header
	content map[string]*jsonschema.Schema // by media type
	codes   []string                      // problem codes in the examples
}

type header struct {
	name     string
	required bool
	integer  bool
	schema   *jsonschema.Schema
}

func (v *Validator) compile(c *jsonschema.Compiler) error {
	for path, item := range v.doc.Paths.Map() {
		for method, op := range item.Operations() {
			r := route{item: item, operation: op, responses: map[int]*response{}}
			r.Operation = Operation{
				ID: op.OperationID, Method: method, Path: path, Scope: scopeOf(op), Query: queryOf(item, op),
			}
			for status, ref := range op.Responses.Map() {
				code, err := strconv.Atoi(status)
				if err != nil {
					return fmt.Errorf("%s: response %q: want a number", op.OperationID, status)
				}
				pointer := fmt.Sprintf("/paths/%s/%s/responses/%s", escape(path), strings.ToLower(method), status)
				if ref.Ref != "" {
					pointer = strings.TrimPrefix(ref.Ref, "#")
				}
				if r.responses[code], err = compileResponse(c, pointer, ref.Value); err != nil {
					return fmt.Errorf("%s: response %s: %w", op.OperationID, status, err)
				}
				r.Statuses = append(r.Statuses, code)
			}
			slices.Sort(r.Statuses)
			v.routes = append(v.routes, r)
		}
	}
	slices.SortFunc(v.routes, func(a, b route) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
	return nil
}

func compileResponse(c *jsonschema.Compiler, pointer string, res *openapi3.Response) (*response, error) {
	out := &response{content: map[string]*jsonschema.Schema{}}
	for name, ref := range res.Headers {
		at := pointer + "/headers/" + escape(name)
		if ref.Ref != "" {
			at = strings.TrimPrefix(ref.Ref, "#")
		}
		schema, err := c.Compile(docURL + "#" + at + "/schema")
		if err != nil {
			return nil, err
		}
		integer := ref.Value.Schema.Value.Type.Is("integer")
		out.headers = append(out.headers, header{name, ref.Value.Required, integer, schema})
	}
	slices.SortFunc(out.headers, func(a, b header) int { return strings.Compare(a.name, b.name) })
	for mediaType, content := range res.Content {
		schema, err := c.Compile(docURL + "#" + pointer + "/content/" + escape(mediaType) + "/schema")
		if err != nil {
			return nil, err
		}
		out.content[mediaType] = schema
		if mediaType == problemType {
			for code := range content.Examples {
				out.codes = append(out.codes, code)
			}
			slices.Sort(out.codes)
		}
	}
	return out, nil
}

// escape encodes a name as one step of a JSON pointer in a URI fragment.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B").Replace(name)
}

func scopeOf(op *openapi3.Operation) string {
	if op.Security == nil {
		return ""
	}
	for _, requirement := range *op.Security {
		if s := requirement["oauth2"]; len(s) == 1 {
			return s[0]
		}
	}
	return ""
}

func queryOf(item *openapi3.PathItem, op *openapi3.Operation) []string {
	names := []string{}
	for _, p := range slices.Concat(item.Parameters, op.Parameters) {
		if p.Value.In == openapi3.ParameterInQuery {
			names = append(names, p.Value.Name)
		}
	}
	slices.Sort(names)
	return names
}

// find returns the operation of a path below the server, and its path parameters. HEAD counts as
// GET.
func (v *Validator) find(method, path string) (*route, map[string]string) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for i := range v.routes {
		if r := &v.routes[i]; r.Method == method {
			if params, ok := match(r.Path, path); ok {
				return r, params
			}
		}
	}
	return nil, nil
}

func match(template, path string) (map[string]string, bool) {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	params := map[string]string{}
	for i, w := range want {
		switch {
		case strings.HasPrefix(w, "{") && got[i] != "":
			params[strings.Trim(w, "{}")] = got[i]
		case w != got[i]:
			return nil, false
		}
	}
	return params, true
}
