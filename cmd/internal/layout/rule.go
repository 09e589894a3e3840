package layout

import (
	"fmt"
	"strings"
)

// Finding is one violation of a rule.
type Finding struct {
	Path string
	Line int // 0: the whole file or folder
	Text string
}

// String returns "path:line: text", which editors can follow.
func (f Finding) String() string {
	if f.Line == 0 {
		return f.Path + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Text)
}

// Rule is one rule of the repository.
type Rule struct {
	Name  string
	Check func(*Tree) []Finding
}

// Rules returns every rule, in the order of CONTRIBUTING.md.
func Rules() []Rule {
	return []Rule{
		{"layers import leftwards", eachImport(layers)},
		{"vocabulary stays free of dependencies", eachImport(vocabulary)},
		{"schema and rule import nothing generated", eachImport(ungenerated)},
		{"engines and libraries import along arrows", eachImport(rooms)},
		{"graph has domains, engines and libraries", eachPackage(plan)},
		{"rest builds no queries", eachImport(facade)},
		{"libraries have one home", eachImport(homes)},
		{"environment and flags are read in cmd", eachCode(settings)},
		{"no update by id alone", eachCode(updateOne)},
		{"changes go through the core", eachCode(changes)},
		{"engines change rows through graph/engine/change", eachCode(versions)},
		{"packages stay small", eachPackage(crowds)},
		{"transactions begin in ent", eachCode(transactions)},
		{"statements do not follow the order of a map", eachCode(mapOrder)},
		{"no wrapped error may be nil", eachCode(nilWraps)},
		{"tests do not sleep", eachCode(sleeps)},
		{"tests are not skipped", eachCode(skips)},
		{"every package has a doc comment", eachPackage(packageDocs)},
		{"every package has tests", eachPackage(packageTests)},
		{"PACKAGES.md is current", packageTable},
		{"README.md and CONTRIBUTING.md stay short", guideSizes},
		{"documents name what exists", references},
		{"the top level is closed", topLevel},
		{"files stay short", eachCode(lengths)},
		{"lines have at most 120 columns", widths},
		{"files are formatted", eachCode(formatted)},
		{"nothing is left to do", grep(leftover, "finish it or open an issue")},
		{"no path of one machine", grep(machinePath, "a path of one machine")},
		{"words are plain", plainWords},
		{"every root field is gated", gates},
		{"one catalogue of scopes", scopes},
	}
}

func finding(f *File, line int, format string, args ...any) Finding {
	return Finding{Path: f.Path, Line: line, Text: fmt.Sprintf(format, args...)}
}

// layer returns the first element of a folder: "ent" of "ent/scope".
func layer(dir string) string {
	name, _, _ := strings.Cut(dir, "/")
	return name
}
