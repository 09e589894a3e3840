package layout

import "testing"

func TestNilWraps(t *testing.T) {
	const head = "package x\n\nimport \"fmt\"\n\nfunc f() error {\n"
	const text = "graph/a.go:7: err may be nil here: ask for it in a branch of its own"
	file := func(body string) map[string]string {
		return map[string]string{"graph/a.go": head + body + "\treturn nil\n}\n"}
	}
	run(t, eachCode(nilWraps), []broken{
		{name: "with a count", want: []string{text},
			files: file("\tif err != nil || n != 1 {\n\t\treturn fmt.Errorf(\"%d: %w\", n, err)\n\t}\n")},
		{name: "the other way round", want: []string{text},
			files: file("\tif n, err := g(); n != 1 || (n > 2 || err != nil) {\n\t\treturn fmt.Errorf(\"x: %w\", " +
				"err)\n\t}\n")},
		{name: "by itself", files: file("\tif err != nil {\n\t\treturn fmt.Errorf(\"x: %w\", err)\n\t}\n")},
		{name: "with an and", files: file("\tif err != nil && n != 1 {\n\t\treturn fmt.Errorf(\"x: %w\", err)\n\t}\n")},
		{name: "another error", files: file(
			"\tif err != nil || n == 0 {\n\t\treturn fmt.Errorf(\"%w: x\", ErrX)\n\t}\n")},
		{name: "shown, not wrapped", files: file(
			"\tif err != nil || n == 0 {\n\t\treturn fmt.Errorf(\"%v\", err)\n\t}\n")},
	})
}
