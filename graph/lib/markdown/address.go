package markdown

import (
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// addresses renders all that has an address: nothing else of the output does.
type addresses struct{ picture func(string) string }

// RegisterFuncs implements renderer.NodeRenderer.
func (a *addresses) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, a.link)
	r.Register(ast.KindAutoLink, a.autoLink)
	r.Register(ast.KindImage, a.image)
}

func (a *addresses) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	open, ok := opening(resolved(n.(*ast.Link).Destination))
	switch {
	case !ok:
	case entering:
		_, _ = w.WriteString(open) // errors stay in the writer
	default:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (a *addresses) autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	link := n.(*ast.AutoLink)
	to, label := string(link.URL(source)), html.EscapeString(string(link.Label(source)))
	if link.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(to), "mailto:") {
		to = "mailto:" + to
	}
	if open, ok := opening(to); ok {
		label = open + label + "</a>"
	}
	_, _ = w.WriteString(label)
	return ast.WalkContinue, nil
}

// image shows a picture, or its text where it cannot be shown.
func (a *addresses) image(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	img := n.(*ast.Image)
	src, alt := a.path(resolved(img.Destination)), html.EscapeString(plain(n, source))
	if src == "" {
		_, _ = w.WriteString(alt)
	} else {
		_, _ = w.WriteString(`<img src="` + html.EscapeString(src) + `" alt="` + alt + `" loading="lazy">`)
	}
	return ast.WalkSkipChildren, nil
}

// path is where a picture is shown from, "" for nowhere.
func (a *addresses) path(address string) string {
	switch {
	case ours(address):
		return address
	case !strings.HasPrefix(strings.ToLower(address), "https://") || !absolute(address):
		return ""
	case a.picture == nil:
		return address
	}
	return a.picture(address)
}

// Pictures returns the https addresses of the pictures of a text, in their order.
func Pictures(source string) (list []string) {
	_, _ = HTML(source, func(address string) string { // a text that is refused shows none
		list = append(list, address)
		return ""
	})
	return list
}

// resolved is an address as a browser gets it.
func resolved(raw []byte) string {
	return string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(raw))))
}

// opening is the tag of a link to an address; false for one that nothing may lead to.
func opening(to string) (string, bool) {
	scheme, _, _ := strings.Cut(strings.ToLower(to), ":")
	rel := ""
	switch {
	case ours(to), strings.HasPrefix(to, "#") && clean(to):
	case (scheme == "mailto" || scheme == "tel") && clean(to):
	case (scheme == "https" || scheme == "http") && absolute(to):
		rel = ` rel="nofollow noopener"`
	default:
		return "", false
	}
	return `<a href="` + html.EscapeString(to) + `"` + rel + `>`, true
}

// ours reports whether an address is a path of the shop.
func ours(to string) bool {
	return strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && clean(to)
}

// absolute reports whether an address names a host, and nobody who signs in there.
func absolute(to string) bool {
	u, err := url.Parse(to)
	return err == nil && u.Hostname() != "" && u.User == nil && clean(to)
}

// clean reports whether an address has none of the characters that browsers read in
// ways of their own.
func clean(to string) bool {
	return !strings.ContainsFunc(to, func(r rune) bool { return r <= ' ' || r == '\\' || r >= 0x7f && r < 0xa0 })
}

// plain is the text in a node, without its marks.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker has no errors
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(resolved(n.Value(source)))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
