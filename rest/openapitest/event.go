package openapitest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// Event is a documented webhook event.
type Event struct {
	Type        string
	Description string   // in one line
	Headers     []string // required in each delivery, in document order
	body        *jsonschema.Schema
}

// compileEvents prepares the document's webhooks in document order, which only the YAML has.
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

// Events returns the events of the document, in its order.
func (v *Validator) Events() []Event { return slices.Clone(v.events) }

// EventErr returns an error if the body of a delivery differs from the schema of its type.
func (v *Validator) EventErr(kind string, body []byte) error {
	i := slices.IndexFunc(v.events, func(e Event) bool { return e.Type == kind })
	if i < 0 {
		return fmt.Errorf("the document has no event %q", kind)
	}
	return checkBody(v.events[i].body, body)
}
