package theme

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
)

// form is the package as JSON. Members are never left out or renamed, because packages are stored
// under the checksum of their text. Only the settings were added later: a package without settings
// has the first form.
type form struct {
	Form      int               `json:"form"`
	Manifest  manifestForm      `json:"manifest"`
	Templates map[string]string `json:"templates"`
	Assets    []assetForm       `json:"assets"`
}

type manifestForm struct {
	Name        string  `json:"name"`
	Version     *string `json:"version"`
	Author      *string `json:"author"`
	Description *string `json:"description"`
	Preview     string  `json:"preview"`

	Settings []Setting `json:"settings,omitempty"`
}

// The forms of packages: without settings, and with them.
const (
	plainForm    = 1
	settingsForm = 2
)

type assetForm struct {
	Path        string          `json:"path"`
	Kind        state.AssetKind `json:"kind"`
	ContentType string          `json:"content_type"`
	Size        int64           `json:"size"`
	Sum         string          `json:"sum"`
	Width       *int            `json:"width"`
	Height      *int            `json:"height"`
}

// Encode encodes the package without the bodies of its assets. The encoding is unique: equal
// packages have equal bytes, whose SHA-256 identifies them.
func (p *Package) Encode() []byte {
	f := form{Form: plainForm, Manifest: manifestForm(p.Manifest), Templates: p.Templates, Assets: []assetForm{}}
	if f.Templates == nil {
		f.Templates = map[string]string{}
	}
	if len(p.Manifest.Settings) > 0 {
		f.Form = settingsForm
	}
	for _, a := range p.Assets {
		f.Assets = append(f.Assets,
			assetForm{a.Path, a.Kind, a.ContentType, a.Size, hex.EncodeToString(a.Sum[:]), a.Width, a.Height})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return nil // texts and numbers always encode
	}
	return b.Bytes()
}

// errForm says that [Package.Encode] did not write a text.
var errForm = errors.New("theme: not an encoded package")

// Parse parses what [Package.Encode] wrote for a package of [Read], and nothing else: it refuses
// other spellings of the same values, and values that Read would not return. The error says no more
// than that.
func Parse(content []byte) (*Package, error) {
	var f form
	if err := json.Unmarshal(content, &f); err != nil {
		return nil, errForm
	}
	p := &Package{Manifest: Manifest(f.Manifest), Templates: f.Templates}
	for _, a := range f.Assets {
		parsed := Asset{Path: a.Path, Kind: a.Kind, ContentType: a.ContentType, Size: a.Size, Width: a.Width,
			Height: a.Height}
		sum, err := hex.DecodeString(a.Sum)
		if err != nil || len(sum) != len(parsed.Sum) {
			return nil, errForm
		}
		parsed.Sum = digest.Sum(sum)
		p.Assets = append(p.Assets, parsed)
	}
	if !p.valid() || !bytes.Equal(p.Encode(), content) {
		return nil, errForm
	}
	return p, nil
}

// valid reports whether Read could have returned the package.
func (p *Package) valid() bool {
	found := &Problems{}
	p.Manifest.check(found)
	p.checkPreview(found)
	p.checkDefaults(found)
	if found.any() || len(p.Assets)+len(p.Templates) > maxEntries {
		return false
	}
	for _, name := range needed {
		if _, ok := p.Templates[name]; !ok {
			return false
		}
	}
	total := 0
	for name, text := range p.Templates {
		total += len(text)
		if checkName(name) != "" || roleOf(name) != template || len(text) > maxTemplate ||
			strings.Contains(text, "\x00") {
			return false
		}
	}
	return total <= maxTemplates && p.validAssets()
}

func (p *Package) validAssets() bool {
	for i, a := range p.Assets {
		m, _ := mediaWith(extension(a.Path))
		switch {
		case checkName(a.Path) != "", roleOf(a.Path) != asset, i > 0 && p.Assets[i-1].Path >= a.Path:
			return false
		case a.Kind != m.kind, a.ContentType != m.contentType, a.Size < 0, a.Size > maxFile:
			return false
		case !side(a.Width, m), !side(a.Height, m), (a.Width == nil) != (a.Height == nil):
			return false
		case m.kind == state.AssetImage && m.ext != "svg" && a.Width == nil:
			return false
		}
	}
	return true
}

// side reports whether an asset of a type may have a width or height.
func side(n *int, m media) bool {
	return n == nil || m.kind == state.AssetImage && *n >= 1 && *n <= maxSide
}

// Size returns the size of all templates and assets, in bytes.
func (p *Package) Size() int64 {
	total := int64(0)
	for _, text := range p.Templates {
		total += int64(len(text))
	}
	for _, a := range p.Assets {
		total += a.Size
	}
	return total
}

// Find returns the asset at a path.
func (p *Package) Find(path string) (Asset, bool) {
	i, ok := slices.BinarySearchFunc(p.Assets, path,
		func(a Asset, path string) int { return strings.Compare(a.Path, path) })
	if !ok {
		return Asset{}, false
	}
	return p.Assets[i], true
}
