// Package theme reads the archives of themes and checks everything in them (contract, section 9).
// Archives are untrusted: only known contents are allowed, and time and memory do not grow with
// what an archive claims.
package theme

import (
	"io/fs"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
)

// Manifest is theme.json. Lengths are in code points.
type Manifest struct {
	Name        string  // 1 to 255 characters
	Version     *string // up to 64 characters of 0-9, A-Z, a-z, ., + and -
	Author      *string // up to 255 characters
	Description *string // up to 1000 characters
	// Preview is the path of the asset that shows the theme, or "".
	Preview string
	// Settings are what merchants may change, in display order.
	Settings []Setting
}

// Asset is a stylesheet, font or image.
type Asset struct {
	Path        string // in the archive: "assets/style.css"
	Kind        state.AssetKind
	ContentType string
	Size        int64 // as served, in bytes
	Sum         digest.Sum
	Width       *int // in pixels; nil if an image does not say
	Height      *int
	// Body is what is served: in a stylesheet, addresses are replaced by those of the assets. It is
	// nil in a parsed package.
	Body []byte
}

// Package is the complete content of a theme.
type Package struct {
	Manifest  Manifest
	Templates map[string]string // by path: "templates/home.html"
	Assets    []Asset           // by path
	// Ignored are the files of the archive that were left out. It is not encoded.
	Ignored []string
}

// Judged is an archive with the result of reading it: a package or an error.
type Judged struct {
	Archive []byte
	Package *Package
	Err     error
}

// Read checks a zip archive and returns its contents. Its error is a *Problems. The worst archives
// take seconds and some hundred megabytes; the caller bounds how many calls run at once.
func Read(archive []byte) (*Package, error) {
	found := &Problems{}
	return check(unzip(archive, found), found)
}

// ReadFS is [Read] for a folder. Its error is a *Problems.
func ReadFS(fsys fs.FS) (*Package, error) {
	found := &Problems{}
	return check(walk(fsys, found), found)
}
