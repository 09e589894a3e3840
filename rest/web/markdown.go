package web

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

type heading struct{ ID, Text string }

// blocks and phrases read CommonMark: blocks read whole texts, with tables, and phrases read inline
// text. Neither parses HTML, so tags are escaped.
var (
	blocks = commonMark(parser.NewFencedCodeBlockParser(), parser.NewATXHeadingParser(),
		parser.NewListParser(), parser.NewListItemParser())
	phrases = commonMark()
)

var scrollable = strings.NewReplacer("<pre><code", `<pre tabindex="0"><code`,
	"<table>", `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>`, "</table>", "</table></div>")

func commonMark(others ...parser.BlockParser) goldmark.Markdown {
	list := []util.PrioritizedValue{util.Prioritized(parser.NewParagraphParser(), 1000)}
	for i, p := range others {
		list = append(list, util.Prioritized(p, 100*(i+1)))
	}
	// The content security policy refuses style attributes.
	tables := extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))
	return goldmark.New(goldmark.WithRendererOptions(
		renderer.WithNodeRenderers(util.Prioritized(tables, 500)),
	), goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(list...),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewEmphasisParser(), 500)),
	)))
}

// markdown renders a text and returns its second-level headings.
func markdown(in string) (template.HTML, []heading) {
	var headings []heading
	source := []byte(in)
	doc := parsed(blocks, source)
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 2 {
			title := string(h.Lines().Value(source))
			headings = append(headings, heading{slug(title), title})
			h.SetAttributeString("id", []byte(slug(title)))
		}
	}
	out := rendered(blocks, source, doc)
	// Long lines and wide tables scroll, for keyboard users too. Texts are escaped, so only the
	// renderer can have written these tags.
	return template.HTML(scrollable.Replace(out)), headings
}

func inline(in string) template.HTML {
	var out []string
	source := []byte(in)
	for p := parsed(phrases, source).FirstChild(); p != nil; p = p.NextSibling() {
		var b strings.Builder
		for n := p.FirstChild(); n != nil; n = n.NextSibling() {
			b.WriteString(rendered(phrases, source, n))
		}
		out = append(out, b.String())
	}
	return template.HTML(strings.Join(out, " "))
}

// parsed parses a text and removes links unless they lead to this host, this page or https; their
// texts stay.
func parsed(m goldmark.Markdown, source []byte) ast.Node {
	doc := m.Parser().Parse(text.NewReader(source))
	var refused []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker has no errors
		link, isLink := n.(*ast.Link)
		_, isImage := n.(*ast.Image)
		if entering && (isImage || isLink && !allowed(string(link.Destination))) {
			refused = append(refused, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range refused {
		for child := n.FirstChild(); child != nil; child = n.FirstChild() {
			n.Parent().InsertBefore(n.Parent(), n, child)
		}
		n.Parent().RemoveChild(n.Parent(), n)
	}
	return doc
}

func allowed(to string) bool {
	local := strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.HasPrefix(to, `/\`)
	return local || strings.HasPrefix(to, "#") || strings.HasPrefix(to, "https://")
}

func rendered(m goldmark.Markdown, source []byte, n ast.Node) string {
	var b bytes.Buffer
	_ = m.Renderer().Render(&b, source, n) // a buffer accepts everything
	return b.String()
}

// slug returns an anchor: lower-case letters and digits, separated by dashes.
func slug(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}
