package theme

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/render"
)

// Limits of an archive; sizes in bytes.
const (
	maxEntries   = 300
	maxUnpacked  = 40 << 20
	maxFile      = 10 << 20
	maxTemplate  = 256 << 10
	maxTemplates = 2 << 20
	maxManifest  = 64 << 10

	// maxRatio is the highest compression ratio of a file larger than freeSize.
	maxRatio = 100
	freeSize = 1 << 20
)

type reading struct {
	found *Problems
	pack  *Package
	names map[string]bool  // all assets, including those with problems
	good  map[string]Asset // assets ready to be served
	sheet []Asset          // stylesheets as uploaded
	work  int64            // how many pixels may still be decoded
}

// check is the pipeline of [Read] and [ReadFS]. Problems with the archive itself, with names or
// with sizes end it before anything is unpacked.
func check(list []entry, found *Problems) (*Package, error) {
	if !found.any() {
		names(list, found)
		sizes(list, found)
	}
	if found.any() {
		return nil, found
	}
	r := &reading{
		found: found, pack: &Package{Templates: map[string]string{}},
		names: map[string]bool{}, good: map[string]Asset{}, work: maxWork,
	}
	list, r.pack.Ignored = files(list)
	for _, e := range list {
		found.note(e.name, checkName(e.name))
		if roleOf(e.name) == asset {
			r.names[e.name] = true
		}
	}
	for _, e := range list {
		if !found.full() {
			r.file(e)
		}
	}
	r.missing(list)
	for _, a := range r.sheet {
		if !found.full() {
			r.stylesheet(a)
		}
	}
	return r.finish()
}

// sizes checks the claimed sizes. Reading the files checks that the claims are true.
func sizes(list []entry, found *Problems) {
	total := int64(0)
	for _, e := range list {
		total += e.size
		switch {
		case e.size > maxFile:
			found.add(e.name, "The file is larger than 10 MiB.")
		case e.size > freeSize && e.size > maxRatio*e.packed:
			found.add(e.name, "The file is more than 100 times as large as its compressed form.")
		}
	}
	if total > maxUnpacked {
		found.add("", "The files are larger than 40 MiB in total.")
	}
}

func (r *reading) file(e entry) {
	role := roleOf(e.name)
	if role == stranger {
		r.found.note(e.name, whyRefused(e.name))
		return
	}
	b, detail := e.read()
	if detail != "" {
		r.found.note(e.name, detail)
		return
	}
	switch role {
	case manifest:
		if len(b) > maxManifest {
			r.found.add(e.name, "The file is larger than 64 KiB.")
			return
		}
		r.pack.Manifest = readManifest(b, r.found)
	case template:
		r.template(e.name, b)
	case asset:
		r.asset(e.name, b)
	}
}

// read unpacks a file, never more of it than it claims.
func (e entry) read() (b []byte, detail string) {
	const broken = "The file cannot be unpacked: its data is damaged, or its size or checksum is wrong."
	f, err := e.open()
	if err != nil {
		return nil, broken
	}
	defer f.Close()
	b, err = io.ReadAll(io.LimitReader(f, e.size+1))
	if err != nil || int64(len(b)) != e.size || e.zipped && crc32.ChecksumIEEE(b) != e.sum {
		return nil, broken
	}
	return b, ""
}

func (r *reading) template(name string, b []byte) {
	switch {
	case len(b) > maxTemplate:
		r.found.add(name, "The template is larger than 256 KiB.")
	case sniff(b) == archived:
		r.found.add(name, nested)
	case !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0:
		r.found.add(name, "The template is not valid UTF-8 text.")
	default:
		r.pack.Templates[name] = string(bytes.TrimPrefix(b, []byte("\ufeff")))
	}
}

func (r *reading) asset(name string, b []byte) {
	m, _ := mediaWith(extension(name))
	a := Asset{Path: name, Kind: m.kind, ContentType: m.contentType, Body: b}
	detail := checkType(m, b)
	switch {
	case detail != "":
	case m.kind == state.AssetCSS:
		r.sheet = append(r.sheet, a)
		return
	case m.kind == state.AssetFont:
		detail = checkFont(m.ext, b)
	case m.ext == "svg":
		a.Width, a.Height, detail = checkSVG(b)
	default:
		var width, height int
		width, height, detail = checkImage(m.ext, b, &r.work)
		a.Width, a.Height = &width, &height
	}
	if detail != "" {
		r.found.note(name, detail)
		return
	}
	r.keep(a)
}

// keep adds an asset whose body is final.
func (r *reading) keep(a Asset) {
	a.Size, a.Sum = int64(len(a.Body)), digest.Of(a.Body)
	r.good[a.Path] = a
	r.pack.Assets = append(r.pack.Assets, a)
}

func (r *reading) missing(list []entry) {
	for _, name := range append([]string{manifestName}, needed...) {
		if !slices.ContainsFunc(list, func(e entry) bool { return e.name == name }) {
			r.found.add(name, "The file is missing.")
		}
	}
}

func (r *reading) stylesheet(a Asset) {
	if len(a.Body) > maxSheet {
		r.found.add(a.Path, "The stylesheet is larger than 1 MiB.")
		return
	}
	within := addresses{folder: path.Dir(a.Path), find: r.find, image: func(ext string, b []byte) string {
		_, _, detail := checkImage(ext, b, &r.work)
		return detail
	}}
	s := sheet{address: within.address, note: func(detail string) { r.found.note(a.Path, detail) }}
	a.Body = s.rewrite(a.Body)
	r.keep(a)
}

// find returns an asset to files that refer to it. It also finds an asset with problems of its own,
// so that these are not reported twice.
func (r *reading) find(name string) (Asset, bool) {
	if a, ok := r.good[name]; ok {
		return a, true
	}
	m, _ := mediaWith(extension(name))
	return Asset{Path: name, Kind: m.kind}, r.names[name]
}

// finish checks what needs the whole theme, and returns the package if there are no problems.
func (r *reading) finish() (*Package, error) {
	p := r.pack
	total := 0
	for _, text := range p.Templates {
		total += len(text)
	}
	if total > maxTemplates {
		r.found.add("", "The templates are larger than 2 MiB in total.")
	}
	slices.SortFunc(p.Assets, func(a, b Asset) int { return strings.Compare(a.Path, b.Path) })
	if !r.found.any() {
		p.checkPreview(r.found)
		p.checkDefaults(r.found)
	}
	r.compile()
	if r.found.any() {
		return nil, r.found
	}
	return p, nil
}

// compile compiles the templates, which checks them. It does so only if all of them could be read.
func (r *reading) compile() {
	for _, name := range needed {
		if _, ok := r.pack.Templates[name]; !ok {
			return
		}
	}
	_, err := render.Compile(r.pack.Templates, func(name string) (string, bool) {
		a, ok := r.find(name)
		return a.Address(), ok
	}, r.pack.Manifest.Sample)
	if err == nil {
		return
	}
	list, ok := errors.AsType[render.Errors](err)
	if !ok {
		list = render.Errors{{Detail: err.Error()}}
	}
	for _, e := range list {
		if e.Line > 0 {
			r.found.add(e.Template, "Line %d: %s", e.Line, sentence(e.Detail))
		} else {
			r.found.add(e.Template, "%s", sentence(e.Detail))
		}
	}
}

func sentence(text string) string {
	if text == "" {
		return "The template cannot be used."
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
