package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"
)

// node is a place in the document. Its zero value is an absent place, so paths
// through missing keys need no checks. YAML nodes rather than maps, because the
// order in which the document was written is the order of reading.
type node struct {
	y    *yaml.Node
	root *yaml.Node
}

func parse(openapi []byte) (node, error) {
	var y yaml.Node
	if err := yaml.Unmarshal(openapi, &y); err != nil {
		return node{}, err
	}
	if len(y.Content) != 1 || y.Content[0].Kind != yaml.MappingNode {
		return node{}, errors.New("want one object")
	}
	n := node{y.Content[0], y.Content[0]}
	if v := n.get("openapi").text(); !strings.HasPrefix(v, "3.1.") {
		return node{}, fmt.Errorf("version %q, want 3.1", v)
	}
	return n, nil
}

// get follows keys, and references on the way.
func (n node) get(keys ...string) node {
	for _, key := range keys {
		n = n.deref().child(key)
	}
	return n
}

func (n node) child(key string) node {
	if n.y != nil && n.y.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.y.Content); i += 2 {
			if n.y.Content[i].Value == key {
				return node{n.y.Content[i+1], n.root}
			}
		}
	}
	return node{root: n.root}
}

// ref returns the pointer of a reference, "" for anything else.
func (n node) ref() string { return n.child("$ref").text() }

// deref follows references inside the document; 8 steps are more than any
// sane chain, and end a circle.
func (n node) deref() node {
	for range 8 {
		pointer, ok := strings.CutPrefix(n.ref(), "#/")
		if !ok {
			return n
		}
		n = node{n.root, n.root}
		for step := range strings.SplitSeq(pointer, "/") {
			n = n.child(strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		}
	}
	return node{root: n.root}
}

func (n node) present() bool { return n.y != nil }

// text returns a scalar, "" for anything else.
func (n node) text() string {
	if n.y == nil || n.y.Kind != yaml.ScalarNode {
		return ""
	}
	return n.y.Value
}

// entries walks an object in the order of the document.
func (n node) entries() iter.Seq2[string, node] {
	return func(yield func(string, node) bool) {
		if n.y == nil || n.y.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.y.Content); i += 2 {
			if !yield(n.y.Content[i].Value, node{n.y.Content[i+1], n.root}) {
				return
			}
		}
	}
}

// items walks an array.
func (n node) items() iter.Seq[node] {
	return func(yield func(node) bool) {
		if n.y == nil || n.y.Kind != yaml.SequenceNode {
			return
		}
		for _, y := range n.y.Content {
			if !yield(node{y, n.root}) {
				return
			}
		}
	}
}

// texts returns the scalars of an array, or the one scalar itself.
func (n node) texts() []string {
	if s := n.text(); s != "" {
		return []string{s}
	}
	var out []string
	for item := range n.items() {
		out = append(out, item.text())
	}
	return out
}

// last returns the final step of a reference: the component's name.
func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// JSON writes a YAML document as JSON with the order of its members kept, for
// /openapi.json.
func JSON(document []byte) ([]byte, error) {
	n, err := parse(document)
	if err != nil {
		return nil, fmt.Errorf("openapi document: %w", err)
	}
	var b bytes.Buffer
	if err := writeJSON(&b, n.y); err != nil {
		return nil, fmt.Errorf("openapi document: %w", err)
	}
	return b.Bytes(), nil
}

func writeJSON(b *bytes.Buffer, y *yaml.Node) error {
	switch y.Kind {
	case yaml.AliasNode:
		return writeJSON(b, y.Alias)
	case yaml.MappingNode:
		return writeList(b, '{', '}', y.Content)
	case yaml.SequenceNode:
		return writeList(b, '[', ']', y.Content)
	}
	var value any
	if err := y.Decode(&value); err != nil {
		return err
	}
	return writeScalar(b, value)
}

func writeList(b *bytes.Buffer, open, end byte, content []*yaml.Node) error {
	b.WriteByte(open)
	for i, y := range content {
		if open == '{' && i%2 == 1 {
			b.WriteByte(':')
		} else if i > 0 {
			b.WriteByte(',')
		}
		var err error
		if open == '{' && i%2 == 0 {
			err = writeScalar(b, y.Value) // a key is a text, whatever it looks like
		} else {
			err = writeJSON(b, y)
		}
		if err != nil {
			return err
		}
	}
	b.WriteByte(end)
	return nil
}

func writeScalar(b *bytes.Buffer, value any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the encoder's newline
	return nil
}

// pretty returns an example as indented JSON.
func (n node) pretty() string {
	if n.y == nil {
		return ""
	}
	var flat, out bytes.Buffer
	if writeJSON(&flat, n.y) != nil || json.Indent(&out, flat.Bytes(), "", "  ") != nil {
		return ""
	}
	return out.String()
}
