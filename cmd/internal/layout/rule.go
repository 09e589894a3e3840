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
		{"layers import leftwards", layers},
		{"vocabulary stays free of dependencies", vocabulary},
		{"schema and rule import nothing generated", ungenerated},
		{"engines and libraries import along arrows", rooms},
		{"graph has domains, engines and libraries", plan},
		{"rest builds no queries", facade},
		{"libraries have one home", homes},
		{"environment and flags are read in cmd", settings},
		{"no update by id alone", updateOne},
		{"changes go through the core", changes},
		{"engines change rows through graph/engine/change", versions},
		{"packages stay small", crowds},
		{"transactions begin in ent", transactions},
		{"statements do not follow the order of a map", mapOrder},
		{"no wrapped error may be nil", nilWraps},
		{"tests do not sleep", sleeps},
		{"tests are not skipped", skips},
		{"every package has a doc comment", packageDocs},
		{"every package has tests", packageTests},
		{"PACKAGES.md is current", packageTable},
		{"README.md and CONTRIBUTING.md stay short", guideSizes},
		{"documents name what exists", references},
		{"the top level is closed", topLevel},
		{"files stay short", lengths},
		{"lines have at most 120 columns", widths},
		{"files are formatted", formatted},
		{"nothing is left to do", leftovers},
		{"no path of one machine", machinePaths},
		{"words are plain", plainWords},
		{"every root field is gated", gates},
		{"one catalogue of scopes", scopes},
	}
}

// finding returns a finding for a line of f.
func finding(f *File, line int, format string, args ...any) Finding {
	return Finding{Path: f.Path, Line: line, Text: fmt.Sprintf(format, args...)}
}

// layer returns the first element of a folder: "ent" of "ent/scope".
func layer(dir string) string {
	name, _, _ := strings.Cut(dir, "/")
	return name
}
