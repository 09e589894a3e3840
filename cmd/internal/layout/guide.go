package layout

import (
	"bytes"
	"fmt"
	"go/doc"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	readme       = "README.md"
	contributing = ".github/CONTRIBUTING.md"
	packageMap   = ".github/PACKAGES.md"
)

// maxWords is the size of one screen, maxBytes what people can read before their first change.
const (
	maxWords = 900
	maxBytes = 12_000
)

func guideSizes(t *Tree) []Finding {
	var list []Finding
	for _, name := range []string{readme, contributing} {
		f := t.file(name)
		switch {
		case f == nil:
			list = append(list, Finding{Path: name, Text: "the file is missing"})
		case name == readme && len(bytes.Fields(f.Src)) > maxWords:
			list = append(list, finding(f, 0, "%d words, more than %d: move details to a guide",
				len(bytes.Fields(f.Src)), maxWords))
		case name == contributing && len(f.Src) > maxBytes:
			list = append(list, finding(f, 0, "%d bytes, more than %d: move details to RECIPES.md or TESTING.md",
				len(f.Src), maxBytes))
		}
	}
	return list
}

// reference is the destination of an inline link without a scheme, or a path from the root.
var reference = regexp.MustCompile(`\]\(([^):#]+)[^):]*\)|` +
	"[` ](?:\\./)?((?:\\.ci|cmd|ent|graph|rest)/[\\w./-]*\\w)")

// references checks that the files and folders that README.md and the documents in .github name exist.
func references(t *Tree) []Finding {
	var list []Finding
	for _, f := range t.Files {
		if path.Ext(f.Path) != ".md" || f.Path != readme && f.Dir() != ".github" {
			continue
		}
		for _, m := range reference.FindAllSubmatch(f.Src, -1) {
			to := string(m[2])
			if to == "" {
				to = path.Join(f.Dir(), string(m[1]))
			}
			if !slices.ContainsFunc(t.Files, func(f *File) bool { return under(f.Path, to) }) {
				list = append(list, finding(f, 0, "%s does not exist", to))
			}
		}
	}
	return list
}

func packageTable(t *Tree) []Finding {
	f := t.file(packageMap)
	if f == nil || !bytes.Equal(f.Src, PackageMap(t)) {
		return []Finding{{Path: packageMap, Text: "out of date: run go test ./cmd/internal/layout -update"}}
	}
	return nil
}

// PackageMap returns the content of PACKAGES.md: for each layer, its packages and the first
// sentence of each package comment. It leaves out packages that are internal to one other
// package.
func PackageMap(t *Tree) []byte {
	var b bytes.Buffer
	b.WriteString("# Packages\n\n" +
		"Generated from the package comments. To update this file, run `go test ./cmd/internal/layout -update`.\n")
	group := packages(t)
	for _, l := range []string{"ent", "graph", "rest", "cmd"} {
		fmt.Fprintf(&b, "\n## %s\n\n| package | purpose |\n|---|---|\n", l)
		for _, dir := range slices.Sorted(maps.Keys(group)) {
			parent, _, internal := strings.Cut(dir, "/internal/")
			if layer(dir) == l && (!internal || !strings.Contains(parent, "/")) {
				fmt.Fprintf(&b, "| `%s` | %s |\n", dir, purpose(group[dir]))
			}
		}
	}
	return b.Bytes()
}

// purpose returns the first sentence of a package's comment without its "Package name".
func purpose(files []*File) string {
	for _, f := range files {
		if text := f.Syntax.Doc.Text(); text != "" {
			words := strings.SplitN(new(doc.Package).Synopsis(text), " ", 3)
			sentence := strings.TrimSuffix(words[len(words)-1], ".")
			return strings.NewReplacer("|", `\|`, "[", "", "]", "").Replace(sentence)
		}
	}
	return ""
}
