package render

import (
	"errors"
	"html/template"
	"strings"
	"text/template/parse"
)

var errStop = errors.New("escaped")

type stopper struct{}

func (stopper) Write([]byte) (int, error) { return 0, errStop }

// escape makes html/template escape a page, which it otherwise does at the first execution, and
// returns an error for values in contexts that are not allowed.
func escape(p *template.Template) error {
	if err := p.Execute(stopper{}, nil); err != nil && !errors.Is(err, errStop) {
		return err
	}
	return contexts(p)
}

// Contexts in which html/template allows a value, by the functions that it appends to the action:
// text, quoted and unquoted attributes, addresses, srcset, textarea and title, comments.
var allowed = map[string]bool{
	"_html_template_htmlescaper":    true,
	"_html_template_attrescaper":    true,
	"_html_template_nospaceescaper": true,
	"_html_template_rcdataescaper":  true,
	"_html_template_urlfilter":      true,
	"_html_template_urlnormalizer":  true,
	"_html_template_urlescaper":     true,
	"_html_template_srcsetescaper":  true,
	"_html_template_commentescaper": true,
}

// derived is the prefix with which html/template renames a template that is called outside of text,
// and derivedIn the contexts in which that is allowed.
const derived = "$htmltemplate_"

var derivedIn = []string{"stateRCDATA", "stateAttr_", "stateURL_", "stateSrcset_"}

const misplaced = "a value is not allowed here; use it in text or in the value of an attribute"

// contexts returns an error for values in names of tags and attributes, in scripts and in styles.
// The templates have to be escaped before.
func contexts(p *template.Template) error {
	for _, t := range p.Templates() {
		var err error
		each(t.Tree.Root, func(n parse.Node) {
			if err == nil && !inContext(n) {
				err = at(t.Tree, n, misplaced)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func inContext(n parse.Node) bool {
	switch n := n.(type) {
	case *parse.ActionNode:
		for _, cmd := range n.Pipe.Cmds {
			name, ok := cmd.Args[0].(*parse.IdentifierNode)
			if ok && strings.HasPrefix(name.Ident, "_html_template_") && !allowed[name.Ident] {
				return false
			}
		}
	case *parse.TemplateNode:
		_, context, ok := strings.Cut(n.Name, derived)
		if !ok {
			return true
		}
		for _, prefix := range derivedIn {
			if strings.HasPrefix(context, prefix) {
				return true
			}
		}
		return false
	}
	return true
}
