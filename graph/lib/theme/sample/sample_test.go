package sample_test

import (
	"bytes"
	"encoding/hex"
	"image/jpeg"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/graph/lib/render"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/lib/theme/sample"
)

var pages = []string{"home", "product", "products", "search", "not_found", "page"}

// each runs a test on every sample.
func each(t *testing.T, f func(*testing.T, sample.Sample)) {
	t.Helper()
	all := sample.All()
	if len(all) != 3 {
		t.Fatalf("%d samples, want 3", len(all))
	}
	for _, s := range all {
		t.Run(s.Slug, func(t *testing.T) { f(t, s) })
	}
}

func TestSlugs(t *testing.T) {
	slug, seen := regexp.MustCompile(`^[a-z]{3,40}$`), map[string]bool{}
	each(t, func(t *testing.T, s sample.Sample) {
		if !slug.MatchString(s.Slug) || seen[s.Slug] {
			t.Errorf("slug %q is not a word of its own", s.Slug)
		}
		seen[s.Slug] = true
		if s.Tagline == "" || len(s.Tagline) > 120 || len(s.Categories) == 0 {
			t.Errorf("tagline %q, categories %q", s.Tagline, s.Categories)
		}
	})
}

// The samples pass the checks for untrusted themes.
func TestRead(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		p := read(t, s)
		if !strings.EqualFold(p.Manifest.Name, s.Slug) {
			t.Errorf("name %q, slug %q", p.Manifest.Name, s.Slug)
		}
		if p.Manifest.Version == nil || p.Manifest.Author == nil || p.Manifest.Description == nil {
			t.Error("the manifest says no version, author or description")
		}
	})
}

// released are the versions of the samples, with the beginnings of their packages' checksums.
// Installations notice a change only by its version: after changing a sample, raise the version in
// its theme.json, unless that version is unreleased, and update both here, and the whole checksum
// in [sample.All].
var released = map[string]string{
	"linen":   "1.5.0 4728f99f7a01",
	"voltage": "1.4.0 8287c5c00871",
	"atelier": "1.4.0 1c81be503e46",
}

func TestReleased(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		p := read(t, s)
		sum := digest.Of(p.Encode())
		if got := *p.Manifest.Version + " " + hex.EncodeToString(sum[:6]); got != released[s.Slug] {
			t.Errorf("it is %q, was released as %q: has its version been raised?", got, released[s.Slug])
		}
		if sum != s.Sum {
			t.Errorf("its checksum is %x", sum[:])
		}
	})
}

// Bounds of the size of a visitor's first page, in bytes.
func TestSizes(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		counts := map[string]int{}
		for _, a := range read(t, s).Assets {
			ext := a.Path[strings.LastIndexByte(a.Path, '.'):]
			counts[ext]++
			if most := map[string]int64{".css": 25 << 10, ".woff2": 60 << 10, ".svg": 12 << 10,
				".jpg": 120 << 10}[ext]; a.Size > most {
				t.Errorf("%s: %d bytes, more than %d", a.Path, a.Size, most)
			}
		}
		if counts[".css"] != 1 || counts[".woff2"] > 2 {
			t.Errorf("stylesheets %d, fonts %d: want 1 and at most 2", counts[".css"], counts[".woff2"])
		}
	})
}

func TestPreview(t *testing.T) {
	each(t, func(t *testing.T, s sample.Sample) {
		p := read(t, s)
		a, ok := p.Find(p.Manifest.Preview)
		if !ok {
			t.Fatalf("no preview %q", p.Manifest.Preview)
		}
		c, err := jpeg.DecodeConfig(bytes.NewReader(a.Body))
		if err != nil || c.Width != 1200 || c.Height != 900 {
			t.Errorf("preview of %d x %d, %v; want 1200 x 900", c.Width, c.Height, err)
		}
	})
}

// Stylesheets name the authors of their fonts, and LICENSES.md names every file.
func TestLicences(t *testing.T) {
	terms, err := os.ReadFile("LICENSES.md")
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, s sample.Sample) {
		css, err := fs.ReadFile(s.Files, "assets/style.css")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(css, []byte("copyright")) || !bytes.Contains(css, []byte("SIL Open Font License 1.1")) {
			t.Error("the stylesheet does not say whose its fonts are")
		}
		fonts, err := fs.Glob(s.Files, "assets/fonts/*")
		if err != nil || len(fonts) == 0 {
			t.Fatalf("fonts %q, %v", fonts, err)
		}
		for _, name := range fonts {
			if !bytes.Contains(terms, []byte("`"+s.Slug+"/"+name+"`")) {
				t.Errorf("LICENSES.md does not name %s/%s", s.Slug, name)
			}
		}
	})
}

// read reads a sample's package.
func read(t *testing.T, s sample.Sample) *theme.Package {
	t.Helper()
	p, err := theme.ReadFS(s.Files)
	if err != nil {
		t.Fatalf("%s:\n%v", s.Slug, err)
	}
	return p
}

// compile compiles a sample's templates.
func compile(t *testing.T, s sample.Sample) *render.Theme {
	t.Helper()
	p := read(t, s)
	made, err := render.Compile(p.Templates, func(path string) (string, bool) {
		a, ok := p.Find(path)
		return a.Address(), ok
	}, p.Manifest.Sample)
	if err != nil {
		t.Fatal(err)
	}
	return made
}
