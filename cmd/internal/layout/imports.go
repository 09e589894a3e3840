package layout

import (
	"path"
	"slices"
	"strings"
)

// order of the layers: a package imports its own layer and those before it.
var order = []string{"ent", "graph", "rest", "cmd"}

// words are the packages of the vocabulary: every layer speaks with them, so
// they carry no dependency into it.
var words = []string{
	"ent/scope", "ent/fault", "ent/event", "ent/xid", "ent/micros", "ent/currency",
	"ent/bucket", "ent/state", "ent/document", "ent/digest", "ent/cell", "ent/viewer",
}

// arrows are the only imports between leaves of graph.
var arrows = map[string][]string{
	"graph/attempt":       {"graph/egress"}, // its dials are judged
	"graph/export":        {"graph/blob", "graph/lease", "graph/notify", "graph/outbox", "graph/trail", "graph/wire", "graph/work"},
	"graph/idem":          {"graph/keyring"},                                                                                                                                           // stored answers are encrypted
	"graph/internal/exec": {"graph/model"},                                                                                                                                             // generated: the executor marshals the models
	"graph/notify":        {"graph/lease", "graph/work"},                                                                                                                               // one sender has a mail at a time
	"graph/model":         {"graph/strict", "graph/wire"},                                                                                                                              // scalars parse as bodies do; entities share their wire form with events
	"graph/install":       {"graph/blob", "graph/lease", "graph/notify", "graph/outbox", "graph/theme", "graph/theme/sample", "graph/wire", "graph/work"},                              // archives become themes
	"graph/link":          {"graph/keyring"},                                                                                                                                           // addresses are signed
	"graph/theme":         {"graph/render", "graph/strict"},                                                                                                                            // templates are judged by compiling them; the manifest is strict JSON
	"graph/theme/sample":  {"graph/render", "graph/theme"},                                                                                                                             // tests judge the samples as what strangers send
	"graph/oauth":         {"graph/apikey", "graph/keyring", "graph/notify", "graph/outbox", "graph/strict", "graph/trail", "graph/wire"},                                              // the whole of a grant's life in one transaction
	"graph/outbox":        {"graph/wire"},                                                                                                                                              // payloads are made of wire types
	"graph/page":          {"graph/keyring"},                                                                                                                                           // cursors are signed
	"graph/session":       {"graph/password"},                                                                                                                                          // signing in proves one
	"graph/webhook":       {"graph/attempt", "graph/egress", "graph/keyring", "graph/lease", "graph/model", "graph/notify", "graph/outbox", "graph/trail", "graph/wire", "graph/work"}, // from the outbox to the receiver, and what comes of it
}

// home says where a library may be imported.
type home struct {
	library string // import path; the packages below it too
	at      func(*File) bool
	where   string
}

var libraries = []home{
	{"github.com/99designs/gqlgen/graphql", speaksGraphQL, "graph's handler, directive, present, loader, model and tests"},
	{"github.com/gorilla/mux", below("rest"), "rest"},
	{"github.com/go-sql-driver/mysql", below("ent"), "ent"},
	{"modernc.org/sqlite", below("ent"), "ent"},
	{"github.com/mattn/go-sqlite3", below("ent"), "ent"},
	{"github.com/ncruces/go-sqlite3", below("ent"), "ent"},
	{"github.com/alecthomas/kong", below("cmd"), "cmd"},
	{"gocloud.dev", below("graph/blob"), "graph/blob"},
	{"github.com/aws/aws-sdk-go-v2", below("graph/blob"), "graph/blob"},
	{"github.com/wneessen/go-mail", below("graph/notify"), "graph/notify"},
}

func layers(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
		from, to := slices.Index(order, layer(f.Dir())), slices.Index(order, layer(i.Local()))
		if from >= 0 && to > from {
			return "the layer " + order[from] + " may not import " + i.Local()
		}
		return ""
	})
}

// vocabulary allows the standard library and other words; tests may compare
// with go-cmp too.
func vocabulary(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
		switch {
		case !slices.Contains(words, f.Dir()), standard(i.Path), slices.Contains(words, i.Local()):
			return ""
		case f.Test() && under(i.Path, "github.com/google/go-cmp"):
			return ""
		}
		return f.Dir() + " is vocabulary and may not import " + i.Path
	})
}

// ungenerated keeps the generator able to run when ent/db does not exist yet.
func ungenerated(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
		if (f.Dir() == "ent/schema" || f.Dir() == "ent/rule") && !f.Test() && under(i.Local(), "ent/db") {
			return f.Dir() + " must compile before " + i.Local() + " is generated"
		}
		return ""
	})
}

func leaves(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
		from, to := f.Dir(), i.Local()
		switch {
		case !strings.HasPrefix(from, "graph/") || !under(to, "graph"), from == "graph/graphtest":
			return "" // graphtest is for the tests of the layers above
		case to == "graph":
			return "a leaf may not import graph"
		case under(to, from), slices.Contains(arrows[from], to):
			return ""
		}
		return "no arrow leads from " + from + " to " + to
	})
}

// facade lets rest name entities, never predicates, and keeps its HTML and
// OAuth faces below it.
func facade(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
		switch dir := f.Dir(); {
		case under(dir, "rest") && strings.HasPrefix(i.Local(), "ent/db/"):
			return "rest builds no queries: " + i.Local()
		case (under(dir, "rest/oauth") || under(dir, "rest/web")) && i.Local() == "rest":
			return dir + " may not import rest"
		}
		return ""
	})
}

func homes(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
		for _, h := range libraries {
			if under(i.Path, h.library) && !h.at(f) {
				return i.Path + " is imported in " + h.where + " only"
			}
		}
		return ""
	})
}

func speaksGraphQL(f *File) bool {
	switch f.Dir() {
	case "graph/model", "graph/internal/exec":
		return true
	case "graph":
		subject, _, _ := strings.Cut(strings.TrimSuffix(path.Base(f.Path), ".go"), "_")
		return f.Test() || slices.Contains([]string{"handler", "directive", "present", "loader"}, subject)
	}
	return false
}

func below(root string) func(*File) bool {
	return func(f *File) bool { return under(f.Dir(), root) }
}

// standard tells whether an import path is of the standard library: its first
// element has no dot.
func standard(name string) bool {
	return !strings.Contains(layer(name), ".")
}

// eachImport asks about every import of every file, generated ones too.
func eachImport(t *Tree, ask func(*File, Import) string) []Finding {
	var list []Finding
	for _, f := range t.Files {
		for _, i := range f.Imports() {
			if text := ask(f, i); text != "" {
				list = append(list, finding(f, i.Line, "%s", text))
			}
		}
	}
	return list
}
