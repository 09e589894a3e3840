// Package sample holds the themes that come with the program. The fonts in them
// are those of others: LICENSES.md names their authors and terms.
package sample

import (
	"embed"
	"encoding/hex"
	"io/fs"

	"github.com/storefront-go/storefront/ent/digest"
)

// Sample is a theme that comes with the program.
type Sample struct {
	Slug       string // in the marketplace; also the name of its folder
	Tagline    string
	Categories []string
	// Files is its folder: theme.json, templates and assets.
	Files fs.FS
	// Sum is the checksum of its package, so that who has that package need not read
	// the files; zero where that is not known.
	Sum digest.Sum
}

//go:embed linen voltage atelier
var folders embed.FS

// All returns the samples; new stores begin with the first one. Each call makes
// the list anew, so a caller may change it.
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
		// Sub fails on a name that is no path, and slugs are; a folder that is
		// missing fails the build above.
		list[i].Files, _ = fs.Sub(folders, list[i].Slug)
	}
	return list
}

// sum reads a checksum. The tests compare each with that of the files.
func sum(text string) (s digest.Sum) {
	_, _ = hex.Decode(s[:], []byte(text))
	return s
}
