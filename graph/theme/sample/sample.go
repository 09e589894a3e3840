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
			Sum:        sum("1f81f7d9102b15879de25d576b365912e465750bf3d64b7dfcc43752e99d9970"),
			Tagline:    "Calm and editorial, with a woven swatch for every product",
			Categories: []string{"home", "craft", "fashion"},
		},
		{
			Slug:       "voltage",
			Sum:        sum("38fc76d241bda26c42cd32cfdb0191bffaa6cb72db54e7f13622845f5040cc05"),
			Tagline:    "Dark and dense, for catalogues with many parts",
			Categories: []string{"electronics", "tools", "sport"},
		},
		{
			Slug:       "atelier",
			Sum:        sum("e9d8cc8d8e32e07d387bde8ebbba3873a1823874b8ee1fcc39172fa47af4a641"),
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
