// Package markdown renders a merchant's Markdown as HTML for a storefront.
//
// It reads CommonMark without HTML: a tag is plain text. Whatever the input, the output has no
// script and no address other than those that [HTML] allows. Depth and size are bounded, and so is
// the time.
package markdown

import (
	"bytes"
	"errors"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds of the output and input.
const (
	// MaxHTML is the largest output, in bytes.
	MaxHTML = 512 << 10
	// maxDepth is how deep one line may nest quotes and lists.
	maxDepth = 20
	// maxMarks is how many brackets and emphasis marks one paragraph may have: the parser looks
	// back at the preceding ones.
	maxMarks = 2000
)

// What is wrong with a text, as the end of a sentence.
var (
	ErrTooLarge = errors.New("it has more than 512 KiB of HTML")
	ErrTooDeep  = errors.New("a line nests more than 20 quotations and lists")
	ErrTooMany  = errors.New("a paragraph has more than 2,000 brackets and marks of emphasis")
)

// reader parses CommonMark without HTML.
var reader = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewParagraphParser(), 1000)),
	parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewEmphasisParser(), 500)),
	parser.WithParagraphTransformers(util.Prioritized(parser.LinkReferenceParagraphTransformer, 100)),
)

// HTML renders a text. Links may lead to paths of the shop and to https, http, mailto and tel
// addresses; others become plain text. imagePath returns the path under which the shop shows the
// image of an https address, "" for none; if imagePath is nil, the address stays. Headings begin at
// the second level, below the page's title.
//
// It fails with [ErrTooLarge], [ErrTooDeep] or [ErrTooMany].
func HTML(source string, imagePath func(address string) string) (string, error) {
	source = strings.ToValidUTF8(strings.ReplaceAll(source, "\r\n", "\n"), "\uFFFD")
	if err := bounded(source); err != nil {
		return "", err
	}
	in := []byte(source)
	doc := reader.Parse(text.NewReader(in))
	lowerHeadings(doc)
	m := goldmark.New(goldmark.WithRendererOptions(
		renderer.WithNodeRenderers(util.Prioritized(&addresses{imagePath}, 100))))
	out := &capped{}
	if err := m.Renderer().Render(out, in, doc); err != nil || out.full {
		return "", ErrTooLarge // nothing else fails
	}
	// Long lines scroll, which must work with a keyboard too. Text is escaped, so this tag is the
	// renderer's.
	return strings.ReplaceAll(out.String(), "<pre><code", `<pre tabindex="0"><code`), nil
}

// Text returns the words of a text without markup, with an empty line between blocks. A text that
// [HTML] refuses is returned as it is.
func Text(source string) string {
	source = strings.ToValidUTF8(strings.ReplaceAll(source, "\r\n", "\n"), "\uFFFD")
	if bounded(source) != nil {
		return source
	}
	in := []byte(source)
	var blocks []string
	_ = ast.Walk(reader.Parse(text.NewReader(in)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() { // the walker returns no errors
		case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading:
			if entering {
				blocks = append(blocks, plain(n, in))
			}
			return ast.WalkSkipChildren, nil
		case ast.KindCodeBlock, ast.KindFencedCodeBlock:
			if entering {
				blocks = append(blocks, string(n.Lines().Value(in)))
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(blocks, "\n\n")
}

type capped struct {
	bytes.Buffer
	full bool
}

func (c *capped) Write(b []byte) (int, error) {
	if c.Len()+len(b) > MaxHTML {
		c.full = true
		return 0, ErrTooLarge
	}
	return c.Buffer.Write(b)
}

func lowerHeadings(doc ast.Node) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker returns no errors
		const lowest = 6
		if h, ok := n.(*ast.Heading); ok && entering {
			h.Level = min(h.Level+1, lowest)
		}
		return ast.WalkContinue, nil
	})
}

// bounded returns an error for a text that would take more than a few milliseconds to parse.
func bounded(source string) error {
	marks := 0
	for line := range strings.Lines(source) {
		if depth(line) > maxDepth {
			return ErrTooDeep
		}
		if strings.TrimSpace(line) == "" {
			marks = 0
			continue
		}
		for _, c := range []string{"[", "]", "*", "_", "`", "<"} {
			marks += strings.Count(line, c)
		}
		if marks > maxMarks {
			return ErrTooMany
		}
	}
	return nil
}

// depth counts the quotes and lists that a line begins or continues.
func depth(line string) (n int) {
	for {
		line = strings.TrimLeft(line, " \t")
		rest, ok := marker(line)
		if !ok {
			return n
		}
		line = rest
		n++
	}
}

// marker cuts the marker of a quote or a list item.
func marker(line string) (rest string, ok bool) {
	if rest, ok := strings.CutPrefix(line, ">"); ok {
		return rest, true
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	rest = line[digits:]
	signs := "-+*"
	if digits > 0 {
		signs = ".)"
	}
	if rest == "" || !strings.Contains(signs, rest[:1]) {
		return line, false
	}
	rest = rest[1:]
	return rest, rest == "" || strings.ContainsAny(rest[:1], " \t\r\n")
}
