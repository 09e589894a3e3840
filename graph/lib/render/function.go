package render

import (
	"errors"
	"html/template"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of what functions do with text. Text of the data itself, which they
// only pass on, is never shortened.
const (
	maxText = 64 << 10 // bytes that join makes: what would be longer ends there
	maxCase = 1 << 10  // bytes of a text that lower and upper change
	maxKept = 2_000    // code points that truncate keeps
)

// function is what templates may call.
type function struct {
	least, most int // arguments, with the one that a pipeline hands over
	weight      int // of a call, in steps: about a microsecond each
	call        any
}

// functions are all that templates can call. and, or and not are those of
// text/template, which return one of their arguments, or a boolean.
var functions = map[string]function{
	"and":      {1, 10, 1, nil},
	"or":       {1, 10, 1, nil},
	"not":      {1, 1, 1, nil},
	"eq":       {2, 10, 1, equal},
	"ne":       {2, 2, 1, func(a, b any) (bool, error) { same, err := equal(a, b); return !same, err }},
	"lt":       {2, 2, 1, comparison("lt", func(c int) bool { return c < 0 })},
	"le":       {2, 2, 1, comparison("le", func(c int) bool { return c <= 0 })},
	"gt":       {2, 2, 1, comparison("gt", func(c int) bool { return c > 0 })},
	"ge":       {2, 2, 1, comparison("ge", func(c int) bool { return c >= 0 })},
	"len":      {1, 1, 20, length},
	"index":    {2, 5, 1, index},
	"first":    {2, 2, 1, first},
	"default":  {2, 2, 1, fallback},
	"truncate": {2, 2, 5, truncate},
	"join":     {2, 2, 100, join},
	"lower":    {1, 1, 20, func(v any) (string, error) { return change(v, strings.ToLower) }},
	"upper":    {1, 1, 20, func(v any) (string, error) { return change(v, strings.ToUpper) }},
	"asset":    {1, 1, 1, nil}, // replaced by its result when a theme is compiled
}

// Functions returns the names of what templates can call, in the order of the alphabet.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }

// Functions that only this package puts into templates.
const (
	showName = "_show" // what an action shows
	listName = "_list" // what a range goes over
)

func funcMap() template.FuncMap {
	m := template.FuncMap{showName: show, listName: list}
	for name, f := range functions {
		if f.call != nil {
			m[name] = f.call
		}
	}
	return m
}

// show is what an action shows: the text of a value, as UTF-8. HTML of the service
// stays what it is, so that html/template escapes it wherever it stands but in text.
func show(v any) (any, error) {
	if made, ok := v.(template.HTML); ok {
		return made, nil
	}
	s, err := text(v)
	return strings.ToValidUTF8(s, "\uFFFD"), err
}

// text is a value as text: nothing as nothing, numbers without an exponent.
func text(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	if f, ok := number(v); ok {
		return strconv.FormatFloat(f, 'f', -1, 64), nil
	}
	return "", errors.New(kind(v) + " cannot be shown as text; name one of its values")
}

// list is what a range goes over: a list or nothing. text/template would also go
// over numbers, maps, channels and functions.
func list(v any) ([]any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	}
	return nil, errors.New("range goes over a list, and this is " + kind(v))
}

// kind names the kind of a value.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case string:
		return "text"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	case map[string]any:
		return "a group of values"
	case template.HTML:
		return "formatted text"
	}
	return "a number"
}

// number is a number of the data, a literal, or the index of a range, which
// text/template makes an int.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

// whole is a number that counts something; below 0 it is 0.
func whole(name string, v any) (int, error) {
	f, ok := number(v)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<31-1 {
		return 0, errors.New(name + " takes a whole number, and this is " + kind(v))
	}
	return max(int(f), 0), nil
}

// length counts: elements of a list, values of a group, code points of text.
func length(v any) (float64, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case string:
		return float64(utf8.RuneCountInString(v)), nil
	case []any:
		return float64(len(v)), nil
	case map[string]any:
		return float64(len(v)), nil
	}
	return 0, errors.New("len takes a list or text, and this is " + kind(v))
}

// index finds an element of a list by its place from 0, or a value of a group by
// its name, and so on inside it. What is not there is nothing.
func index(v any, keys ...any) (any, error) {
	for _, key := range keys {
		switch in := v.(type) {
		case nil:
			return nil, nil
		case []any:
			f, ok := number(key)
			if !ok {
				return nil, errors.New("index takes a number for a list, and this is " + kind(key))
			}
			v = nil
			if f == math.Trunc(f) && f >= 0 && f < float64(len(in)) {
				v = in[int(f)]
			}
		case map[string]any:
			name, ok := key.(string)
			if !ok {
				return nil, errors.New("index takes a name for a group of values, and this is " + kind(key))
			}
			v = in[name]
		default:
			return nil, errors.New("index takes a list or a group of values, and this is " + kind(v))
		}
	}
	return v, nil
}

// first is the first n elements of a list.
func first(n, of any) (any, error) {
	count, err := whole("first", n)
	if err != nil || of == nil {
		return nil, err
	}
	in, ok := of.([]any)
	if !ok {
		return nil, errors.New("first takes a list, and this is " + kind(of))
	}
	return in[:min(count, len(in)):min(count, len(in))], nil
}

// fallback is default: the second value, or the first where that is empty.
func fallback(other, v any) any {
	if truth, ok := template.IsTrue(v); ok && truth {
		return v
	}
	return other
}

// truncate is the first n code points of a text, and "…" where that shortens it.
func truncate(n, v any) (string, error) {
	count, err := whole("truncate", n)
	if err != nil {
		return "", err
	}
	if count > maxKept {
		return "", errors.New("truncate keeps at most 2,000 code points")
	}
	s, err := text(v)
	return cut(s, count), err
}

// cut is the first n code points of s, and "…" where that shortens it.
func cut(s string, n int) string {
	for at := range s {
		if n == 0 {
			return strings.TrimRight(s[:at], " ") + "…"
		}
		n--
	}
	return s
}

// head is the first n bytes of s, and no part of a code point.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// join is the elements of a list with a text between them.
func join(of, between any) (string, error) {
	in, err := list(of)
	if err != nil {
		return "", errors.New("join takes a list, and this is " + kind(of))
	}
	sep, err := text(between)
	if err != nil {
		return "", err
	}
	var parts []string
	size := 0
	for i := 0; i < len(in) && size < maxText; i++ {
		s, err := text(in[i])
		if err != nil {
			return "", err
		}
		if i > 0 {
			size += len(sep)
		}
		parts = append(parts, s)
		size += len(s)
	}
	var b strings.Builder
	b.Grow(min(size, maxText))
	for i, s := range parts {
		if i > 0 {
			b.WriteString(head(sep, maxText-b.Len()))
		}
		b.WriteString(head(s, maxText-b.Len()))
	}
	return b.String(), nil
}

// change is a text in lower or upper case. A text longer than maxCase stays as it
// is: these are for labels, and going through code points takes its time.
func change(v any, f func(string) string) (string, error) {
	s, err := text(v)
	if err != nil || len(s) > maxCase {
		return s, err
	}
	return f(s), nil
}
