package shop

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/render"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

// compiledSize is the approximate number of bytes that a byte of a template takes once compiled,
// and compiledRoom what every theme takes.
const (
	compiledSize = 8
	compiledRoom = 32 << 10
)

// look is a compiled theme or its error: a package never changes, so one that does not compile
// never will.
type look struct {
	*render.Theme
	name, version string
	settings      []theme.Setting
	images        map[string]string // the addresses of its images by path
	err           error
}

func (s *Shop) theme(ctx context.Context, sum digest.Sum) (*look, error) {
	l, ok := s.themes.Get(sum)
	if !ok {
		var err error
		l, err = s.compiled.Do(ctx, sum, makeLimit, func(ctx context.Context) (*look, error) {
			p, err := s.Core.Package(ctx, sum)
			if err != nil {
				return nil, err
			}
			l := compile(p)
			s.themes.Put(sum, l, sizeOf(p))
			return l, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return l, l.err
}

// compile takes name and version from the package, not from the store's theme, so that a page
// depends on the package alone.
func compile(p *theme.Package) *look {
	l := &look{name: p.Manifest.Name, settings: p.Manifest.Settings, images: map[string]string{}}
	for _, a := range p.Assets {
		if a.Kind == state.AssetImage && len(l.settings) > 0 {
			l.images[a.Path] = a.Address()
		}
	}
	if p.Manifest.Version != nil {
		l.version = *p.Manifest.Version
	}
	var err error
	l.Theme, err = render.Compile(p.Templates, func(path string) (string, bool) {
		a, ok := p.Find(path)
		return a.Address(), ok
	}, p.Manifest.Sample)
	if err != nil {
		l.err = fmt.Errorf("compile a theme: %w", err)
	}
	return l
}

func sizeOf(p *theme.Package) int64 {
	n := int64(compiledRoom)
	for _, text := range p.Templates {
		n += compiledSize * int64(len(text))
	}
	return n
}
