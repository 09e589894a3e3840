package layout

import (
	"fmt"
	"slices"
)

const maxSources = 40

// lists are packages that hold one file for each item of a list.
var lists = map[string]string{
	"ent/schema": "one file for each entity, and ent reads them as one package",
}

// changers are files of the domain that open transactions themselves.
var changers = map[string]string{
	"graph/domain/sales/number.go": "a block of order numbers is taken apart from the order, and is no change that " +
		"anybody made",
}

// changes makes the domain use graph/core, which writes the audit row and events of each commit.
func changes(f *File) []Finding {
	if _, domain := domains[f.Dir()]; !domain || f.Test() || changers[f.Path] != "" {
		return nil
	}
	const text = "changes are committed by graph/core: use Commit, Change or Remove"
	list := f.selects(text, "InTx")
	for path, name := range map[string]string{
		Module + "/graph/engine/audit": "Write", Module + "/graph/engine/outbox": "Append",
	} {
		for _, n := range f.uses(path, name) {
			list = append(list, finding(f, f.line(n), "%s: %s", name, text))
		}
	}
	return list
}

// counters are files of engines that write the version or the event sequence of rows themselves.
var counters = map[string]string{
	"graph/engine/erase/related.go":      "carts: they have no events, and one statement changes many",
	"graph/engine/install/add.go":        "a new theme, whose first event is written with it",
	"graph/engine/oauth/document_app.go": "an app that is a copy of its own document: nobody else changes it",
}

// versions makes engines change rows with graph/engine/change, which writes all that belongs to it.
func versions(f *File) []Finding {
	if !under(f.Dir(), "graph/engine") || f.Dir() == "graph/engine/change" || f.Test() || counters[f.Path] != "" {
		return nil
	}
	return f.selects("rows are changed with graph/engine/change",
		"SetVersion", "AddVersion", "SetEventSequence", "AddEventSequence")
}

func crowds(dir string, files []*File) string {
	sources := slices.DeleteFunc(slices.Clone(files), (*File).Test)
	if len(sources) <= maxSources || lists[dir] != "" {
		return ""
	}
	return fmt.Sprintf("%d source files, more than %d: split the package", len(sources), maxSources)
}
