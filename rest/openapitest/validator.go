package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// docURL names the document inside the schema compiler; it is never fetched.
const docURL = "urn:openapi"

// timestamp is the format of times in answers. The document states it only in words: generated
// clients parse a time and cannot match a pattern on it.
const timestamp = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$`

// Validator checks exchanges against one document. It is safe for concurrent use.
type Validator struct {
	doc      *openapi3.T
	prefixes []string // paths of the servers, without a trailing slash
	routes   []route
	problem  *jsonschema.Schema
	events   []Event
}

// New loads and validates an OpenAPI 3.1 document, YAML or JSON, with its examples. The test fails
// if the document is invalid.
func New(t testing.TB, doc []byte) *Validator {
	t.Helper()
	v, err := load(doc)
	if err != nil {
		t.Fatalf("openapi document: %v", err)
	}
	return v
}

func load(data []byte) (*Validator, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(data)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(loader.Context); err != nil {
		return nil, err
	}
	compiler, err := newCompiler(data)
	if err != nil {
		return nil, err
	}
	v := &Validator{doc: doc}
	for _, s := range doc.Servers {
		v.prefixes = append(v.prefixes, strings.TrimSuffix(s.URL, "/"))
	}
	if v.problem, err = compiler.Compile(docURL + "#/components/schemas/Problem"); err != nil {
		return nil, err
	}
	if err := v.compileEvents(compiler, data); err != nil {
		return nil, err
	}
	return v, v.compile(compiler)
}

// newCompiler adds the document's schemas, closed against unknown members, with the format of
// times.
func newCompiler(data []byte) (*jsonschema.Compiler, error) {
	var raw map[string]any
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	components, _ := raw["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	for _, s := range schemas {
		closeObject(s)
	}
	for _, name := range []string{"Timestamp", "OptionalTimestamp"} {
		if s, ok := schemas[name].(map[string]any); ok {
			s["pattern"] = timestamp
		}
	}
	// Through JSON, so that numbers are what the compiler expects.
	b, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	resource, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	return c, c.AddResource(docURL, resource)
}

// closeObject makes an object schema, and the ones nested in it, refuse unknown members.
func closeObject(schema any) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	properties, ok := s["properties"].(map[string]any)
	if !ok {
		return
	}
	if _, set := s["additionalProperties"]; !set {
		s["additionalProperties"] = false
	}
	for _, p := range properties {
		closeObject(p)
	}
}

// Operation is one documented operation.
type Operation struct {
	ID, Method, Path string
	// Scope is the only scope under oauth2; "" if there is not exactly one.
	Scope string
	// Statuses are the documented statuses, sorted.
	Statuses []int
	// Query are the names of the query parameters, sorted.
	Query []string
}

// Operations returns the document's operations by path and method, for the test that compares them
// with the route table.
func (v *Validator) Operations() []Operation {
	ops := make([]Operation, len(v.routes))
	for i, r := range v.routes {
		ops[i] = r.Operation
		ops[i].Statuses = slices.Clone(r.Statuses)
		ops[i].Query = slices.Clone(r.Query)
	}
	return ops
}

// Check fails the test if the exchange is not as documented. req needs only its method, URL and
// header; the bodies are passed separately, decompressed.
func (v *Validator) Check(t testing.TB, req *http.Request, reqBody []byte, res *http.Response, resBody []byte) {
	t.Helper()
	if err := v.Err(req, reqBody, res, resBody); err != nil {
		t.Errorf("%s %s answered %d: %v\nbody: %.600s", req.Method, req.URL.RequestURI(), res.StatusCode, err, resBody)
	}
}

// Err returns an error if the exchange differs from the document. Exchanges outside the document's
// servers, such as /healthz or /docs, are not checked.
func (v *Validator) Err(req *http.Request, reqBody []byte, res *http.Response, resBody []byte) error {
	path, ok := v.relative(req.URL.Path)
	if !ok {
		return nil
	}
	r, params := v.find(req.Method, path)
	if r == nil || req.Method == http.MethodOptions {
		return v.unrouted(req, res, resBody)
	}
	if res.StatusCode < 400 {
		if err := v.checkRequest(r, params, req, reqBody); err != nil {
			return fmt.Errorf("accepted a request that the document refuses: %w", err)
		}
	}
	return r.checkResponse(req.Method, res, resBody)
}

func (v *Validator) relative(path string) (string, bool) {
	for _, p := range v.prefixes {
		if rest, ok := strings.CutPrefix(path, p); ok && (rest == "" || rest[0] == '/') {
			return rest, true
		}
	}
	return "", false
}

// unrouted checks what no operation describes: preflights, and refusals of unknown paths and
// methods, which have the format of every problem.
func (v *Validator) unrouted(req *http.Request, res *http.Response, body []byte) error {
	switch {
	case req.Method == http.MethodOptions && res.StatusCode == http.StatusNoContent:
		if len(body) > 0 {
			return fmt.Errorf("a preflight answered with a body")
		}
		return nil
	case res.StatusCode < 400:
		return fmt.Errorf("the document has no such operation")
	case res.StatusCode == http.StatusMethodNotAllowed && res.Header.Get("Allow") == "":
		return fmt.Errorf("header Allow is missing")
	case req.Method == http.MethodHead:
		return nil
	}
	if got := mediaType(res.Header); got != problemType {
		return fmt.Errorf("content type %q, want %q", got, problemType)
	}
	return checkBody(v.problem, body)
}
