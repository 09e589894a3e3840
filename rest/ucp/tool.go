package ucp

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is one request of the REST binding as the MCP binding offers it.
type tool struct {
	name, about  string
	method, path string
	body         string // the argument that is the body
	keyed        bool   // needs an idempotency key
	input        reflect.Type
	output       reflect.Type
}

// tools is the table of the binding; never changed.
var tools = []*tool{
	{name: "search_catalog", about: "Search the products of the shop by words, or list all of them.",
		method: http.MethodPost, path: root + catalogPath + "search", body: "catalog",
		input: reflect.TypeFor[searchInput](), output: reflect.TypeFor[searchAnswer]()},
	{name: "lookup_catalog", about: "Read products by the ids of products or variants.",
		method: http.MethodPost, path: root + catalogPath + "lookup", body: "catalog",
		input: reflect.TypeFor[lookupInput](), output: reflect.TypeFor[lookupAnswer]()},
	{name: "get_product", about: "Read one product by its id or the id of a variant.",
		method: http.MethodPost, path: root + catalogPath + "product", body: "catalog",
		input: reflect.TypeFor[productInput](), output: reflect.TypeFor[productAnswer]()},
	{name: "create_checkout", about: "Create a checkout from line items, whose item ids are ids of variants.",
		method: http.MethodPost, path: root + sessionsPath, body: "checkout",
		input: reflect.TypeFor[checkoutInput](), output: reflect.TypeFor[session]()},
	{name: "get_checkout", about: "Read a checkout.",
		method: http.MethodGet, path: root + sessionsPath + "/{id}", output: reflect.TypeFor[session]()},
	{name: "update_checkout", about: "Change a checkout. Members that are absent stay as they are.",
		method: http.MethodPut, path: root + sessionsPath + "/{id}", body: "checkout",
		input: reflect.TypeFor[checkoutInput](), output: reflect.TypeFor[session]()},
	{name: "complete_checkout", about: "Place the order at the total of the latest answer, or learn where to pay.",
		method: http.MethodPost, path: root + sessionsPath + "/{id}/complete", body: "payment", keyed: true,
		input: reflect.TypeFor[payments](), output: reflect.TypeFor[session]()},
	{name: "cancel_checkout", about: "End a checkout without an order.",
		method: http.MethodPost, path: root + sessionsPath + "/{id}/cancel", keyed: true,
		output: reflect.TypeFor[session]()},
	{name: "get_order", about: "Read an order by the id in its completed checkout.",
		method: http.MethodGet, path: root + ordersPath + "{id}", output: reflect.TypeFor[order]()},
}

func (t *tool) identified() bool { return strings.Contains(t.path, "{id}") }

// metaInput is what a program says about itself and a call.
type metaInput struct {
	Agent agentInput `json:"ucp-agent"`
	Key   string     `json:"idempotency-key"`
}

type agentInput struct {
	Profile string `json:"profile"`
	Version string `json:"version"`
}

// instrument is a means of payment.
type instrument struct {
	ID         string `json:"id,omitempty"`
	Handler    string `json:"handler_id"`
	Credential struct {
		Type  string `json:"type"`
		Token string `json:"token"`
	} `json:"credential"`
}

// payments is a means of payment, or a list of them with the chosen one.
type payments struct {
	instrument

	Instruments []instrument `json:"instruments"`
	Chosen      string       `json:"selected_instrument_id"`
}

// arguments are the arguments of all tools.
type arguments struct {
	Meta     metaInput       `json:"meta"`
	ID       string          `json:"id"`
	Key      string          `json:"idempotency_key"`
	Catalog  json.RawMessage `json:"catalog"`
	Checkout json.RawMessage `json:"checkout"`
	Payment  payments        `json:"payment"`
}

// instrument returns the means of payment: the chosen one, or the first.
func (a *arguments) instrument() instrument {
	for _, i := range a.Payment.Instruments {
		if a.Payment.Chosen == "" || i.ID == a.Payment.Chosen {
			return i
		}
	}
	return a.Payment.instrument
}

// agent returns the header that names the profile of a program. Version 2026-01-11 of the protocol has
// the profile beside the arguments, and later ones among them.
func (a *arguments) agent(beside sdk.Meta) string {
	of := a.Meta.Agent
	if ucp, ok := beside["ucp"].(map[string]any); ok && of.Profile == "" {
		of.Profile, _ = ucp["profile"].(string)
		of.Version, _ = ucp["version"].(string)
	}
	clean := strings.NewReplacer(`"`, "", ";", "", "\r", "", "\n", "")
	return `profile="` + clean.Replace(of.Profile) + `"; version="` + clean.Replace(of.Version) + `"`
}

// define describes the tool to agents.
func (t *tool) define() (*sdk.Tool, error) {
	in := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	add := func(name string, of reflect.Type, about string, required bool) error {
		schema, err := jsonschema.ForType(of, nil)
		if err != nil {
			return err
		}
		loosen(schema)
		schema.Description = about
		if in.Properties[name] = schema; required {
			in.Required = append(in.Required, name)
		}
		return nil
	}
	text, read := reflect.TypeFor[string](), t.method == http.MethodGet || t.body == "catalog"
	err := add("meta", reflect.TypeFor[metaInput](), "Your profile, as ucp-agent.profile.", false)
	if err == nil && t.identified() {
		err = add("id", text, "The secret id.", true)
	}
	if err == nil && !read {
		err = add("idempotency_key", text, "A new UUID for each change; the same one for a repetition.", false)
	}
	if err == nil && t.body != "" {
		err = add(t.body, t.input, "", t.body != "payment")
	}
	if err != nil {
		return nil, err
	}
	out, err := jsonschema.ForType(t.output, nil)
	return &sdk.Tool{Name: t.name, Description: t.about, InputSchema: in, OutputSchema: out,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: read, IdempotentHint: !read,
			DestructiveHint: new(false), OpenWorldHint: new(false)}}, err
}

// loosen makes all members of an input optional and allows others, which extensions add. The functions
// behind the tools check what is needed.
func loosen(s *jsonschema.Schema) {
	s.Required, s.AdditionalProperties = nil, nil
	if s.Items != nil {
		loosen(s.Items)
	}
	for _, p := range s.Properties {
		loosen(p)
	}
}
