package theme

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

const (
	svgSpace   = "http://www.w3.org/2000/svg"
	xlinkSpace = "http://www.w3.org/1999/xlink"
	tooMuch    = "The image has more than 100,000 elements, or reuses its parts too often to be drawn."
	maxNesting = 100
)

// drawing checks one SVG image. It allows only elements and attributes that draw, and rewrites
// nothing, so what is checked is what is served.
type drawing struct {
	open          []string // elements
	style         bytes.Buffer
	width, height *int
	rooted        bool
	references
}

// checkSVG checks an SVG image. Its width and height are nil unless given in pixels.
func checkSVG(b []byte) (width, height *int, detail string) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	d, in := &drawing{}, xml.NewDecoder(bytes.NewReader(b))
	d.marks = map[string]*mark{}
	for {
		at := in.InputOffset()
		// Raw tokens have prefixes as written. The code below checks that tags match.
		token, err := in.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, "The image is not valid XML."
		}
		if detail := d.token(token, at); detail != "" {
			return nil, nil, detail
		}
	}
	if !d.rooted || len(d.open) > 0 {
		return nil, nil, "The image is truncated."
	}
	if d.endless() {
		return nil, nil, tooMuch
	}
	if d.width == nil || d.height == nil {
		return nil, nil, ""
	}
	return d.width, d.height, ""
}

func (d *drawing) token(token xml.Token, at int64) string {
	switch t := token.(type) {
	case xml.StartElement:
		return d.start(t)
	case xml.EndElement:
		return d.end(t)
	case xml.CharData:
		return d.text(t)
	case xml.Directive:
		return "The image has a DOCTYPE or entities."
	case xml.ProcInst:
		if t.Target != "xml" || at > 0 {
			return "The image has a processing instruction."
		}
	}
	return ""
}

func (d *drawing) text(text []byte) string {
	if len(d.open) == 0 {
		if len(bytes.TrimSpace(text)) > 0 {
			return "The image has text outside its elements."
		}
		return ""
	}
	if d.open[len(d.open)-1] == "style" {
		d.style.Write(text)
	}
	return scripted(string(text))
}

func (d *drawing) start(e xml.StartElement) string {
	name := e.Name.Local
	if e.Name.Space != "" {
		name = e.Name.Space + ":" + name
	}
	switch {
	case len(d.open) == 0 && (d.rooted || name != "svg"):
		return "The image is not an SVG image: its only root element must be svg."
	case strings.EqualFold(e.Name.Local, "script"):
		return "The image has a script."
	case strings.EqualFold(e.Name.Local, "foreignObject"):
		return "The image has a foreignObject."
	case !elements[name]:
		return "The image has an element that is not allowed: " + brief(name) + "."
	case len(d.open) >= maxNesting:
		return "The image nests more than 100 elements."
	case len(d.open) > 0 && d.open[len(d.open)-1] == "style":
		return "The image has elements inside its style element."
	}
	outermost := len(d.open) == 0
	d.open, d.rooted = append(d.open, name), true
	if d.enter(); d.root.elements > maxExpanded {
		return tooMuch
	}
	spaced := false
	for _, a := range e.Attr {
		if detail := d.attribute(a); detail != "" {
			return detail
		}
		spaced = spaced || a.Name.Space == "" && a.Name.Local == "xmlns"
		if outermost {
			d.measure(a)
		}
	}
	if repeated(e.Attr) {
		return "The image has a duplicate attribute."
	}
	if outermost && !spaced {
		return "The image lacks xmlns=\"" + svgSpace + "\". Browsers need it to show the image."
	}
	return ""
}

func repeated(list []xml.Attr) bool {
	seen := make(map[xml.Name]bool, len(list))
	for _, a := range list {
		if seen[a.Name] {
			return true
		}
		seen[a.Name] = true
	}
	return false
}

func (d *drawing) end(e xml.EndElement) string {
	if len(d.open) == 0 || e.Name.Space != "" || d.open[len(d.open)-1] != e.Name.Local {
		return "The image is not valid XML."
	}
	d.open = d.open[:len(d.open)-1]
	d.leave()
	if e.Name.Local != "style" {
		return ""
	}
	text := d.style.Bytes()
	d.style = bytes.Buffer{}
	return d.declarations(text)
}

func (d *drawing) attribute(a xml.Attr) string {
	name := a.Name.Local
	if a.Name.Space != "" {
		name = a.Name.Space + ":" + name
	}
	switch {
	case name == "xmlns" && a.Value != svgSpace, name == "xmlns:xlink" && a.Value != xlinkSpace:
		return "The image declares a namespace other than SVG or XLink."
	case name == "xmlns", a.Name.Space == "xmlns":
		return "" // only affects elements and attributes with prefixes
	case strings.HasPrefix(strings.ToLower(a.Name.Local), "on"):
		return "The image has an event handler: " + brief(name) + "."
	case name == "href", name == "xlink:href":
		return d.href(a.Value)
	case !attributes[name] && !strings.HasPrefix(name, "data-") && !strings.HasPrefix(name, "aria-"):
		return "The image has an attribute that is not allowed: " + brief(name) + "."
	case name == "attributeName" &&
		(!attributes[a.Value] || a.Value == "style" || a.Value == "id" || a.Value == "class"):
		return "The image animates an attribute that is not allowed: " + brief(a.Value) + "."
	case name == "id":
		d.name(a.Value)
	}
	if detail := scripted(a.Value); detail != "" {
		return detail
	}
	if name == "style" || styling(name) && strings.ContainsAny(a.Value, `(\`) {
		return d.declarations([]byte(a.Value))
	}
	return ""
}

// styling reports whether an attribute's value may be CSS with url().
func styling(name string) bool {
	return name != "id" && name != "class" && !strings.HasPrefix(name, "data-") && !strings.HasPrefix(name, "aria-")
}

// href allows references to elements of the same image only.
func (d *drawing) href(value string) string {
	id, ok := strings.CutPrefix(value, "#")
	if detail := scripted(value); detail != "" {
		return detail
	}
	if !ok {
		return "The image refers to something outside itself: " + brief(value) + "."
	}
	d.refer(id)
	return ""
}

// declarations checks CSS in an attribute or a style element. Its url() may only refer to a part of
// the image.
func (d *drawing) declarations(text []byte) (detail string) {
	s := sheet{
		address: func(raw string) (string, string) {
			id, ok := strings.CutPrefix(raw, "#")
			if !ok {
				return "", "url(" + brief(raw) + ") points outside the image."
			}
			d.refer(id)
			return raw, ""
		},
		note: func(text string) {
			if detail == "" {
				detail = "The style of the image is not allowed. " + text
			}
		},
	}
	s.rewrite(text)
	return detail
}

// scripted refuses texts that would execute as an address. Browsers ignore white space in them.
func scripted(text string) string {
	if !strings.Contains(text, ":") {
		return ""
	}
	plain := strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, strings.ToLower(text))
	if strings.Contains(plain, "javascript:") || strings.Contains(plain, "vbscript:") {
		return "The image has an address that runs code."
	}
	return ""
}

func (d *drawing) measure(a xml.Attr) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(a.Value, "px"), 64)
	if a.Name.Space != "" || err != nil || !(n >= 1 && n <= maxSide) {
		return
	}
	switch a.Name.Local {
	case "width":
		d.width = new(int(n))
	case "height":
		d.height = new(int(n))
	}
}
