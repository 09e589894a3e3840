// Package sample contains the themes that are part of the program. Their fonts are by other
// authors: LICENSES.md has the names and terms.
package sample

import (
	"embed"
	"encoding/hex"
	"io/fs"

	"github.com/storefront-go/storefront/ent/digest"
)

// Sample is a theme that is part of the program.
type Sample struct {
	Slug       string // in the marketplace; also its folder's name
	Tagline    string
	Categories []string
	// Files is the folder: theme.json, templates and assets.
	Files fs.FS
	// Sum is the checksum of the theme's package, with which the files need not be read if that
	// package exists; zero if unknown.
	Sum digest.Sum
}

//go:embed linen voltage atelier
var folders embed.FS

// All returns the samples. New stores begin with the first one. Each call returns a new list.
func All() []Sample {
	list := []Sample{
		{
			Slug:       "linen",
			Sum:        sum("25f5bd3e33c9a802ab65172a11fad9950e1389f5944cde0b13bd68e165a49a6d"),
			Tagline:    "Calm and editorial, with a woven swatch for every product",
			Categories: []string{"home", "craft", "fashion"},
		},
		{
			Slug:       "voltage",
			Sum:        sum("564ff8b8e7702c681eb4ce6eb7c7dae0de33bec315607189c66d6fe18c6f90d3"),
			Tagline:    "Dark and dense, for catalogs with many parts",
			Categories: []string{"electronics", "tools", "sport"},
		},
		{
			Slug:       "atelier",
			Sum:        sum("4717e6440a780c63166d1bf54dc06ddd27920b1740a55158a7382239c6443fce"),
			Tagline:    "Warm blocks of color, rounded and playful",
			Categories: []string{"gifts", "children", "craft"},
		},
	}
	for i := range list {
		// Sub fails only for an invalid path, which slugs are not; a missing folder fails the
		// build.
		list[i].Files, _ = fs.Sub(folders, list[i].Slug)
	}
	return list
}

// sum parses a checksum. Tests compare it with that of the files.
func sum(text string) (s digest.Sum) {
	_, _ = hex.Decode(s[:], []byte(text))
	return s
}
