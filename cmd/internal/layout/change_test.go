package layout

import (
	"fmt"
	"testing"
)

func TestChanges(t *testing.T) {
	const body = "package sales\n\nimport \"" + Module +
		"/graph/engine/audit\"\n\nfunc f() {\n\ts.InTx(ctx, g)\n\taudit.Write(ctx)\n}\n"
	run(t, eachCode(changes), []broken{
		{name: "the core", files: map[string]string{"graph/core/a.go": body}},
		{name: "a leaf", files: map[string]string{"graph/engine/oauth/a.go": body}},
		{name: "a test", files: map[string]string{"graph/domain/sales/a_test.go": body}},
		{name: "the domain", files: map[string]string{"graph/domain/sales/a.go": body}, want: []string{
			"graph/domain/sales/a.go:6: InTx: changes are committed by graph/core: use Commit, Change or Remove",
			"graph/domain/sales/a.go:7: Write: changes are committed by graph/core: use Commit, Change or Remove",
		}},
	})
}

func TestVersions(t *testing.T) {
	const body = "package x\n\nfunc f() { u.Where(x).SetVersion(2).AddEventSequence(1) }\n"
	run(t, eachCode(versions), []broken{
		{name: "the pipeline, the domain and a test", files: map[string]string{"graph/engine/change/a.go": body,
			"graph/domain/sales/a.go": body, "graph/engine/task/a_test.go": body}},
		{name: "an engine", files: map[string]string{"graph/engine/task/a.go": body}, want: []string{
			"graph/engine/task/a.go:3: AddEventSequence: rows are changed with graph/engine/change",
			"graph/engine/task/a.go:3: SetVersion: rows are changed with graph/engine/change",
		}},
	})
}

func TestCrowds(t *testing.T) {
	files := map[string]string{"graph/b/a.go": "package b\n"}
	for i := range maxSources + 1 {
		files[fmt.Sprintf("graph/a/%d.go", i)] = "package a\n"
		files[fmt.Sprintf("graph/b/%d_test.go", i)] = "package b\n"
	}
	run(t, eachPackage(crowds), []broken{{name: "too many", files: files,
		want: []string{"graph/a: 41 source files, more than 40: split the package"}}})
}
