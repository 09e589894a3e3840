package render

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
	"unicode/utf8"
)

// Limits of the templates of a theme.
const (
	maxTemplate    = 256 << 10 // bytes of one
	maxTemplates   = 2 << 20   // bytes of all
	maxDefinitions = 200       // templates in all files together
)

const (
	layoutPath = "templates/layout.html"
	content    = "content"
)

var (
	filePath = regexp.MustCompile(`^templates/partials/[A-Za-z0-9_./-]{1,180}\.html$`)
	defName  = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,100}$`)
)

type trees map[string]*parse.Tree

// names returns the names in order, so that the same theme always has the same errors.
func names(t trees) []string { return slices.Sorted(maps.Keys(t)) }

type source struct {
	root   *parse.Tree      // the layout
	layout trees            // templates that the layout defines and pages may redefine
	shared trees            // partials: the files, and the templates that they define
	own    map[string]trees // the templates that each page defines
}

func read(templates map[string]string) (*source, Errors) {
	if errs := measure(templates); len(errs) > 0 {
		return nil, errs
	}
	s := &source{layout: trees{}, shared: trees{}, own: map[string]trees{}}
	var errs Errors
	defined := 0
	for _, path := range slices.Sorted(maps.Keys(templates)) {
		set, err := parseFile(path, templates[path])
		if err == nil {
			err = s.add(path, set)
		}
		if err != nil {
			errs = append(errs, err)
		}
		defined += len(set)
	}
	if defined > maxDefinitions {
		errs = append(errs, &Error{Detail: "the theme defines more than 200 templates"})
	}
	return s, errs
}

// measure checks sizes and counts before parsing, so that parsing is bounded.
func measure(templates map[string]string) Errors {
	var errs Errors
	for _, path := range append([]string{"layout"}, pages...) {
		if _, ok := templates[pathOf(path)]; !ok && standIns[path] == "" {
			errs = append(errs, &Error{Template: pathOf(path), Detail: "the theme has no such template"})
		}
	}
	var all scan
	size := 0
	for path, text := range templates {
		size += len(text)
		if err := measureFile(path, text, &all); err != nil {
			errs = append(errs, err)
		}
	}
	if size > maxTemplates {
		errs = append(errs, &Error{Detail: "the templates have more than 2 MiB in total"})
	}
	return append(errs, all.tooMuch()...)
}

func measureFile(path, text string, all *scan) *Error {
	switch {
	case path != layoutPath && !filePath.MatchString(path) && pageOf(path) == "":
		return &Error{Detail: strconv.Quote(cut(path, 100)) +
			" is not a template path; templates are layout, home, product, search, page, not_found " +
			"and partials/NAME.html"}
	case len(text) > maxTemplate:
		return &Error{Template: path, Detail: "the template has more than 256 KiB"}
	case !utf8.ValidString(text):
		return &Error{Template: path, Detail: "the template is not valid UTF-8"}
	}
	return all.file(path, text)
}

// parseFile parses one file into the templates that it defines, by name, and itself, by path.
// Functions are checked later, with a better message.
func parseFile(path, text string) (set trees, err *Error) {
	defer func() {
		if r := recover(); r != nil {
			set, err = nil, &Error{Template: path, Detail: "the template cannot be read"}
		}
	}()
	set = trees{}
	t := parse.New(path)
	t.Mode = parse.SkipFuncCheck
	if _, e := t.Parse(text, "", "", set); e != nil {
		return nil, asError(path, e)
	}
	for _, name := range names(set) {
		if tree := set[name]; name != path && (!defName.MatchString(name) || strings.HasPrefix(name, "templates/")) {
			return nil, at(tree, tree.Root,
				`a template's name consists of at most 100 letters, digits and _ . / - and does not begin with `+
					`"templates/"`)
		}
	}
	return set, nil
}

func (s *source) add(path string, set trees) *Error {
	main := set[path]
	delete(set, path)
	page := pageOf(path)
	switch {
	case path == layoutPath:
		s.root, s.layout = main, set
		return nil
	case page != "":
		s.own[page] = set
		if !parse.IsEmptyTree(main.Root) {
			return &Error{Template: path,
				Detail: `what stands outside of {{define}} is never shown; put it into {{define "content"}}`}
		}
		if set[content] == nil {
			return &Error{Template: path, Detail: `the template does not define "content"`}
		}
		return nil
	}
	if main != nil {
		set[strings.TrimPrefix(path, "templates/")] = main
	}
	for _, name := range names(set) {
		if s.shared[name] != nil {
			return at(set[name], set[name].Root, "another partial defines a template of the same name")
		}
		s.shared[name] = set[name]
	}
	return nil
}

// visible returns the templates that a page can call, by name.
func (s *source) visible(page string) (trees, error) {
	all := maps.Clone(s.layout)
	maps.Copy(all, s.own[page])
	for _, name := range names(s.shared) {
		if other := all[name]; other != nil {
			return nil, at(other, other.Root, "a partial defines a template of the same name")
		}
		all[name] = s.shared[name]
	}
	if all[content] == nil {
		return nil, errors.New(`the page does not define "content"`)
	}
	return all, nil
}

func (s *source) all(f func(*parse.Tree)) {
	f(s.root)
	for _, set := range append([]trees{s.layout, s.shared}, slices.Collect(maps.Values(s.own))...) {
		for _, tree := range set {
			f(tree)
		}
	}
}
