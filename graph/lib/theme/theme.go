// Package theme reads the archives in which themes arrive and judges everything
// in them (contract, section 9). Archives come from anyone: nothing in one is
// believed, what is let through is listed, and time and memory do not grow with
// what an archive claims.
package theme

import (
	"io/fs"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
)

// Manifest is theme.json. Lengths are in code points.
type Manifest struct {
	Name        string  // 1 to 255
	Version     *string // up to 64 of 0-9, A-Z, a-z, ., + and -
	Author      *string // up to 255
	Description *string // up to 1000
	// Preview is the path of the asset that pictures the theme, or "".
	Preview string
	// Settings are what merchants may change, in the order in which they see them.
	Settings []Setting
}

// Asset is a stylesheet, font or image.
type Asset struct {
	Path        string // in the archive: "assets/style.css"
	Kind        state.AssetKind
	ContentType string
	Size        int64 // of what is served, in bytes
	Sum         digest.Sum
	Width       *int // in pixels; nil where an image does not say
	Height      *int
	// Body is what is served: for a stylesheet, with its addresses made those of
	// the other assets. A package that was parsed has none.
	Body []byte
}

// Package is all of a theme.
type Package struct {
	Manifest  Manifest
	Templates map[string]string // by path: "templates/home.html"
	Assets    []Asset           // by path
	// Ignored names the files of the archive that were left out. It is not encoded.
	Ignored []string
}

// Judged is an archive with what came of judging it: a package or an error.
type Judged struct {
	Archive []byte
	Package *Package
	Err     error
}

// Read judges a zip archive and returns what is in it. Its error is a *Problems.
// It may take seconds and some hundred megabytes for the worst archive; how many
// run at once is for the caller to say.
func Read(archive []byte) (*Package, error) {
	found := &Problems{}
	return judge(unzip(archive, found), found)
}

// ReadFS does the same with a folder. Its error is a *Problems.
func ReadFS(fsys fs.FS) (*Package, error) {
	found := &Problems{}
	return judge(walk(fsys, found), found)
}
