package theme

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxName is the length of the longest name of an entry in bytes.
const maxName = 200

// names judges the names and types of all entries: they come from outside, and
// none may mean anything but one plain file or folder below the theme's own.
func names(list []entry, found *Problems) {
	tree := paths{}
	for _, e := range list {
		detail := badName(e)
		if detail == "" {
			detail = tree.add(e)
		}
		found.note(e.name, detail)
	}
}

func badName(e entry) string {
	folder := strings.HasSuffix(e.name, "/")
	if detail := spelling(strings.TrimSuffix(e.name, "/")); detail != "" {
		return detail
	}
	switch {
	case e.mode&fs.ModeSymlink != 0:
		return "The entry is a symbolic link."
	case e.mode&^fs.ModeDir != 0:
		return "The entry is a special file."
	case e.mode.IsDir() != folder:
		return "The entry is a folder by its type, but not by its name."
	case folder && (e.size > 0 || e.packed > 8): // packing nothing takes a few bytes
		return "The entry is a folder, but it holds data."
	}
	return ""
}

// spelling judges the text of a name.
func spelling(name string) string {
	switch {
	case name == "":
		return "The entry has no name."
	case len(name) > maxName:
		return "The name is longer than 200 bytes."
	case strings.HasPrefix(name, "/"):
		return "The name is absolute."
	case strings.Contains(name, `\`):
		return "The name has a backslash."
	case len(name) > 1 && name[1] == ':':
		return "The name begins with the letter of a drive."
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7f }):
		return "The name has control characters or letters outside ASCII."
	case strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) }):
		return "The name has characters other than letters, digits, -, _, . and /."
	}
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "":
			return "The name has an empty part."
		case ".", "..":
			return "The name has . or .. as a part."
		}
	}
	return ""
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./", r)
}

// paths are the files and folders of an archive, by their names in small
// letters: on some systems these alone distinguish files.
type paths map[string]place

type place struct {
	name   string
	folder bool
	listed bool // has an entry of its own
}

// add takes an entry and its folders into the tree, or says what it clashes with.
func (p paths) add(e entry) string {
	name := strings.TrimSuffix(e.name, "/")
	for i, c := range name {
		if c != '/' {
			continue
		}
		if detail := p.put(place{name: name[:i], folder: true}); detail != "" {
			return detail
		}
	}
	return p.put(place{name: name, folder: e.mode.IsDir(), listed: true})
}

func (p paths) put(next place) string {
	key := strings.ToLower(next.name)
	old, ok := p[key]
	switch {
	case !ok:
	case old.name != next.name:
		return "The name differs from another one in capital letters alone."
	case old.folder != next.folder:
		return "The name is that of a file and of a folder too."
	case old.listed && next.listed:
		return "The archive has two entries of this name."
	}
	next.listed = next.listed || old.listed
	p[key] = next
	return ""
}

// manifestName is where the manifest lies.
const manifestName = "theme.json"

// files are the files that are part of the theme, under their names in it: what
// macOS adds is left out, and so is the one folder that all of it may lie in.
func files(list []entry) []entry {
	list = slices.DeleteFunc(slices.Clone(list), func(e entry) bool {
		return e.mode.IsDir() || strings.HasPrefix(e.name, "__MACOSX/") || path.Base(e.name) == ".DS_Store"
	})
	top := ""
	for _, e := range list {
		if folder, ok := strings.CutSuffix(e.name, "/"+manifestName); ok && !strings.Contains(folder, "/") {
			top = folder + "/"
		}
	}
	if slices.ContainsFunc(list, func(e entry) bool { return !strings.HasPrefix(e.name, top) }) {
		return list
	}
	for i := range list {
		list[i].name = strings.TrimPrefix(list[i].name, top)
	}
	return list
}

// What a file of a theme is, by its name.
type role int

const (
	stranger role = iota
	manifest
	template
	asset
)

// needed are the templates that every theme has; shell is the document around
// the others.
var needed = []string{shell, "templates/home.html", "templates/product.html", "templates/search.html",
	"templates/not_found.html"}

// spare are templates that a theme may have.
var spare = []string{"templates/page.html", "templates/products.html"}

const (
	shell    = "templates/layout.html"
	partials = "templates/partials/"
)

func roleOf(name string) role {
	_, known := mediaWith(extension(name))
	partial, within := strings.CutPrefix(name, partials)
	switch {
	case name == manifestName:
		return manifest
	case slices.Contains(spare, name), slices.Contains(needed, name):
		return template
	case within && !strings.Contains(partial, "/") && strings.HasSuffix(partial, ".html") && partial != ".html":
		return template
	case known && strings.HasPrefix(name, "assets/") && path.Base(name)[0] != '.':
		return asset
	}
	return stranger
}

// strange says why a file has no place in a theme.
func strange(name string) string {
	switch {
	case slices.Contains(archives, extension(name)):
		return "The file is an archive. A theme may not hold archives."
	case strings.HasPrefix(name, "templates/"):
		return "The file is none of the templates of a theme: layout, home, product, products, search, page " +
			"and not_found.html, and those in partials."
	case strings.HasPrefix(name, "assets/"):
		return "The file is of no type that assets may have: css, woff2, woff, ttf, otf, png, jpg, gif, webp and svg."
	}
	return "The file has no place in a theme, which has theme.json, templates and assets."
}
