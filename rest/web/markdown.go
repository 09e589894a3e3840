package web

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"
)

// heading is an entry of a page's own contents.
type heading struct{ ID, Text string }

// markdown renders the part of CommonMark that the document uses: headings of
// level two, paragraphs, flat lists, fenced code, and inside lines code, strong,
// emphasis and links. Everything is escaped first, so no text becomes a tag.
func markdown(text string) (template.HTML, []heading) {
	var b strings.Builder
	var headings []heading
	for _, block := range blocks(text) {
		first := block[0]
		switch {
		case strings.HasPrefix(first, "```"):
			code := strings.Join(block[1:len(block)-1], "\n")
			fmt.Fprintf(&b, "<pre tabindex=\"0\"><code>%s</code></pre>\n", template.HTMLEscapeString(code))
		case strings.HasPrefix(first, "## "):
			h := heading{slug(first[3:]), first[3:]}
			headings = append(headings, h)
			fmt.Fprintf(&b, "<h2 id=\"%s\">%s</h2>\n", h.ID, inline(h.Text))
		case strings.HasPrefix(first, "- "):
			b.WriteString("<ul>\n")
			for _, item := range listItems(block) {
				fmt.Fprintf(&b, "<li>%s</li>\n", inline(item))
			}
			b.WriteString("</ul>\n")
		default:
			fmt.Fprintf(&b, "<p>%s</p>\n", inline(strings.Join(block, " ")))
		}
	}
	return template.HTML(b.String()), headings
}

// blocks splits a text at blank lines, at headings and before lists; a fence
// goes to its end.
func blocks(text string) [][]string {
	var out [][]string
	var block []string
	flush := func() {
		if len(block) > 0 {
			out, block = append(out, block), nil
		}
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		switch {
		case fenced:
			block = append(block, line)
			if fenced = line != "```"; !fenced {
				flush()
			}
			continue
		case strings.HasPrefix(line, "```"):
			flush()
			fenced = true
		case line == "":
			flush()
			continue
		case strings.HasPrefix(line, "- ") && len(block) > 0 && !strings.HasPrefix(block[0], "- "):
			flush()
		}
		block = append(block, line)
		if strings.HasPrefix(line, "## ") {
			flush()
		}
	}
	if fenced {
		block = append(block, "```") // a fence that was never closed ends with the text
	}
	flush()
	return out
}

func listItems(block []string) []string {
	var items []string
	for _, line := range block {
		if text, ok := strings.CutPrefix(line, "- "); ok || len(items) == 0 {
			items = append(items, text)
		} else {
			items[len(items)-1] += " " + strings.TrimSpace(line)
		}
	}
	return items
}

var (
	strong   = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	emphasis = regexp.MustCompile(`\*([^*\s][^*]*)\*`)
	// Links go to this host, to a place of this page, or to https.
	link = regexp.MustCompile(`\[([^\]]+)\]\(((?:/[^/]|#|https://)[^)\s"]*)\)`)
)

// inline renders one line. What stands between backquotes is taken as it is.
func inline(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			b.WriteString("<code>" + part + "</code>")
			continue
		}
		part = link.ReplaceAllString(part, `<a href="$2">$1</a>`)
		part = strong.ReplaceAllString(part, "<strong>$1</strong>")
		b.WriteString(emphasis.ReplaceAllString(part, "<em>$1</em>"))
	}
	return template.HTML(b.String())
}

// slug makes an anchor: lower-case letters and digits, parted by dashes.
func slug(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}
