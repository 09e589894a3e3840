package theme

import (
	"fmt"
	"slices"
	"strings"
)

const maxProblems = 20

// Problems are the problems of an archive, at most 20.
type Problems struct{ List []Problem }

// Problem is one problem of an archive.
type Problem struct {
	Path   string // of the entry, or "" for the archive itself
	Detail string // a sentence that is safe to show
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Detail
	}
	return p.Path + ": " + p.Detail
}

func (p *Problems) Error() string {
	lines := make([]string, len(p.List))
	for i, problem := range p.List {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// add adds a problem of the entry at path, unless it is a duplicate or exceeds the maximum.
func (p *Problems) add(path, format string, args ...any) {
	problem := Problem{show(path), fmt.Sprintf(format, args...)}
	if slices.Contains(p.List, problem) {
		return
	}
	if !p.full() {
		p.List = append(p.List, problem)
	}
}

// note adds a sentence unless it is "", which checks return if there is no problem.
func (p *Problems) note(path, detail string) {
	if detail != "" {
		p.add(path, "%s", detail)
	}
}

func (p *Problems) full() bool { return len(p.List) >= maxProblems }

func (p *Problems) any() bool { return len(p.List) > 0 }

// maxShown is how many bytes of a hostile text are repeated.
const maxShown = 200

// show returns a hostile text as one short word of visible ASCII.
func show(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if b.Len() >= maxShown {
			b.WriteString("...")
			break
		}
		if c := text[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String()
}
