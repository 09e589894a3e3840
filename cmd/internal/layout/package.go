package layout

import (
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

var untested = map[string]string{
	"ent/migrate/internal/plan": "ent/migrate plans, replays and compares with it on both engines",
	"ent/schema":                "declarations; their queries, migrations and policy are tested where they run",
}

var entries = []string{
	".ci", ".dockerignore", ".gitattributes", ".github", ".gitignore", ".golangci.yml", "LICENSE", "README.md",
	"cmd", "ent", "go.mod", "go.sum", "gqlgen.yml", "graph", "rest", "schema.graphqls",
}

// packageDocs requires package comments, except in completely generated packages.
func packageDocs(_ string, files []*File) string {
	name := files[0].Syntax.Name.Name
	start := "Package " + strings.TrimSuffix(name, "_test") + " "
	if name == "main" {
		start = "Command "
	}
	if slices.ContainsFunc(files, func(f *File) bool { return strings.HasPrefix(f.Syntax.Doc.Text(), start) }) {
		return ""
	}
	return "no file has a package comment that starts with " + strconv.Quote(start)
}

func packageTests(dir string, files []*File) string {
	tested := slices.ContainsFunc(files, (*File).Test)
	switch excused := untested[dir] != ""; {
	case !tested && !excused:
		return "the package has no test file"
	case tested && excused:
		return "the package has tests: take it off the list of exceptions"
	}
	return ""
}

// eachPackage returns the rule that calls ask for every package, and reports the texts.
func eachPackage(ask func(dir string, files []*File) string) func(*Tree) []Finding {
	return func(t *Tree) (list []Finding) {
		group := packages(t)
		for _, dir := range slices.Sorted(maps.Keys(group)) {
			if text := ask(dir, group[dir]); text != "" {
				list = append(list, Finding{Path: dir, Text: text})
			}
		}
		return list
	}
}

func topLevel(t *Tree) []Finding {
	seen := map[string]bool{}
	for _, f := range t.Files {
		seen[layer(f.Path)] = true
	}
	var list []Finding
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if !slices.Contains(entries, name) {
			list = append(list, Finding{
				Path: name, Text: "the top level does not hold this: CONTRIBUTING.md says where things go",
			})
		}
	}
	return list
}

// packages groups hand-written Go files by folder, without the programs of go:generate lines; files
// of the package itself come before external tests.
func packages(t *Tree) map[string][]*File {
	group := map[string][]*File{}
	for _, f := range t.Code() {
		if !f.Program() {
			group[f.Dir()] = append(group[f.Dir()], f)
		}
	}
	for dir, files := range group {
		tests := slices.DeleteFunc(slices.Clone(files), func(f *File) bool { return !f.Test() })
		group[dir] = append(slices.DeleteFunc(files, (*File).Test), tests...)
	}
	return group
}

// specName returns the name of an import in its file. Without an explicit one it is guessed from
// the path, as goimports does: the last element that is not a version.
func specName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	name, _ := strconv.Unquote(spec.Path.Value)
	base := path.Base(name)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" && path.Dir(name) != "." {
		base = path.Base(path.Dir(name))
	}
	return base
}
