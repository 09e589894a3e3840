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
			Sum:        sum("ba6a6a15b6e6eaf6aaf3135f1044b143f39115dc012d715d0623b6f868ff82a1"),
			Tagline:    "Calm and editorial, with a woven swatch for every product",
			Categories: []string{"home", "craft", "fashion"},
		},
		{
			Slug:       "voltage",
			Sum:        sum("8e05cac7041f48ca084d83e1daf05147d2d9fb3f3e372db34c1599be84eb53a5"),
			Tagline:    "Dark and dense, for catalogs with many parts",
			Categories: []string{"electronics", "tools", "sport"},
		},
		{
			Slug:       "atelier",
			Sum:        sum("cf7cd4eda3e668a52afc5c7a94e84f78525bff97e0cecff87abfcdbf8e3f25a4"),
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
