// Package receiver holds small, complete webhook receivers in several languages, which the
// documentation shows. Each is one file without dependencies that serves on a local port, and
// checks itself against shared vectors with --vectors.
package receiver

import (
	"embed"
	"strings"
)

//go:embed verify.go verify.mjs verify.py verify.php
var files embed.FS

// Example is one receiver.
type Example struct {
	Language string // "Python"
	File     string // "verify.py"
	Source   string
}

// Examples returns the receivers, Go first.
func Examples() []Example {
	list := []Example{
		{Language: "Go", File: "verify.go"},
		{Language: "Node", File: "verify.mjs"},
		{Language: "Python", File: "verify.py"},
		{Language: "PHP", File: "verify.php"},
	}
	for i := range list {
		source, err := files.ReadFile(list[i].File)
		if err != nil {
			panic(err) // the line above embeds it
		}
		// The line excludes the program from this package's build; a copy needs none.
		list[i].Source = strings.TrimPrefix(string(source), "//go:build ignore\n\n")
	}
	return list
}
