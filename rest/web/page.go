package web

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// docsPage is what templates/docs.html shows.
type docsPage struct {
	Title, Version, Summary string
	License, Contact, Help  string
	Description             template.HTML
	Headings                []heading
	Servers                 []server
	Tags                    []tag
	Schemas                 []schemaView
}

type server struct{ URL, Description string }

type tag struct {
	ID, Name    string
	Description template.HTML
	Operations  []operation
}

type operation struct {
	ID, Method, Path, Summary string
	Description               template.HTML
	Scope                     string
	Parameters                []parameter
	Body                      *body
	Curl                      string
	Responses                 []response
}

type parameter struct {
	Name, In    string
	Type        typeView
	Required    bool
	Description template.HTML
	Limits      []string
	Values      []string
}

type body struct {
	Schema     typeView
	Properties []property
	Examples   []example
}

type response struct {
	Status      int
	Text        string
	Error       bool
	Description template.HTML
	Headers     []string
	Schema      typeView
	Examples    []example
	Problems    []Problem // with their page, where it has them
	Codes       []string  // problem codes without an entry on the problems page
}

type example struct{ Name, Summary, Code string }

func newDocsPage(doc node, problems []Problem) docsPage {
	info := doc.get("info")
	p := docsPage{
		Title:   info.get("title").text(),
		Version: info.get("version").text(),
		Summary: info.get("summary").text(),
		License: info.get("license", "name").text(),
		Contact: info.get("contact", "name").text(),
		Help:    info.get("contact", "url").text(),
	}
	p.Description, p.Headings = markdown(info.get("description").text())
	for s := range doc.get("servers").items() {
		p.Servers = append(p.Servers, server{s.get("url").text(), s.get("description").text()})
	}
	known := map[string]Problem{}
	for _, k := range problems {
		known[k.Code] = k
	}
	for t := range doc.get("tags").items() {
		name := t.get("name").text()
		p.Tags = append(p.Tags, tag{
			slug(name), name, inline(t.get("description").text()), operations(doc, name, known),
		})
	}
	for name, s := range doc.get("components", "schemas").entries() {
		p.Schemas = append(p.Schemas, newSchema(name, s))
	}
	slices.SortFunc(p.Schemas, func(a, b schemaView) int { return strings.Compare(a.Name, b.Name) })
	return p
}

// operations lists the operations of a tag, in the document's order.
func operations(doc node, tag string, known map[string]Problem) []operation {
	base := ""
	for s := range doc.get("servers").items() {
		base = s.get("url").text()
		break // the first is the current version
	}
	var out []operation
	for path, item := range doc.get("paths").entries() {
		for method, op := range item.entries() {
			if !slices.Contains(op.get("tags").texts(), tag) {
				continue
			}
			o := operation{
				ID:          op.get("operationId").text(),
				Method:      strings.ToUpper(method),
				Path:        path,
				Summary:     op.get("summary").text(),
				Description: inline(op.get("description").text()),
				Scope:       scope(op),
				Parameters:  append(parameters(item), parameters(op)...),
				Body:        newBody(op.get("requestBody", "content", "application/json")),
				Responses:   responses(op, known),
			}
			o.Curl = curl(base, o, item, op)
			out = append(out, o)
		}
	}
	return out
}

func scope(op node) string {
	for requirement := range op.get("security").items() {
		for s := range requirement.get("oauth2").items() {
			return s.text()
		}
	}
	return ""
}

func parameters(n node) []parameter {
	var out []parameter
	for p := range n.get("parameters").items() {
		schema := p.get("schema")
		out = append(out, parameter{
			Name:        p.get("name").text(),
			In:          p.get("in").text(),
			Type:        typeOf(schema),
			Required:    p.get("required").text() == "true",
			Description: inline(p.get("description").text()),
			Limits:      inlineLimits(schema),
			Values:      values(schema),
		})
	}
	return out
}

func newBody(content node) *body {
	if !content.present() {
		return nil
	}
	schema := content.get("schema")
	return &body{typeOf(schema), properties(schema), examples(content)}
}

func examples(content node) []example {
	var out []example
	for name, e := range content.get("examples").entries() {
		out = append(out, example{name, e.get("summary").text(), e.get("value").pretty()})
	}
	return out
}

func responses(op node, known map[string]Problem) []response {
	var out []response
	for status, r := range op.get("responses").entries() {
		code, err := strconv.Atoi(status)
		if err != nil {
			continue
		}
		res := response{
			Status:      code,
			Text:        http.StatusText(code),
			Error:       code >= 400,
			Description: inline(r.get("description").text()),
		}
		for name := range r.get("headers").entries() {
			res.Headers = append(res.Headers, name)
		}
		for _, content := range r.get("content").entries() {
			res.Schema = typeOf(content.get("schema"))
			if res.Examples = examples(content); res.Error {
				res.Problems, res.Codes = codes(res.Examples, known)
				res.Examples = nil // every problem looks alike; the codes say enough
			}
		}
		out = append(out, res)
	}
	return out
}

// codes parts the problem codes that examples are named by.
func codes(examples []example, known map[string]Problem) (linked []Problem, plain []string) {
	for _, e := range examples {
		if p, ok := known[e.Name]; ok {
			linked = append(linked, p)
		} else {
			plain = append(plain, e.Name)
		}
	}
	return linked, plain
}

// curl writes a command to paste, with the host and the credential left to the
// shell's variables.
func curl(base string, o operation, item, op node) string {
	path, key := o.Path, ""
	for _, owner := range []node{item, op} {
		for p := range owner.get("parameters").items() {
			value := p.get("example").text()
			switch p.get("in").text() {
			case "path":
				path = strings.ReplaceAll(path, "{"+p.get("name").text()+"}", url.PathEscape(value))
			case "header":
				if p.get("required").text() == "true" {
					key += fmt.Sprintf(" \\\n  -H '%s: %s'", p.get("name").text(), value)
				}
			case "query":
				if p.get("name").text() == "limit" {
					path += "?limit=" + url.QueryEscape(value)
				}
			}
		}
	}
	command := "curl"
	if o.Method != http.MethodGet {
		command += " -X " + o.Method
	}
	command += fmt.Sprintf(" \"$API_HOST%s%s\" \\\n  -H \"Authorization: Bearer $API_KEY\" \\\n  -H 'Accept: "+
		"application/json'%s", base, path, key)
	if o.Body != nil && len(o.Body.Examples) > 0 {
		// A quote inside a quoted word of the shell.
		data := strings.ReplaceAll(o.Body.Examples[0].Code, "'", `'\''`)
		command += " \\\n  -H 'Content-Type: application/json' \\\n  -d '" + data + "'"
	}
	return command
}
