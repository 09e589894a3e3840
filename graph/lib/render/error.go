package render

import (
	"cmp"
	"errors"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
	"unicode"
)

// Error is one error in a theme. All of it is safe to show.
type Error struct {
	Template string // path: "templates/home.html"; "" for the theme as a whole
	Line     int    // from 1; 0 for no line
	Detail   string
}

func (e *Error) Error() string {
	switch {
	case e.Template == "":
		return e.Detail
	case e.Line == 0:
		return e.Template + ": " + e.Detail
	}
	return e.Template + ", line " + strconv.Itoa(e.Line) + ": " + e.Detail
}

// Errors are the errors in a theme, by template and line, at most twenty.
type Errors []*Error

const maxErrors = 20

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Template, b.Template), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Detail, b.Detail))
	})
	e = slices.CompactFunc(e, func(a, b *Error) bool { return *a == *b })
	return e[:min(len(e), maxErrors)]
}

func at(t *parse.Tree, n parse.Node, detail string) *Error {
	path, line := place(t, n)
	return &Error{Template: path, Line: line, Detail: detail}
}

func place(t *parse.Tree, n parse.Node) (path string, line int) {
	loc, _ := t.ErrorContext(n)
	path, rest, _ := strings.Cut(loc, ":")
	number, _, _ := strings.Cut(rest, ":")
	line, _ = strconv.Atoi(number)
	return path, line
}

// Forms of the errors of text/template and its parser.
var (
	located = regexp.MustCompile(`(?s)^(?:html/)?template: ?([^:]+):(\d+)(?::\d+)?: (.*)$`)
	running = regexp.MustCompile(`(?s)^executing .*? at <.*?>: (.*)$`)
	calling = regexp.MustCompile(`(?s)^(?:wrong number of args|error calling \w+): (.*)$`)
	nothing = regexp.MustCompile(`^nil pointer evaluating .*\.(\w+)$`)
	nofield = regexp.MustCompile(`^can't evaluate field (\w+) in type .*$`)
)

// refusals explain html/template's errors in plain words.
var refusals = map[template.ErrorCode]string{
	template.ErrBranchEnd: "the branches of this {{if}}, {{with}} or {{range}} end in different places: one " +
		"inside a tag, an attribute or a comment, and another outside",
	template.ErrRangeLoopReentry: "this {{range}} begins and ends in different places: inside and outside of a tag, " +
		"an attribute or a comment",
	template.ErrEndContext: "the page ends inside a tag, an attribute, a comment, a <title> or a <textarea>: " +
		"something is not closed",
	template.ErrAmbigContext: "it is not clear which part of an address this value is; put the whole address into " +
		"each branch",
}

// asError converts an error of a template. path is the template to name if the error names none.
func asError(path string, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e := &Error{Template: path, Detail: unwrapped(err)}
	if h, ok := errors.AsType[*template.Error](err); ok {
		e.Detail = cmp.Or(refusals[h.ErrorCode], h.Description)
		if h.Node != nil {
			e.Template, e.Line = place(nil, h.Node)
		}
	} else if m := located.FindStringSubmatch(unwrapped(err)); m != nil {
		e.Template, e.Detail = m[1], m[3]
		e.Line, _ = strconv.Atoi(m[2])
	}
	e.Detail = plain(e.Detail)
	return e
}

// unwrapped returns the text of text/template's own error.
func unwrapped(err error) string {
	for inner := errors.Unwrap(err); inner != nil &&
		strings.HasPrefix(err.Error(), "render "); inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// plain shortens an error's text and removes Go-specific parts.
func plain(s string) string {
	for _, frame := range []*regexp.Regexp{running, calling} {
		if m := frame.FindStringSubmatch(s); m != nil {
			s = m[1]
		}
	}
	s = nothing.ReplaceAllString(s, ".$1 is read from a value that may be absent; put it inside {{with}} or {{if}}")
	s = nofield.ReplaceAllString(s, ".$1 is read from a value that has no fields")
	s = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	return cut(s, 300)
}
