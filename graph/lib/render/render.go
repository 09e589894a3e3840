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

// MaxOutput is the largest size of a page, in bytes.
const MaxOutput = 1 << 20

// Errors that end a page while it is rendered.
var (
	ErrTooLarge = errors.New("the page is larger than 1 MiB")
	ErrTooLong  = errors.New("the page takes too many steps")
	ErrTooSlow  = errors.New("the page takes too much time")
)

var errBroken = errors.New("the template cannot be executed")

// pages are the kinds of pages, and the names of their templates.
var pages = []string{"home", "product", "search", "not_found", textPage, listPage}

// Pages whose templates are optional.
const (
	textPage = "page"     // written by the merchant
	listPage = "products" // the list of all products
)

// standIns replace missing ones of those templates.
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

// Theme is a theme's compiled templates. It is safe for concurrent use.
type Theme struct {
	pages map[string]*template.Template
	room  sync.Pool // of *bytes.Buffer: pages are rendered here before they are written
}

// Compile checks and compiles templates, by path: "templates/layout.html". asset returns the
// address of an asset by its path. settings returns values of the theme's settings for trying the
// templates: all, or as few as possible.
//
// Its error is [Errors], by template and line, and safe to show.
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

// Has reports whether the theme can show a page. The layout of a theme that is older than a kind of
// page may not fit it.
func (t *Theme) Has(page string) bool { return t.pages[page] != nil }

// add compiles a page and tries it. A panic of html/template refuses the theme.
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

// try executes a page with data, full and empty. It has more time than a page for a visitor,
// because a busy machine must not refuse a theme.
func (t *Theme) try(page string, all ...map[string]any) error {
	for _, data := range all {
		var out bytes.Buffer
		if err := execute(t.pages[page], newMeter(&out, 10*maxTime), data); err != nil {
			return err
		}
		if what := forbidden(out.String()); what != nil {
			return &Error{Template: pathOf(page),
				Detail: "the rendered page contains " + what.what + "; " + what.why}
		}
		if err := checkRendered(page, out.String()); err != nil {
			return err
		}
	}
	return nil
}

// Render writes a page: "home", "product", "products", "search", "not_found" or "page". The data
// consists of map[string]any, []any, string, bool, float64, nil and, for HTML from the service
// itself, [template.HTML].
//
// It writes nothing if it fails. An error is [ErrTooLarge], [ErrTooLong], [ErrTooSlow], an [*Error]
// that names template and line, the error of w, or an error about the data.
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

// execute renders a page. text/template passes on run-time panics; a bug in it, or in
// html/template, fails this page and not the process.
func execute(p *template.Template, w io.Writer, data map[string]any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errBroken
		}
	}()
	return p.Execute(w, data)
}

// asCause returns the errors of limits unchanged and converts errors of templates to [Error].
func asCause(page string, err error) error {
	if slices.ContainsFunc([]error{ErrTooLarge, ErrTooLong, ErrTooSlow},
		func(limit error) bool { return errors.Is(err, limit) }) {
		return err
	}
	return asError(pathOf(page), err)
}

func pathOf(page string) string { return "templates/" + page + ".html" }

func pageOf(path string) string {
	for _, page := range pages {
		if pathOf(page) == path {
			return page
		}
	}
	return ""
}
