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

// Limits of what functions do with text. They never shorten text that they only pass on.
const (
	maxText = 64 << 10 // bytes of the result of join, which is truncated there
	maxCase = 1 << 10  // bytes of a text that lower and upper convert
	maxKept = 2_000    // code points that truncate keeps at most
)

type function struct {
	least, most int // arguments, including one from a pipeline
	weight      int // cost of a call, in steps of about a microsecond
	call        any
}

// functions are all functions that templates can call. and, or and not are those of text/template,
// which return one of their arguments, or a boolean.
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

// Functions returns the names of the functions that templates can call, sorted.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }

// Functions that only this package adds to templates.
const (
	showName = "_show" // wraps what an action shows
	listName = "_list" // wraps what a range iterates over
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

// show returns what an action shows: the value as UTF-8 text. HTML from the service keeps its type,
// so that html/template escapes it everywhere except in text.
func show(v any) (any, error) {
	if made, ok := v.(template.HTML); ok {
		return made, nil
	}
	s, err := text(v)
	return strings.ToValidUTF8(s, "\uFFFD"), err
}

// text returns a value as text: "" for nothing, numbers without an exponent.
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
	return "", errors.New(kind(v) + " cannot be shown as text; use one of its values")
}

// list returns what a range iterates over: a list or nothing. text/template would also accept
// numbers, maps, channels and functions.
func list(v any) ([]any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	}
	return nil, errors.New("range requires a list, not " + kind(v))
}

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

// number returns a number of the data, a literal, or the index of a range, which text/template
// makes an int.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

// whole returns a number as a count, at least 0.
func whole(name string, v any) (int, error) {
	f, ok := number(v)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<31-1 {
		return 0, errors.New(name + " requires an integer, not " + kind(v))
	}
	return max(int(f), 0), nil
}

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
	return 0, errors.New("len requires a list or a text, not " + kind(v))
}

// index returns an element of a list by its index from 0, or a value of a group by its name;
// further keys go deeper. A missing one is nothing.
func index(v any, keys ...any) (any, error) {
	for _, key := range keys {
		switch in := v.(type) {
		case nil:
			return nil, nil
		case []any:
			f, ok := number(key)
			if !ok {
				return nil, errors.New("index of a list requires a number, not " + kind(key))
			}
			v = nil
			if f == math.Trunc(f) && f >= 0 && f < float64(len(in)) {
				v = in[int(f)]
			}
		case map[string]any:
			name, ok := key.(string)
			if !ok {
				return nil, errors.New("index of a group of values requires a name, not " + kind(key))
			}
			v = in[name]
		default:
			return nil, errors.New("index requires a list or a group of values, not " + kind(v))
		}
	}
	return v, nil
}

func first(n, of any) (any, error) {
	count, err := whole("first", n)
	if err != nil || of == nil {
		return nil, err
	}
	in, ok := of.([]any)
	if !ok {
		return nil, errors.New("first requires a list, not " + kind(of))
	}
	return in[:min(count, len(in)):min(count, len(in))], nil
}

// fallback implements default: it returns the second value, or the first if that is empty.
func fallback(other, v any) any {
	if truth, ok := template.IsTrue(v); ok && truth {
		return v
	}
	return other
}

// truncate returns the first n code points of a text, and "…" if that shortens it.
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

// cut returns the first n code points of s, and "…" if that shortens it.
func cut(s string, n int) string {
	for at := range s {
		if n == 0 {
			return strings.TrimRight(s[:at], " ") + "…"
		}
		n--
	}
	return s
}

// head returns at most the first n bytes of s, without a partial code point.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// join returns the elements of a list, joined by a text.
func join(of, between any) (string, error) {
	in, err := list(of)
	if err != nil {
		return "", errors.New("join requires a list, not " + kind(of))
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

// change returns a text in lower or upper case. A text longer than maxCase is unchanged: these
// functions are for labels, and converting code points takes time.
func change(v any, f func(string) string) (string, error) {
	s, err := text(v)
	if err != nil || len(s) > maxCase {
		return s, err
	}
	return f(s), nil
}
