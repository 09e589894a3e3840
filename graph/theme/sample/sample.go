// Package sample holds the themes that come with the program.
package sample

import "io/fs"

// Sample is a theme that comes with the program.
type Sample struct {
	Slug       string // in the marketplace
	Tagline    string
	Categories []string
	// Files is its folder: theme.json, templates and assets.
	Files fs.FS
}

// All returns the samples; new stores begin with the first one.
func All() []Sample { return nil }
