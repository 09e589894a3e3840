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
			Sum:        sum("4728f99f7a01f9c889680989d207a54e63c39fd8ca2c356b898e1c9b2cd142d6"),
			Tagline:    "Calm and editorial, with a woven swatch for every product",
			Categories: []string{"home", "craft", "fashion"},
		},
		{
			Slug:       "voltage",
			Sum:        sum("8287c5c008715c4ed88c5a98151abe5258f72560ecbb883238c48e31c3dc0c2f"),
			Tagline:    "Dark and dense, for catalogs with many parts",
			Categories: []string{"electronics", "tools", "sport"},
		},
		{
			Slug:       "atelier",
			Sum:        sum("1c81be503e469533369ce87398e9107041dd184d51aa2b24371966a2a5f193f9"),
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
