package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parse reads a document and refuses anything but OpenAPI 3.1. It returns YAML nodes rather than
// maps, to keep the order of the document.
func parse(openapi []byte) (root *yaml.Node, title string, err error) {
	var y yaml.Node
	if err := yaml.Unmarshal(openapi, &y); err != nil {
		return nil, "", err
	}
	if len(y.Content) != 1 || y.Content[0].Kind != yaml.MappingNode {
		return nil, "", errors.New("want one object")
	}
	var head struct {
		OpenAPI string `yaml:"openapi"`
		Info    struct {
			Title string `yaml:"title"`
		} `yaml:"info"`
	}
	if err := y.Decode(&head); err != nil {
		return nil, "", err
	}
	if !strings.HasPrefix(head.OpenAPI, "3.1.") {
		return nil, "", fmt.Errorf("version %q, want 3.1", head.OpenAPI)
	}
	return y.Content[0], head.Info.Title, nil
}

// JSON converts a YAML document to JSON with its members in the same order, for /openapi.json.
func JSON(document []byte) ([]byte, error) {
	root, _, err := parse(document)
	if err != nil {
		return nil, fmt.Errorf("openapi document: %w", err)
	}
	var b bytes.Buffer
	if err := writeJSON(&b, root); err != nil {
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
			err = writeScalar(b, y.Value) // a key is a string, whatever it looks like
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
