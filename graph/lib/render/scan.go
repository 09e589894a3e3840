package render

import (
	"strings"
	"unicode"
)

// Limits of the actions of a theme. They are checked before parsing, because the parser nests as
// deeply as its input and creates a node for every few bytes.
const (
	maxNesting = 40        // nested blocks; an "else if" nests too
	maxParens  = 20        // nested parentheses
	maxAction  = 2 << 10   // bytes of one action
	maxActions = 4_000     // of a theme
	maxInside  = 256 << 10 // bytes inside the actions of a theme
)

type scan struct {
	actions int
	inside  int
}

func (s *scan) tooMuch() Errors {
	switch {
	case s.actions > maxActions:
		return Errors{{Detail: "the theme has more than 4,000 actions"}}
	case s.inside > maxInside:
		return Errors{{Detail: "the theme has more than 256 KiB of actions"}}
	}
	return nil
}

// file counts the actions of one template and checks their nesting. It reads actions as the lexer
// of text/template does; it may miscount what that refuses.
func (s *scan) file(path, text string) *Error {
	var open blocks
	for pos := 0; ; {
		i := strings.Index(text[pos:], "{{")
		if i < 0 {
			return nil
		}
		start := pos + i
		inner := start + 2
		if strings.HasPrefix(text[inner:], "-") && len(text) > inner+1 &&
			strings.IndexByte(" \t\r\n", text[inner+1]) >= 0 {
			inner += 2
		}
		end, depth := actionEnd(text, inner)
		s.actions++
		s.inside += end - start
		problem := ""
		switch {
		case strings.HasPrefix(text[inner:], "/*"):
		case end-start > maxAction:
			problem = "an action has more than 2,048 bytes"
		case depth > maxParens:
			problem = "parentheses are nested more than 20 deep"
		case open.enter(words(text[inner:end])) > maxNesting:
			problem = "blocks are nested more than 40 deep"
		}
		if problem != "" {
			return &Error{Template: path, Line: 1 + strings.Count(text[:start], "\n"), Detail: problem}
		}
		pos = end
	}
}

// actionEnd returns the end of the action whose inside begins at pos, after its "}}", and the depth
// of its parentheses. An unterminated action ends with the text.
func actionEnd(text string, pos int) (end, deepest int) {
	if strings.HasPrefix(text[pos:], "/*") {
		if i := strings.Index(text[pos+2:], "*/"); i >= 0 {
			return pos + 2 + i + 2, 0
		}
		return len(text), 0
	}
	depth := 0
	for pos < len(text) {
		switch c := text[pos]; {
		case c == '"' || c == '\'' || c == '`':
			pos = quoteEnd(text, pos)
			continue
		case c == '(':
			depth++
			deepest = max(deepest, depth)
		case c == ')':
			depth--
		case c == '}' && strings.HasPrefix(text[pos:], "}}"):
			return pos + 2, deepest
		}
		pos++
	}
	return len(text), deepest
}

func quoteEnd(text string, pos int) int {
	quote := text[pos]
	for i := pos + 1; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i + 1
		case text[i] == '\\' && quote != '`':
			i++
		case text[i] == '\n' && quote != '`':
			return len(text) // the parser refuses it
		}
	}
	return len(text)
}

// blocks are the open blocks: how many levels of nesting each has.
type blocks []int

// words returns the first two words of an action, or "".
func words(action string) (first, second string) {
	rest := strings.TrimLeft(action, " \t\r\n")
	n := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if n <= 0 {
		return "", ""
	}
	first, rest = rest[:n], strings.TrimLeft(rest[n:], " \t\r\n")
	n = strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
	return first, rest[:max(n, 0)]
}

// enter takes the first words of an action and returns the depth of nesting after it.
func (b *blocks) enter(first, second string) int {
	switch {
	case first == "if", first == "range", first == "with", first == "block", first == "define":
		*b = append(*b, 1)
	case len(*b) == 0:
	case first == "else" && second != "":
		(*b)[len(*b)-1]++
	case first == "end":
		*b = (*b)[:len(*b)-1]
	}
	depth := 0
	for _, levels := range *b {
		depth += levels
	}
	return depth
}
