package layout

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// vendored are the folders of third-party files, which stay as published.
var vendored = []string{"rest/dashboard/static/vendor/", "rest/web/vendor/"}

// maxLines is the maximum length of a hand-written Go file, and maxColumns that of a line in a
// narrow file, in which a tab takes tabColumns.
const (
	maxLines   = 500
	maxColumns = 120
	tabColumns = 4
)

var (
	// A line that cannot be broken: one word, or one quoted text.
	whole    = regexp.MustCompile(`^\s*(\S+|"[^"]*")$`)
	leftover = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)
	// A folder of one machine, not part of an import path or an address.
	machinePath = regexp.MustCompile(`(^|[^\w.)}*-])/(work|root|farm)/`)
)

func lengths(f *File) []Finding {
	if n := bytes.Count(f.Src, []byte("\n")); n > maxLines {
		return []Finding{finding(f, 0, "%d lines, more than %d: look for the second subject", n, maxLines)}
	}
	return nil
}

// widths limits line lengths, except of long texts: a tag, a template, a document.
func widths(t *Tree) []Finding {
	var list []Finding
	for _, f := range t.Files {
		if !f.narrow() {
			continue
		}
		line, texts := 0, f.texts()
		for src := range bytes.Lines(f.Src) {
			line++
			src = bytes.TrimSuffix(src, []byte("\n"))
			if n := columns(src); n > maxColumns && !texts[line] && (f.Syntax != nil || !whole.Match(src)) {
				list = append(list, finding(f, line, "%d columns, more than %d", n, maxColumns))
			}
		}
	}
	return list
}

// narrow reports whether the file has a line limit.
func (f *File) narrow() bool {
	switch path.Ext(f.Path) {
	case ".go":
		return f.Syntax != nil && !f.Generated
	case ".graphqls":
		return f.Dir() == "."
	case ".css", ".html", ".js":
		return under(f.Dir(), "rest") && !f.vendored()
	}
	return false
}

func (f *File) vendored() bool {
	return slices.ContainsFunc(vendored, func(folder string) bool { return strings.HasPrefix(f.Path, folder) })
}

func (f *File) texts() map[int]bool {
	const long = 40
	lines := map[int]bool{}
	if f.Syntax == nil {
		return lines
	}
	for n := range ast.Preorder(f.Syntax) {
		text, ok := n.(*ast.BasicLit)
		if !ok || text.Kind != token.STRING || len(text.Value) < long {
			continue
		}
		for l := f.line(text); l <= f.line(text)+strings.Count(text.Value, "\n"); l++ {
			lines[l] = true
		}
	}
	return lines
}

func columns(line []byte) (n int) {
	for _, r := range string(line) {
		if r == '\t' {
			n += tabColumns - n%tabColumns
		} else {
			n++
		}
	}
	return n
}

func formatted(f *File) []Finding {
	want, err := format.Source(f.Src)
	if err != nil || !bytes.Equal(want, f.Src) {
		return []Finding{finding(f, 0, "run gofmt -w")}
	}
	return nil
}

// grep returns the rule that no hand-written text file matches re.
func grep(re *regexp.Regexp, text string) func(*Tree) []Finding {
	return func(t *Tree) (list []Finding) {
		for _, f := range t.Files {
			if f.Generated || f.vendored() || bytes.IndexByte(f.Src, 0) >= 0 {
				continue
			}
			line := 0
			for src := range bytes.Lines(f.Src) {
				line++
				if m := re.Find(src); m != nil {
					list = append(list, finding(f, line, "%q: %s", bytes.TrimSpace(m), text))
				}
			}
		}
		return list
	}
}
