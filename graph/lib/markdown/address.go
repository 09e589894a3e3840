package markdown

import (
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// addresses renders all nodes with an address; nothing else in the output has one.
type addresses struct{ imagePath func(string) string }

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

// image renders an image, or its alternative text if it cannot be shown.
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

// path returns where an image is shown from, "" if it is not.
func (a *addresses) path(address string) string {
	switch {
	case ours(address):
		return address
	case !strings.HasPrefix(strings.ToLower(address), "https://") || !absolute(address):
		return ""
	case a.imagePath == nil:
		return address
	}
	return a.imagePath(address)
}

// Images returns the https addresses of the images in a text, in order.
func Images(source string) (list []string) {
	_, _ = HTML(source, func(address string) string { // a refused text shows none
		list = append(list, address)
		return ""
	})
	return list
}

// resolved returns an address as a browser sees it.
func resolved(raw []byte) string {
	return string(util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(raw))))
}

// opening returns the start tag of a link to an address, false if links must not lead there.
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

// absolute reports whether an address has a host and no user.
func absolute(to string) bool {
	u, err := url.Parse(to)
	return err == nil && u.Hostname() != "" && u.User == nil && clean(to)
}

// clean reports whether an address has no characters that browsers treat specially.
func clean(to string) bool {
	return !strings.ContainsFunc(to, func(r rune) bool { return r <= ' ' || r == '\\' || r >= 0x7f && r < 0xa0 })
}

// plain returns the text of a node without its markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker returns no errors
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(resolved(n.Value(source)))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.AutoLink:
			b.Write(n.Label(source))
		case *ast.String:
			b.Write(n.Value)
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
