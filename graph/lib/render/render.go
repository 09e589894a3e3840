package render

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"sync"
)

// MaxOutput is the most bytes that a page may have.
const MaxOutput = 1 << 20

// What ends a page while it is made.
var (
	ErrTooLarge = errors.New("the page is larger than 1 MiB")
	ErrTooLong  = errors.New("the page takes too many steps")
	ErrTooSlow  = errors.New("the page takes too much time")
)

var errBroken = errors.New("the template cannot be executed")

// pages are the kinds of pages, and the names of their templates.
var pages = []string{"home", "product", "search", "not_found", textPage, listPage}

// Pages whose templates a theme need not have.
const (
	textPage = "page"     // what the merchant writes
	listPage = "products" // the list of all products
)

// standIns stand in for those templates.
var standIns = map[string]string{
	textPage: `{{define "content"}}<article><h1>{{.article.title}}</h1>{{.article.body}}</article>{{end}}`,
	listPage: `{{define "content"}}<section><h1>{{.list.title}}</h1>
{{- with .list.description}}<p>{{.}}</p>{{end}}
{{- range .list.filters}}<p>{{.name}}:{{range .values}} <a href="{{.url}}"{{if .current}} aria-current="true"` +
		`{{end}}>{{.title}}</a>{{end}}</p>{{end}}
{{- with .list.sorts}}<p>{{range .}} <a href="{{.url}}"{{if .current}} aria-current="true"{{end}}>{{.title}}` +
		`</a>{{end}}</p>{{end}}
{{- with .list.products}}<ul>{{range .}}<li><a href="{{.url}}">{{.title}}</a> {{.price}}</li>{{end}}</ul>{{end}}
{{- with .list.previous_url}}<a href="{{.}}" rel="prev">←</a> {{end -}}
{{with .list.next_url}}<a href="{{.}}" rel="next">→</a>{{end}}</section>{{end}}`,
}

// Theme is the compiled templates of a theme. It may be used by many at once.
type Theme struct {
	pages map[string]*template.Template
	room  sync.Pool // of *bytes.Buffer: pages are made here before they are written
}

// Compile checks and compiles templates, which are named by their paths:
// "templates/layout.html". asset returns the address of an asset by its path, settings the
// values of the theme's settings with which it is tried: all, or as few as there can be.
//
// Its error is [Errors]: what is wrong, by template and line, and safe to show.
func Compile(templates map[string]string, asset func(path string) (url string, ok bool),
	settings func(full bool) map[string]any,
) (*Theme, error) {
	own := maps.Clone(templates)
	if own == nil {
		own = map[string]string{}
	}
	for page, text := range standIns {
		if _, ok := templates[pathOf(page)]; !ok {
			own[pathOf(page)] = text
		}
	}
	src, errs := read(own)
	if len(errs) == 0 {
		errs = src.check(asset)
	}
	if len(errs) > 0 {
		return nil, errs.sorted()
	}
	t := &Theme{pages: make(map[string]*template.Template, len(pages))}
	for _, name := range pages {
		err := t.add(name, src, settings)
		_, has := templates[pathOf(name)]
		if err != nil && standIns[name] != "" && !has {
			delete(t.pages, name) // the layout is for other pages: see Has
			continue
		}
		if err != nil {
			errs = append(errs, asError(pathOf(name), err))
		}
	}
	if len(errs) > 0 {
		return nil, errs.sorted()
	}
	return t, nil
}

// Has reports whether the theme can show a page: one that was made before there were such
// pages may have a layout that does not fit them.
func (t *Theme) Has(page string) bool { return t.pages[page] != nil }

// add compiles a page and tries it. A fault of html/template refuses the theme.
func (t *Theme) add(page string, src *source, settings func(full bool) map[string]any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errBroken
		}
	}()
	p, err := src.page(page)
	if err != nil {
		return err
	}
	if err := escape(p); err != nil {
		return err
	}
	t.pages[page] = p
	full, empty := SampleData(page), emptyData(page)
	full["settings"], empty["settings"] = settings(true), settings(false)
	return t.try(page, full, empty)
}

// try executes a page with data, full and empty. It has more time than a
// page that a customer waits for: a busy machine must not refuse a theme.
func (t *Theme) try(page string, all ...map[string]any) error {
	for _, data := range all {
		var out bytes.Buffer
		if err := execute(t.pages[page], newMeter(&out, 10*maxTime), data); err != nil {
			return err
		}
		if what := forbidden(out.String()); what != nil {
			return &Error{Template: pathOf(page),
				Detail: "the page, once it is made, holds " + what.what + "; " + what.why}
		}
		if err := made(page, out.String()); err != nil {
			return err
		}
	}
	return nil
}

// Render writes a page: "home", "product", "products", "search", "not_found"
// or "page". The data
// consists of map[string]any, []any, string, bool, float64, nil and, for HTML that the
// service made itself, [template.HTML].
//
// Nothing is written when the page cannot be made. An error is [ErrTooLarge],
// [ErrTooLong], [ErrTooSlow], an [*Error] that names template and line, that of
// w, or says what is wrong with the data.
func (t *Theme) Render(w io.Writer, page string, data map[string]any) error {
	p, ok := t.pages[page]
	if !ok {
		return fmt.Errorf("render: there is no page %q", page)
	}
	if err := closed(data); err != nil {
		return fmt.Errorf("render page %s: %w", page, err)
	}
	buf, ok := t.room.Get().(*bytes.Buffer)
	if !ok {
		buf = new(bytes.Buffer)
	}
	defer t.room.Put(buf)
	buf.Reset()
	if err := execute(p, newMeter(buf, maxTime), data); err != nil {
		return fmt.Errorf("render page %s: %w", page, asCause(page, err))
	}
	_, err := w.Write(buf.Bytes())
	return err
}

// execute makes a page. text/template passes panics of the runtime on; a fault
// of it, or of html/template, costs this page and not the process.
func execute(p *template.Template, w io.Writer, data map[string]any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errBroken
		}
	}()
	return p.Execute(w, data)
}

// asCause keeps the limits as they are and turns errors of templates into [Error].
func asCause(page string, err error) error {
	if slices.ContainsFunc([]error{ErrTooLarge, ErrTooLong, ErrTooSlow},
		func(limit error) bool { return errors.Is(err, limit) }) {
		return err
	}
	return asError(pathOf(page), err)
}

// pathOf is the path of a page's template.
func pathOf(page string) string { return "templates/" + page + ".html" }

// pageOf is the page of a template, or "".
func pageOf(path string) string {
	for _, page := range pages {
		if pathOf(page) == path {
			return page
		}
	}
	return ""
}
