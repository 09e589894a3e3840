package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/storefront-go/storefront/ent/scope"
)

// keyArgument is the argument of every write that becomes its Idempotency-Key.
const keyArgument = "idempotency_key"

// Tool is one row of the API.
type Tool struct {
	def          *sdk.Tool
	scope        string
	method, path string // of the row; the path is below {base_url}
	places       map[string]place
	bodied       bool // it has a body
}

type place int

const (
	inPath place = iota + 1
	inQuery
	inBody
	inKey
)

// Request is the API request of a tool call.
type Request struct {
	Method string
	Target string // path and query below {base_url}
	Key    string // Idempotency-Key; empty if the caller gave none
	Body   []byte // JSON, or nil
}

// Name returns the tool's name, such as list_orders.
func (t *Tool) Name() string { return t.def.Name }

// Scope returns the scope that its row requires.
func (t *Tool) Scope() string { return t.scope }

// Within returns the tools whose scope is in a set, in their order.
func Within(tools []*Tool, scopes scope.Set) []*Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t *Tool) bool { return !scopes.Has(t.scope) })
}

// request turns arguments, a JSON object, into a request. Its errors are for the agent and name
// what is wrong with the arguments. The API validates the values.
func (t *Tool) request(arguments json.RawMessage) (*Request, error) {
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(arguments)) > 0 {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return nil, errors.New("the arguments are not a JSON object")
		}
	}
	r, query, body := &Request{Method: t.method, Target: t.path}, url.Values{}, map[string]json.RawMessage{}
	for name, value := range given {
		at, known := t.places[name]
		if !known {
			return nil, fmt.Errorf("there is no argument %q", name)
		}
		if at == inBody {
			body[name] = value
			continue
		}
		if err := r.put(at, name, value, query); err != nil {
			return nil, err
		}
	}
	if strings.Contains(r.Target, "{") {
		return nil, errors.New(`the argument "id" is missing`)
	}
	if len(query) > 0 {
		r.Target += "?" + query.Encode()
	}
	if !t.bodied {
		return r, nil
	}
	var err error
	r.Body, err = json.Marshal(body)
	return r, err
}

func (r *Request) put(at place, name string, value json.RawMessage, query url.Values) error {
	if at == inQuery && value[0] == '{' { // written as name[member]=text
		var members map[string]string
		if err := json.Unmarshal(value, &members); err != nil {
			return fmt.Errorf("the argument %q must be an object of texts", name)
		}
		for member, text := range members {
			query.Set(name+"["+member+"]", text)
		}
		return nil
	}
	text, ok, err := plain(name, value)
	if err != nil || !ok {
		return err
	}
	switch at {
	case inPath:
		if strings.Trim(text, ".") == "" { // not ".." either, which proxies resolve
			return fmt.Errorf("the argument %q is empty", name)
		}
		r.Target = strings.ReplaceAll(r.Target, "{"+name+"}", url.PathEscape(text))
	case inQuery:
		query.Set(name, text)
	default:
		r.Key = text
	}
	return nil
}

// plain returns a string or number as written in an address or header; null counts as absent.
func plain(name string, value json.RawMessage) (text string, ok bool, err error) {
	switch value[0] {
	case 'n':
		return "", false, nil
	case '"':
		err = json.Unmarshal(value, &text)
		return text, err == nil, err
	case '{', '[':
		return "", false, fmt.Errorf("the argument %q must be a text or a number", name)
	}
	return string(value), true, nil
}

func define(id, title, description string, input, answer object, t *Tool) error {
	schema, err := schemaOf(input)
	if err != nil {
		return fmt.Errorf("input of %s: %w", id, err)
	}
	read := t.method == http.MethodGet
	t.def = &sdk.Tool{
		Name: snake(id), Title: title, InputSchema: schema,
		Description: title + ". " + description + " Needs the scope " + t.scope + ".",
		Annotations: &sdk.ToolAnnotations{
			Title: title, ReadOnlyHint: read, IdempotentHint: !read,
			DestructiveHint: new(t.method == http.MethodDelete), OpenWorldHint: new(false),
		},
	}
	if t.def.OutputSchema, err = schemaOf(answer); err != nil {
		return fmt.Errorf("answer of %s: %w", id, err)
	}
	return nil
}

func schemaOf(o object) (*jsonschema.Schema, error) {
	raw, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	schema := &jsonschema.Schema{}
	return schema, json.Unmarshal(raw, schema)
}

func snake(id string) string {
	var b strings.Builder
	for _, r := range id {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
