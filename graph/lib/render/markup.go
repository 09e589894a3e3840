package render

import (
	"regexp"
	"sort"
	"strings"
	"text/template/parse"
)

// markupRule is something that a page must not contain, in lower case.
type markupRule struct {
	pattern *regexp.Regexp
	what    string
	why     string
}

const noScript = "storefront pages run no scripts"

// rules are in the order in which they are reported.
var rules = []markupRule{
	{regexp.MustCompile(`<script`), "<script", noScript},
	{regexp.MustCompile(`[\s"'/]on[a-z]*\s*=`), "a handler such as onclick=", noScript},
	{regexp.MustCompile(`javascript\s*:`), "an address that begins with javascript:", noScript},
	{regexp.MustCompile(`<style`), "<style", "put styles in a stylesheet of the theme"},
	{regexp.MustCompile(`[\s"'/]style\s*=`), "a style= attribute", "put styles in a stylesheet of the theme"},
	{regexp.MustCompile(`<base`), "<base", "only the shop sets the addresses of a page"},
	{regexp.MustCompile(`<meta[^>]*http-equiv`), "<meta http-equiv", "only the shop sets the headers of a page"},
	{regexp.MustCompile(`<(iframe|frame|object|embed|applet)`),
		"an embedded document (iframe, frame, object, embed or applet)", "storefront pages embed no documents"},
}

func forbidden(s string) *markupRule {
	s = lowered(s)
	for i := range rules {
		if rules[i].pattern.MatchString(s) {
			return &rules[i]
		}
	}
	return nil
}

// markup searches the text of a template, joined across its actions, so that an empty action inside
// a word hides nothing.
func markup(t *parse.Tree) Errors {
	var all strings.Builder
	var nodes []*parse.TextNode
	var starts []int
	each(t.Root, func(n parse.Node) {
		if text, ok := n.(*parse.TextNode); ok {
			starts = append(starts, all.Len())
			nodes = append(nodes, text)
			all.Write(text.Text)
		}
	})
	joined := lowered(all.String())
	var errs Errors
	for _, rule := range rules {
		found := rule.pattern.FindStringIndex(joined)
		if found == nil {
			continue
		}
		i := sort.SearchInts(starts, found[0]+1) - 1
		e := at(t, nodes[i], "templates must not contain "+rule.what+"; "+rule.why)
		e.Line += strings.Count(string(nodes[i].Text[:found[0]-starts[i]]), "\n")
		errs = append(errs, e)
	}
	return errs
}

// lowered returns s with ASCII letters in lower case. Its length does not change.
func lowered(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
