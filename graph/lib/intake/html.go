package intake

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Plain returns the text of an HTML description: paragraphs, a dash before list items, and the
// address after a link. Scripts and styles are removed.
func Plain(source string) string {
	var b strings.Builder
	z, hidden, link := html.NewTokenizer(strings.NewReader(source)), 0, ""
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return tidy(b.String())
		}
		t := z.Token()
		switch {
		case t.DataAtom == atom.Script || t.DataAtom == atom.Style:
			if kind == html.StartTagToken {
				hidden++
			} else if kind == html.EndTagToken && hidden > 0 {
				hidden--
			}
		case kind == html.TextToken && hidden == 0:
			b.WriteString(strings.Map(unbroken, t.Data))
		case t.DataAtom == atom.A && kind == html.StartTagToken:
			link = addressOf(t)
		case t.DataAtom == atom.A && link != "":
			b.WriteString(" (" + link + ")")
			link = ""
		case kind != html.TextToken:
			b.WriteString(breaks(t, kind))
		}
	}
}

// addressOf returns the target of a link, if it is a web address.
func addressOf(t html.Token) string {
	for _, a := range t.Attr {
		if a.Key == "href" && strings.HasPrefix(a.Val, "http") {
			return a.Val
		}
	}
	return ""
}

// unbroken turns line breaks of the source into spaces.
func unbroken(r rune) rune {
	if r == '\n' || r == '\r' || r == '\t' {
		return ' '
	}
	return r
}

// breaks returns the line breaks that a tag stands for.
func breaks(t html.Token, kind html.TokenType) string {
	switch t.DataAtom {
	case atom.Br, atom.Tr:
		return "\n"
	case atom.Td, atom.Th:
		return " "
	case atom.Li:
		if kind == html.StartTagToken {
			return "\n- "
		}
	case atom.P, atom.Div, atom.Ul, atom.Ol, atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return "\n\n"
	}
	return ""
}

// tidy trims lines, and leaves one empty line between paragraphs.
func tidy(text string) string {
	var lines []string
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.Join(strings.Fields(l), " ")
		if l == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, l)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
