package shop

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/render"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

// draftSide is the width and height of a placeholder image, in pixels.
const draftSide = 600

type draft struct {
	folder fs.FS

	mu    sync.Mutex
	stamp uint64 // of the files as last read; 0 before the first read
	pack  *theme.Package
	look  *look
	err   error
}

// Draft shows a theme in a folder to its author, with sample data and placeholder images. Each
// request reads the current files; if they are not a valid theme, the page says why.
func Draft(folder fs.FS) http.Handler { return &draft{folder: folder} }

// ServeHTTP implements http.Handler.
func (d *draft) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard(w.Header())
	w.Header()["Cache-Control"] = noStore
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "A draft can only be viewed.", http.StatusMethodNotAllowed)
		return
	}
	pack, l, err := d.read()
	if err != nil {
		http.Error(w, "The theme cannot be used:\n\n"+err.Error(), http.StatusUnprocessableEntity)
		return
	}
	for _, a := range pack.Assets {
		if a.Address() == r.URL.Path {
			answerDraft(w, http.StatusOK, a.ContentType, a.Body)
			return
		}
	}
	if sheet, ok := colorSheet(r.URL.Query()); ok && r.URL.Path == colorPath {
		answerDraft(w, http.StatusOK, cssType, sheet)
		return
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/pictures/"); ok {
		answerDraft(w, http.StatusOK, "image/png", draftPicture(name))
		return
	}
	kind, status := render.SamplePage(r.URL.Path), http.StatusOK
	if kind == notFoundPage {
		status = http.StatusNotFound
	}
	page, err := draftPage(l, kind)
	if err != nil {
		http.Error(w, "The page cannot be rendered:\n\n"+err.Error(), http.StatusUnprocessableEntity)
		return
	}
	answerDraft(w, status, htmlType, page)
}

// draftPage renders a page of sample data with the theme's default settings.
func draftPage(l *look, kind string) ([]byte, error) {
	settings, colors, err := l.set(nil, "", state.English)
	if err != nil {
		return nil, err
	}
	data := render.SampleData(kind)
	data["settings"] = settings
	var body bytes.Buffer
	if err := l.Render(&body, kind, data); err != nil {
		return nil, err
	}
	return withHead(body.Bytes(), colorLink(colors)), nil
}

func answerDraft(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that disconnected needs no page
}

// read returns the theme as its files are now. It is compiled again only when a file has changed.
func (d *draft) read() (*theme.Package, *look, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, err := stampOf(d.folder)
	if err != nil {
		return nil, nil, err
	}
	if now != d.stamp || d.stamp == 0 {
		d.stamp, d.look = now, nil
		if d.pack, d.err = theme.ReadFS(d.folder); d.err == nil {
			d.look = compile(d.pack)
			d.err = d.look.err
		}
	}
	return d.pack, d.look, d.err
}

// stampOf hashes the names, sizes and times of all files.
func stampOf(folder fs.FS) (uint64, error) {
	sum := fnv.New64a()
	err := fs.WalkDir(folder, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil {
			_, err = fmt.Fprintf(sum, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	return sum.Sum64(), err
}

// draftPicture draws a disc on a background, in colors that follow from the name.
func draftPicture(name string) []byte {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name)) // never fails
	n := sum.Sum32()
	shade := func(shift int) uint8 { return 110 + uint8(n>>shift)%100 }
	ground := color.NRGBA{shade(0), shade(8), shade(16), 255}
	disc := color.NRGBA{255 - ground.R/2, 255 - ground.G/2, 255 - ground.B/2, 255}
	picture := image.NewPaletted(image.Rect(0, 0, draftSide, draftSide), color.Palette{ground, disc})
	const radius = draftSide / 3
	for y := range draftSide {
		for x := range draftSide {
			if dx, dy := x-draftSide/2, y-draftSide/2; dx*dx+dy*dy < radius*radius {
				picture.SetColorIndex(x, y, 1)
			}
		}
	}
	var out bytes.Buffer
	_ = png.Encode(&out, picture) // a buffer accepts everything
	return out.Bytes()
}
