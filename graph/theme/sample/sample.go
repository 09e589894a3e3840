// Package sample holds the themes that come with the program. The fonts in them
// are those of others: LICENSES.md names their authors and terms.
package sample

import (
	"embed"
	"io/fs"
)

// Sample is a theme that comes with the program.
type Sample struct {
	Slug       string // in the marketplace; also the name of its folder
	Tagline    string
	Categories []string
	// Files is its folder: theme.json, templates and assets.
	Files fs.FS
}

//go:embed linen voltage atelier
var folders embed.FS

// All returns the samples; new stores begin with the first one. Each call makes
// the list anew, so a caller may change it.
func All() []Sample {
	list := []Sample{
		{
			Slug:       "linen",
			Tagline:    "Calm and editorial, with a woven swatch for every product",
			Categories: []string{"home", "craft", "fashion"},
		},
		{
			Slug:       "voltage",
			Tagline:    "Dark and dense, for catalogues with many parts",
			Categories: []string{"electronics", "tools", "sport"},
		},
		{
			Slug:       "atelier",
			Tagline:    "Warm blocks of colour, rounded and playful",
			Categories: []string{"gifts", "children", "craft"},
		},
	}
	for i := range list {
		// Sub fails on a name that is no path, and slugs are; a folder that is
		// missing fails the build above.
		list[i].Files, _ = fs.Sub(folders, list[i].Slug)
	}
	return list
}
