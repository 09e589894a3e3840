package theme

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// sheet checks a stylesheet token by token, and writes it with new addresses. Browsers are lenient:
// it refuses whatever they might tokenize differently from this lexer.
type sheet struct {
	address func(raw string) (instead, detail string)
	note    func(detail string)

	out     []byte
	line    int
	open    []string // unclosed brackets, and functions by name
	binding bool     // the last word was behavior
}

// maxSheet is the largest size of a stylesheet, before and after rewriting, in bytes.
const maxSheet = 1 << 20

// rewrite checks a stylesheet and returns it with the addresses from s.address. The result is only
// valid if no problem was noted.
func (s *sheet) rewrite(text []byte) []byte {
	text, detail := plainSheet(text)
	if detail != "" {
		s.note(detail)
		return nil
	}
	s.line = 1
	// The lexer writes beyond the end of its input, so it gets a copy.
	for l := css.NewLexer(parse.NewInputBytes(append(make([]byte, 0, len(text)+1), text...))); ; {
		kind, token := l.Next()
		if kind == css.ErrorToken {
			return s.out
		}
		if detail := s.check(kind, token); detail != "" {
			s.note(fmt.Sprintf("Line %d: %s", s.line, detail))
		}
		if detail := s.exceeds(); detail != "" {
			s.note(detail)
			return nil
		}
		s.line += bytes.Count(token, []byte{'\n'})
	}
}

// maxOpen is how many brackets and functions may be open at once.
const maxOpen = 100

// exceeds bounds memory and time, independent of the input's size.
func (s *sheet) exceeds() string {
	switch {
	case len(s.out) > maxSheet:
		return "The stylesheet is larger than 1 MiB after the addresses of its images and fonts are inserted."
	case len(s.open) > maxOpen:
		return "The stylesheet nests more than 100 brackets."
	}
	return ""
}

// plainSheet preprocesses the text as browsers do (CSS Syntax 3, sections 3.2, 3.3), so that both
// tokenize the same.
func plainSheet(text []byte) (plain []byte, detail string) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return nil, "The stylesheet is not valid UTF-8 text."
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	const charset = `@charset "utf-8";`
	if len(text) >= len(charset) && strings.EqualFold(string(text[:len(charset)]), charset) {
		text = text[len(charset):]
	}
	for _, end := range []string{"\r\n", "\r", "\f"} {
		text = bytes.ReplaceAll(text, []byte(end), []byte{'\n'})
	}
	return text, ""
}

func (s *sheet) check(kind css.TokenType, token []byte) (detail string) {
	if kind == css.URLToken {
		return s.url(token)
	}
	s.out = append(s.out, token...)
	if detail := exotic(kind, token); detail != "" {
		return detail
	}
	binding := s.binding
	if kind != css.WhitespaceToken && kind != css.CommentToken {
		s.binding = false
	}
	switch kind {
	case css.AtKeywordToken:
		return atRule(unescape(token[1:]))
	case css.IdentToken:
		return s.word(unescape(token))
	case css.ColonToken:
		if binding {
			return "The property behavior runs code and is not allowed."
		}
	case css.FunctionToken:
		return s.function(unescape(token[:len(token)-1]))
	case css.StringToken:
		if s.inside(imageSet) && s.top() != "type" {
			return "Addresses in image-set() must be inside url()."
		}
	case css.LeftParenthesisToken, css.LeftBracketToken, css.LeftBraceToken:
		s.open = append(s.open, string(token))
	case css.RightParenthesisToken, css.RightBracketToken, css.RightBraceToken:
		s.close(token[0])
	}
	return ""
}

// exotic refuses tokens that end in an error, or that old and new browsers tokenize differently.
func exotic(kind css.TokenType, token []byte) string {
	switch kind {
	case css.BadStringToken:
		return "A quoted string does not end on its line."
	case css.BadURLToken:
		return "A url() is malformed."
	case css.StringToken:
		if !closed(token) {
			return "A quoted string does not end."
		}
		return ""
	case css.CommentToken:
		if len(token) < 4 || !bytes.HasSuffix(token, []byte("*/")) {
			return "A comment does not end."
		}
		return ""
	case css.IdentToken:
		return "" // non-ASCII letters at most split words
	case css.DelimToken:
		if token[0] == '\\' {
			return "A backslash escapes nothing."
		}
	}
	for _, c := range token {
		if c >= utf8.RuneSelf {
			return "Characters outside ASCII may only appear in strings, comments and class names."
		}
	}
	return ""
}

func atRule(name string) string {
	switch {
	case name == "import":
		return "@import is not allowed. Link all stylesheets in the theme's layout."
	case name == "charset":
		return "@charset is only allowed at the very beginning, with the value UTF-8."
	case name == "namespace", strings.HasSuffix(name, "document"):
		return "@" + name + " is not allowed."
	}
	return ""
}

func (s *sheet) word(name string) string {
	s.binding = name == "behavior" || name == "-ms-behavior"
	if name == "-moz-binding" {
		return "The property -moz-binding runs code and is not allowed."
	}
	return ""
}

// imageSet is the function in which a plain string is an address.
const imageSet = "image-set"

func (s *sheet) function(name string) string {
	inside := s.inside(imageSet)
	if name == "-webkit-image-set" {
		name = imageSet
	}
	s.open = append(s.open, name)
	switch {
	case name == "url":
		return "Write url( without backslashes."
	case name == "expression":
		return "expression() runs code and is not allowed."
	case name == "src", name == "image", strings.HasSuffix(name, "alphaimageloader"):
		return name + "() is not allowed. Write url() instead."
	case inside && name != "type":
		return "image-set() may only contain url(), resolutions and type()."
	}
	return ""
}

// close closes the innermost function or bracket. A closing bracket that does not match closes
// nothing.
func (s *sheet) close(c byte) {
	opener := byte('(')
	switch c {
	case ']':
		opener = '['
	case '}':
		opener = '{'
	}
	if top := s.top(); top != "" && (top[0] == opener || opener == '(' && top != "[" && top != "{") {
		s.open = s.open[:len(s.open)-1]
	}
}

func (s *sheet) top() string {
	if len(s.open) == 0 {
		return ""
	}
	return s.open[len(s.open)-1]
}

func (s *sheet) inside(function string) bool {
	return slices.Contains(s.open, function)
}

// url checks url(...) and writes its new address.
func (s *sheet) url(token []byte) string {
	s.binding = false
	raw, ok := target(token)
	if !ok {
		return "A url() does not end, or contains a backslash."
	}
	instead, detail := s.address(raw)
	s.out = append(append(append(s.out, `url("`...), instead...), `")`...)
	return detail
}
