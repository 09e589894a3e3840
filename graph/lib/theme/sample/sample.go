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
			Sum:        sum("d3e331d62abc08b618543dcfce24a94ab6e9190989d29064442fc8ce3cfd9d3e"),
			Tagline:    "Calm and editorial, with a woven swatch for every product",
			Categories: []string{"home", "craft", "fashion"},
		},
		{
			Slug:       "voltage",
			Sum:        sum("66a49963d02b4fa7b09aacbcb9f87ac781cd37dc1c490dd9c7e9176e828cb34f"),
			Tagline:    "Dark and dense, for catalogues with many parts",
			Categories: []string{"electronics", "tools", "sport"},
		},
		{
			Slug:       "atelier",
			Sum:        sum("37848e5ffecc12615cc4d55cfc46ae74547f8f6aa2da2af9c6aac8b789db6fa8"),
			Tagline:    "Warm blocks of colour, rounded and playful",
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
