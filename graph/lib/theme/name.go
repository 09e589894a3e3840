package theme

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxName is the longest name of an entry, in bytes.
const maxName = 200

// names checks the names and types of all entries, including those that are left out later: each
// must mean one plain file or folder below the theme's own.
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
	if detail := unsafe(strings.TrimSuffix(e.name, "/")); detail != "" {
		return detail
	}
	switch {
	case e.mode&fs.ModeSymlink != 0:
		return "The entry is a symbolic link."
	case e.mode&^fs.ModeDir != 0:
		return "The entry is a special file."
	case e.mode.IsDir() != folder:
		return "The entry is a folder, but its name does not end with a slash."
	case folder && (e.size > 0 || e.packed > 8): // compressing nothing takes a few bytes
		return "The entry is a folder, but it contains data."
	}
	return ""
}

// checkName checks the name of a file that is part of a theme. Files that are left out only have to
// be safe ([unsafe]).
func checkName(name string) string {
	if detail := unsafe(name); detail != "" {
		return detail
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) }) {
		return "The name has characters other than letters, digits, -, _, . and /."
	}
	return ""
}

// unsafe returns what is wrong if a name could mean anything but a file below the theme's folder.
func unsafe(name string) string {
	switch {
	case name == "":
		return "The entry has no name."
	case len(name) > maxName:
		return "The name is longer than 200 bytes."
	case strings.HasPrefix(name, "/"):
		return "The name is absolute."
	case len(name) > 1 && name[1] == ':':
		return "The name starts with a drive letter."
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }), !utf8.ValidString(name):
		return "The name has control characters or is not UTF-8."
	}
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "":
			return "The name has an empty part."
		case ".", "..":
			return "The name contains . or .. as a part."
		}
	}
	return ""
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./", r)
}

// paths are the files and folders of an archive, by lowercase name, since some systems do not
// distinguish case.
type paths map[string]place

type place struct {
	name   string
	folder bool
	listed bool // has its own entry
}

// add adds an entry and its folders, or returns what it conflicts with.
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
		return "The name differs from another one only in case."
	case old.folder != next.folder:
		return "The name is used by both a file and a folder."
	case old.listed && next.listed:
		return "The archive has two entries with this name."
	}
	next.listed = next.listed || old.listed
	p[key] = next
	return ""
}

const manifestName = "theme.json"

// files returns the files of the theme, under their paths in it, and the names of files that were
// left out, such as a repository's README or .gitignore. Folders and files that macOS adds are
// dropped silently.
func files(list []entry) (kept []entry, ignored []string) {
	top := topFolder(list)
	for _, e := range list {
		if e.mode.IsDir() || strings.HasPrefix(e.name, "__MACOSX/") || path.Base(e.name) == ".DS_Store" {
			continue
		}
		name, within := strings.CutPrefix(e.name, top)
		if !within || harmless(name) {
			ignored = append(ignored, show(e.name))
			continue
		}
		e.name = name
		kept = append(kept, e)
	}
	return kept, ignored
}

// topFolder returns the single folder that contains the theme, with its slash, if the manifest is
// not at the top.
func topFolder(list []entry) string {
	top := ""
	for _, e := range list {
		folder, ok := strings.CutSuffix(e.name, manifestName)
		switch {
		case !ok || strings.Count(folder, "/") > 1 || folder == "__MACOSX/":
		case folder == "":
			return ""
		case !strings.HasSuffix(folder, "/") || top != "":
			return "" // another file, or two manifests: none belongs to the theme
		default:
			top = folder
		}
	}
	return top
}

// harmless reports whether a file that does not belong to a theme may be left out. Archives are
// refused instead, since the theme may be inside.
func harmless(name string) bool {
	base := strings.ToLower(path.Base(name))
	switch {
	case roleOf(name) != stranger || slices.Contains(archives, extension(name)):
		return false
	case !strings.HasPrefix(name, "templates/") && !strings.HasPrefix(name, "assets/"):
		return true
	}
	return base[0] == '.' || slices.Contains([]string{"thumbs.db", "desktop.ini", "license", "readme"}, base) ||
		slices.Contains([]string{"md", "txt"}, extension(name))
}

type role int

const (
	stranger role = iota
	manifest
	template
	asset
)

// needed are the required templates. shell is the document around the others.
var needed = []string{shell, "templates/home.html", "templates/product.html", "templates/search.html",
	"templates/not_found.html"}

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

// whyRefused says why a file that is not [harmless] does not belong to a theme.
func whyRefused(name string) string {
	switch {
	case slices.Contains(archives, extension(name)):
		return "The file is an archive. A theme must not contain archives."
	case strings.HasPrefix(name, "templates/"):
		return "The file is not a template that themes may have: layout, home, product, products, search, page " +
			"and not_found.html, and files in partials."
	}
	return "The file type is not allowed. Assets may be css, woff2, woff, ttf, otf, png, jpg, gif, webp or svg."
}
