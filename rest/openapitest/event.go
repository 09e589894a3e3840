package openapitest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// Event is one event that the document says is sent to webhook endpoints.
type Event struct {
	Type        string
	Description string   // in one line
	Headers     []string // that are required of each delivery, in the document's order
	body        *jsonschema.Schema
}

// compileEvents prepares the document's webhooks, in its order, which is that of
// the YAML alone.
func (v *Validator) compileEvents(c *jsonschema.Compiler, data []byte) error {
	var order struct{ Webhooks yaml.Node }
	if err := yaml.Unmarshal(data, &order); err != nil {
		return err
	}
	for i := 0; i+1 < len(order.Webhooks.Content); i += 2 {
		name := order.Webhooks.Content[i].Value
		post := v.doc.Webhooks[name].Post
		if post == nil || post.RequestBody == nil {
			return fmt.Errorf("webhook %s: want a post with a body", name)
		}
		schema, err := c.Compile(docURL + "#/webhooks/" + escape(name) +
			"/post/requestBody/content/application~1json/schema")
		if err != nil {
			return fmt.Errorf("webhook %s: %w", name, err)
		}
		e := Event{Type: name, Description: strings.Join(strings.Fields(post.Description), " "), body: schema}
		for _, p := range post.Parameters {
			if p.Value.In == "header" && p.Value.Required {
				e.Headers = append(e.Headers, p.Value.Name)
			}
		}
		v.events = append(v.events, e)
	}
	return nil
}

// Events lists the events of the document, in its order.
func (v *Validator) Events() []Event { return slices.Clone(v.events) }

// EventErr describes how the body of a delivery differs from what the document says
// of its type.
func (v *Validator) EventErr(kind string, body []byte) error {
	i := slices.IndexFunc(v.events, func(e Event) bool { return e.Type == kind })
	if i < 0 {
		return fmt.Errorf("the document has no event %q", kind)
	}
	return checkBody(v.events[i].body, body)
}
