package theme

import (
	"bytes"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// readManifest reads theme.json. An absent member, null and "" mean the same.
func readManifest(b []byte, found *Problems) Manifest {
	v, err := wire.Parse(bytes.TrimPrefix(b, []byte("\ufeff")))
	if err != nil {
		found.note(manifestName, "The file is not valid JSON: "+reason(err)+".")
		return Manifest{}
	}
	r, err := wire.NewReader(v)
	if err != nil {
		found.note(manifestName, "The file must contain a JSON object.")
		return Manifest{}
	}
	m := Manifest{Version: text(r, "version"), Author: text(r, "author"), Description: text(r, "description")}
	if name := text(r, "name"); name != nil {
		m.Name = *name
	}
	if preview := text(r, "preview"); preview != nil {
		m.Preview = *preview
	}
	m.Settings = readSettings(r)
	fields := r.Fields()
	for _, f := range fields {
		found.add(manifestName, "%s: %s", show(strings.TrimPrefix(f.Pointer, "#/")), f.Detail)
	}
	if len(fields) == 0 {
		m.check(found)
	}
	return m
}

func text(r *wire.Reader, name string) *string {
	if s := r.String(name); s != nil && *s != "" {
		return s
	}
	return nil
}

// reason returns what follows the colon in an error of package wire.
func reason(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		_, text, _ := strings.Cut(f.Detail, ": ")
		return strings.TrimSuffix(text, ".")
	}
	return "it is damaged"
}

func (m Manifest) check(found *Problems) {
	if strings.TrimSpace(m.Name) == "" {
		found.note(manifestName, "The theme needs a name.")
	}
	for _, f := range []struct {
		name  string
		value *string
		max   int
		lines bool
	}{
		{"name", &m.Name, limit.Line, false},
		{"version", m.Version, limit.Version, false},
		{"author", m.Author, limit.Line, false},
		{"description", m.Description, limit.ThemeDescription, true},
	} {
		switch {
		case f.value == nil:
		case *f.value == "" && f.name != "name":
			found.add(manifestName, "%s is empty.", f.name) // only in a package: reading turns it into an absent text
		case utf8.RuneCountInString(*f.value) > f.max:
			found.add(manifestName, "%s is longer than %d characters.", f.name, f.max)
		case strings.ContainsFunc(*f.value,
			func(r rune) bool { return unicode.IsControl(r) && (!f.lines || r != '\t' && r != '\n') }):
			found.add(manifestName, "%s has control characters.", f.name)
		}
	}
	if m.Version != nil &&
		strings.ContainsFunc(*m.Version,
			func(r rune) bool { return r == '_' || r == '/' || r != '+' && !nameRune(r) }) {
		found.note(manifestName, "version may contain only letters, digits, dots, + and -.")
	}
	m.checkSettings(found)
}

func (p *Package) checkPreview(found *Problems) {
	if p.Manifest.Preview != "" && !p.hasImage(p.Manifest.Preview) {
		found.note(manifestName, "preview is not the path of an image in the theme.")
	}
}
