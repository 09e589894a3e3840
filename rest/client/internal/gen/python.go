package main

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// keywords are the Python keywords that are names of members: TypedDict takes them only as strings.
var keywords = []string{"in", "not", "from", "is", "or", "and", "class", "def", "del", "for", "if", "with"}

// pythonTypes writes the schemas and the events.
func pythonTypes(a *api) []byte {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "# %s\n\"\"\"What the API takes and answers.\"\"\"\n\nfrom __future__ import annotations\n\n", notice)
	b.WriteString("from typing import Any, Literal, NotRequired, Optional, TypedDict, Union\n")
	for _, s := range ordered(a.Schemas) {
		b.WriteString("\n\n")
		switch {
		case s.Type == "object" && len(s.Properties) > 0 && slices.ContainsFunc(s.Properties, isKeyword):
			s.functional(b)
		case s.Type == "object" && len(s.Properties) > 0:
			s.class(b)
		default:
			comment(b, "", s.Description)
			fmt.Fprintf(b, "%s = %s\n", s.Name, s.python())
		}
	}
	b.WriteString("\n\n#: What data[\"object\"] of an event is, by the event's type.\nEVENT_OBJECTS: dict[str, str] = {\n")
	for _, e := range a.Events {
		fmt.Fprintf(b, "    %q: %q,\n", e.Type, e.Object)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func isKeyword(p property) bool { return slices.Contains(keywords, p.Name) }

// ordered puts names of plain types first, because they are used when the module is loaded.
func ordered(all []named) []named {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(x, y named) int { return rank(x) - rank(y) })
	return out
}

func rank(s named) int {
	if s.Type == "object" && len(s.Properties) > 0 {
		return 1
	}
	return 0
}

func (s named) class(b *bytes.Buffer) {
	name := s.Name
	if s.Null {
		name = "_" + name // no name of its own to document
	}
	fmt.Fprintf(b, "class %s(TypedDict):\n", name)
	docstring(b, "    ", s.Description)
	for _, p := range s.Properties {
		kind := p.python()
		if !p.Required {
			kind = "NotRequired[" + kind + "]"
		}
		comment(b, "    ", p.Description)
		fmt.Fprintf(b, "    %s: %s\n", p.Name, kind)
	}
	if s.Null {
		fmt.Fprintf(b, "\n\n%s = Optional[%s]\n", s.Name, name)
	}
}

// functional writes the form of TypedDict that allows any name.
func (s named) functional(b *bytes.Buffer) {
	comment(b, "", s.Description)
	fmt.Fprintf(b, "%s = TypedDict(\n    %q,\n    {\n", s.Name, s.Name)
	for _, p := range s.Properties {
		kind := p.python()
		if !p.Required {
			kind = "NotRequired[" + kind + "]"
		}
		comment(b, "        ", p.Description)
		fmt.Fprintf(b, "        %q: %s,\n", p.Name, kind)
	}
	b.WriteString("    },\n)\n")
}

func comment(b *bytes.Buffer, indent, text string) {
	for _, line := range wrapped(text, 110-len(indent)) {
		fmt.Fprintf(b, "%s#: %s\n", indent, line)
	}
}

func docstring(b *bytes.Buffer, indent, text string) {
	lines := wrapped(strings.ReplaceAll(text, `\`, `\\`), 105-len(indent))
	switch len(lines) {
	case 0:
	case 1:
		fmt.Fprintf(b, "%s\"\"\"%s\"\"\"\n\n", indent, lines[0])
	default:
		fmt.Fprintf(b, "%s\"\"\"%s\n%s\"\"\"\n\n", indent, strings.Join(lines, "\n"+indent), indent)
	}
}

// python returns the Python type of a value.
func (s *schema) python() string {
	kind := s.pythonWithout()
	if s.Null {
		return "Optional[" + kind + "]"
	}
	return kind
}

// pythonWithout returns the type without null.
func (s *schema) pythonWithout() string {
	switch {
	case s.Ref != "":
		return s.Ref
	case len(s.Enum) > 0:
		quoted := make([]string, len(s.Enum))
		for i, value := range s.Enum {
			quoted[i] = strconv.Quote(value)
		}
		return "Literal[" + strings.Join(quoted, ", ") + "]"
	case s.Type == "array":
		return "list[" + s.Items.python() + "]"
	case s.Type == "integer":
		return "int"
	case s.Type == "number":
		return "float"
	case s.Type == "boolean":
		return "bool"
	case s.Type == "object":
		return "dict[str, Any]"
	}
	return "str"
}

// pythonOperations writes a method for each operation, and one that walks each list.
func pythonOperations(a *api) []byte {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "# %s\n\"\"\"The rows of the API.\"\"\"\n", notice)
	b.WriteString(pythonBase)
	for _, o := range a.Operations {
		o.pythonMethod(b, snake(o.ID), "types."+o.Result, "call", o.sentence())
		if o.Item != "" {
			o.pythonMethod(b, strings.TrimPrefix(snake(o.ID), "list_"), "Iterator[types."+o.Item+"]", "walk",
				"Walks what "+snake(o.ID)+" lists, page after page.")
		}
	}
	return b.Bytes()
}

const pythonBase = `
from __future__ import annotations

from typing import Any, Iterator, Mapping, Optional
from urllib.parse import quote

from . import types


class Operations:
    """One method for each row of the API, and one that walks each list."""

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """Makes a request and returns what came back."""
        raise NotImplementedError

    def walk(self, method: str, path: str, *, query: Mapping[str, Any]) -> Iterator[Any]:
        """Walks a list, page after page."""
        raise NotImplementedError
`

func (o operation) pythonMethod(b *bytes.Buffer, name, result, by, doc string) {
	arguments, path := []string{"self"}, o.Path
	for _, p := range o.Params {
		arguments = append(arguments, p.Name+": types."+p.Ref)
		path = strings.ReplaceAll(path, "{"+p.Name+"}", "{quote("+p.Name+", safe='')}")
	}
	call := fmt.Sprintf("%q,\n            f%q", o.Method, path)
	if o.Body != "" {
		arguments = append(arguments, "body: types."+o.Body)
		call += ",\n            body=body"
	}
	if o.Method != http.MethodGet {
		arguments = append(arguments, "*", "idempotency_key: Optional[str] = None")
		call += ",\n            idempotency_key=idempotency_key"
	}
	if len(o.Query) > 0 {
		arguments = append(arguments, "*")
		var pairs []string
		for _, p := range o.Query {
			kind := p.python()
			if p.Ref != "" {
				kind = "types." + p.Ref
			}
			arguments = append(arguments, fmt.Sprintf("%s: Optional[%s] = None", p.Name, kind))
			pairs = append(pairs, fmt.Sprintf("%q: %s", p.Name, p.Name))
		}
		call += ",\n            query={\n                " + strings.Join(pairs, ",\n                ") + ",\n            }"
	}
	if result == "types." {
		result = "None"
	}
	fmt.Fprintf(b, "\n    def %s(\n        %s,\n    ) -> %s:\n", name, strings.Join(arguments, ",\n        "), result)
	docstring(b, "        ", doc)
	b.Truncate(b.Len() - 1) // no empty line after a docstring
	ignored := ""
	if by == "call" {
		ignored = "  # type: ignore[no-any-return]"
	}
	fmt.Fprintf(b, "        return self.%s(%s\n            %s,\n        )\n", by, ignored, call)
}
