// Package theme reads the archives in which themes arrive and judges everything
// in them (contract, section 9).
package theme

import (
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
)

// Manifest is theme.json.
type Manifest struct {
	Name        string
	Version     *string
	Author      *string
	Description *string
	// Preview is the path of the asset that pictures the theme, or "".
	Preview string
}

// Asset is a stylesheet, font or image.
type Asset struct {
	Path        string // in the archive: "assets/style.css"
	Kind        state.AssetKind
	ContentType string
	Size        int64
	Sum         digest.Sum
	Width       *int // in pixels
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
}

// Read judges an archive and returns what is in it. Its error is a *Problems.
func Read(archive []byte) (*Package, error) { return nil, &Problems{} }

// Problems is everything found wrong with an archive, at most 20.
type Problems struct{ List []Problem }

// Problem is one thing wrong with an archive.
type Problem struct {
	Path   string // of the entry, or "" for the archive itself
	Detail string // a sentence that is safe to show
}

// Error implements error.
func (p *Problems) Error() string { return "" }

// Encode writes the package without the bodies of its assets, in one form: equal
// packages have equal bytes, and their SHA-256 names them.
func (p *Package) Encode() []byte { return nil }

// Parse reads what Encode wrote.
func Parse(content []byte) (*Package, error) { return nil, nil }

// Size is the size in bytes of all templates and assets.
func (p *Package) Size() int64 { return 0 }

// Find returns the asset at a path.
func (p *Package) Find(path string) (Asset, bool) { return Asset{}, false }

// BlobKey is the key of an asset's bytes in the blob store, by its checksum and
// content type: "assets/<hex>.css".
func BlobKey(sum digest.Sum, contentType string) string { return "" }
