package theme

import (
	"fmt"
	"slices"
	"strings"
)

// maxProblems is how many problems are reported at once.
const maxProblems = 20

// Problems is everything found wrong with an archive, at most 20.
type Problems struct{ List []Problem }

// Problem is one thing wrong with an archive.
type Problem struct {
	Path   string // of the entry, or "" for the archive itself
	Detail string // a sentence that is safe to show
}

// String is the sentence with the entry's name in front.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Detail
	}
	return p.Path + ": " + p.Detail
}

// Error implements error: one problem a line.
func (p *Problems) Error() string {
	lines := make([]string, len(p.List))
	for i, problem := range p.List {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// add notes what is wrong with the entry at path. What is there already, or is
// one too many, is left out.
func (p *Problems) add(path, format string, args ...any) {
	problem := Problem{show(path), fmt.Sprintf(format, args...)}
	if slices.Contains(p.List, problem) {
		return
	}
	if !p.full() {
		p.List = append(p.List, problem)
	}
}

// note adds a sentence unless it is empty, which is how the judges say that all
// is well.
func (p *Problems) note(path, detail string) {
	if detail != "" {
		p.add(path, "%s", detail)
	}
}

func (p *Problems) full() bool { return len(p.List) >= maxProblems }

func (p *Problems) any() bool { return len(p.List) > 0 }

// maxShown is how much of a hostile text is repeated, in bytes.
const maxShown = 200

// show makes a hostile text one short word of visible ASCII.
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
