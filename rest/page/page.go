package page

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed frame.html page.css passkey.js
var files embed.FS

// policy allows the page its stylesheet and images of the same host, and forbids frames and
// scripts. It has no form-action on purpose: browsers apply that to the redirect after a POST too,
// so it would block the consent page, whose answer leads to the app. The templates fix where forms
// are sent, and the server where redirects lead.
const policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"

// scripted is the policy of a page that defines "script": our own script may run and call this
// host.
const scripted = policy + "; script-src 'self'; connect-src 'self'"

// frame is the layout with its parts; each page is a clone.
var frame = template.Must(template.New("frame.html").ParseFS(files, "frame.html"))

var message = template.Must(template.Must(frame.Clone()).Parse(
	`{{define "title"}}{{.Title}}{{end}}{{define "main"}}<h1>{{.Title}}</h1><p>{{.Text}}</p>{{end}}`))

var failure = template.Must(template.Must(frame.Clone()).Parse(`{{define "title"}}{{.Title}}{{end}}{{define "main" -}}
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
{{with .Wait}}<p>Wait {{.}} s, then try again.</p>
{{end}}<div class="buttons">{{range .Links}}<a class="button" href="{{.Href}}">{{.Text}}</a>
{{end}}</div>
<p class="soft request">{{.Status}} · <code>{{.Request}}</code></p>{{end}}`))

// Field is one input of a form with its label, for the part "field".
type Field struct {
	Name, Label string
	// Type is text, password or email, as in HTML. The value email only selects the keyboard for
	// addresses: browsers rewrite international domains in a type=email, and such accounts could
	// not sign in.
	Type  string
	Value string
	// Autocomplete is the autocomplete token for password managers: username, current-password,
	// new-password.
	Autocomplete string
	Hint         string // what to enter
	Error        string // what is wrong with the value
	Required     bool
	Autofocus    bool
	MaxLength    int // in UTF-16 units, as browsers count; 0 is unlimited
}

// Button submits its form, for the part "button".
type Button struct {
	Label       string
	Name, Value string // sent with the form; without Name neither is
	Secondary   bool   // not the suggested action
}

// Set is the pages of one package. A page is parsed on first use, so that a server that answers
// only API requests holds none in memory.
type Set struct {
	pages map[string]func() (*page, error)
	log   *slog.Logger
}

type page struct {
	template *template.Template
	policy   string
}

// New creates a page for every file *.html of templates, in any folder. It fails if two files have
// the same name. A nil logger logs nothing.
func New(templates fs.FS, log *slog.Logger) (*Set, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Set{pages: map[string]func() (*page, error){}, log: log}
	err := fs.WalkDir(templates, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".html" {
			return err
		}
		name := strings.TrimSuffix(path.Base(file), ".html")
		if s.pages[name] != nil {
			return fmt.Errorf("%s: another page has this name", file)
		}
		s.pages[name] = sync.OnceValues(func() (*page, error) { return parse(templates, file) })
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	return s, nil
}

// Check parses every page, for tests. It fails for a file that does not parse, or lacks "title" or
// "main".
func (s *Set) Check() error {
	for _, parsed := range s.pages {
		if _, err := parsed(); err != nil {
			return err
		}
	}
	return nil
}

func parse(templates fs.FS, file string) (*page, error) {
	text, err := fs.ReadFile(templates, file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	t, err := frame.Clone()
	if err != nil {
		return nil, fmt.Errorf("clone the frame: %w", err)
	}
	if _, err := t.New(file).Parse(string(text)); err != nil {
		return nil, err // the error names the file
	}
	if t.Lookup("title") == nil || t.Lookup("main") == nil {
		return nil, fmt.Errorf("%s: define \"title\" and \"main\"", file)
	}
	if strings.Contains(string(text), `{{define "script"}}`) {
		return &page{t, scripted}, nil
	}
	return &page{t, policy}, nil
}

// Render answers with a page, rendered completely before the first byte is sent. A page that fails
// is logged and answered with a message and status 500.
func (s *Set) Render(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	body, allowed, err := s.render(name, data)
	if err != nil {
		s.log.ErrorContext(r.Context(), "page failed", "page", name, "error", err)
		Message(w, r, http.StatusInternalServerError, "Something went wrong",
			"We have logged the error. Try again later.")
		return
	}
	send(w, r, status, allowed, body)
}

func (s *Set) render(name string, data any) (body []byte, allowed string, err error) {
	parsed := s.pages[name]
	if parsed == nil {
		return nil, "", errors.New("there is no such page")
	}
	p, err := parsed()
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	if err := p.template.Execute(&b, data); err != nil {
		return nil, "", fmt.Errorf("render: %w", err)
	}
	return b.Bytes(), p.policy, nil
}

// Link is a link to another page.
type Link struct{ Href, Text string }

// Failure is the page of a failed request.
type Failure struct {
	Status      int
	Title, Text string
	// Wait is the number of seconds to wait before trying again, or "".
	Wait string
	// Request is the request id in the log.
	Request string
	// Links lead to other pages; an empty address is the page itself.
	Links []Link
}

// Send answers with the page.
func (f Failure) Send(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	_ = failure.Execute(&b, f) // strings in a template of ours cannot fail, as in Message
	send(w, r, f.Status, policy, b.Bytes())
}

// Message answers with a page that shows a message, such as why a request was refused. The text is
// one paragraph.
func Message(w http.ResponseWriter, r *http.Request, status int, title, text string) {
	var b bytes.Buffer
	// Two strings in a template of ours, into memory: it cannot fail.
	_ = message.Execute(&b, struct{ Title, Text string }{title, text})
	send(w, r, status, policy, b.Bytes())
}

// Guard sets the headers of every page, which a redirect between pages should have too. There is no
// Cross-Origin-Opener-Policy: it would cut off the window of an app that has opened the consent
// page in a popup and waits for its answer.
func Guard(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY") // for browsers without frame-ancestors
	h.Set("X-Content-Type-Options", "nosniff")
	// Addresses here may hold an app's state, so no other site may see them. Under no-referrer a
	// browser would also hide the origin of our own forms.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// Redirect answers 303: the browser requests the address with GET, whatever the method was. The
// caller has checked the address.
func Redirect(w http.ResponseWriter, address string) {
	h := w.Header()
	Guard(h)
	h.Set("Location", address)
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusSeeOther)
}

func send(w http.ResponseWriter, r *http.Request, status int, allowed string, body []byte) {
	h := w.Header()
	Guard(h)
	h.Set("Content-Security-Policy", allowed)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}
