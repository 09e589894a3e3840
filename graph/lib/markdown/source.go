package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// nowhere is the address of an image that is not shown.
const nowhere = "#"

// Source returns a text as Markdown whose images are those of [HTML]: imagePath returns the address
// of the image of an https address, "" for none. A text in which it cannot replace an address, or
// that [HTML] refuses, loses its markup.
func Source(source string, imagePath func(address string) string) string {
	source = strings.ToValidUTF8(strings.ReplaceAll(source, "\r\n", "\n"), "\uFFFD")
	if bounded(source) != nil {
		return source
	}
	in := []byte(source)
	shown := &addresses{imagePath}
	spans, ok := destinations(in)
	if !ok {
		return Text(source)
	}
	var out bytes.Buffer
	known, at := map[string]bool{nowhere: true}, 0
	for _, s := range spans {
		path := shown.path(resolved(in[s.Start:s.Stop]))
		if path == "" {
			path = nowhere
		}
		known[path] = true
		out.Write(in[at:s.Start])
		out.WriteString(path)
		at = s.Stop
	}
	out.Write(in[at:])
	if again, ok := destinations(out.Bytes()); !ok || slices.ContainsFunc(again, func(s text.Segment) bool {
		return !known[resolved(out.Bytes()[s.Start:s.Stop])]
	}) {
		return Text(source)
	}
	return out.String()
}

// destinations returns where the addresses of the images of a text are, in order; ok is false if one
// is not found.
func destinations(in []byte) (list []text.Segment, ok bool) {
	ok = true
	_ = ast.Walk(reader.Parse(text.NewReader(in)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		img, isImage := n.(*ast.Image)
		if !isImage || !entering || len(img.Destination) == 0 { // the walker returns no errors
			return ast.WalkContinue, nil
		}
		// The parser cuts an address out of its input, so the capacity says where it begins.
		start := cap(in) - cap(img.Destination)
		s := text.NewSegment(start, start+len(img.Destination))
		if start < 0 || s.Stop > len(in) || &in[start] != &img.Destination[0] {
			ok = false
			return ast.WalkStop, nil
		}
		list = append(list, s)
		return ast.WalkContinue, nil
	})
	slices.SortFunc(list, func(a, b text.Segment) int { return a.Start - b.Start })
	return slices.Compact(list), ok
}
