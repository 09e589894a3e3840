package theme

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"maps"
	"strings"
	"sync"
)

// The files of a valid theme.

const (
	goodManifest = `{"name": "Plain", "version": "1.0.0", "author": "Ann", ` +
		`"description": "Quiet.\nAnd light.", "preview": "assets/preview.png"}`
	goodSheet = `@font-face { font-family: A; src: url("fonts/a.woff2") format("woff2"), url('fonts/a.ttf?v=2#x') }
body { background: #fff url( img/dot.gif ) }`
	goodSVG = `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="24" height="16px" viewBox="0 0 24 16">
<defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs>
<style>.a { fill: url(#g) }</style>` +
		`<path class="a" style="stroke:none" d="M0 0h24v16z" fill="url(#g)"/><use href="#p"/><g id="p"/></svg>`
)

func good() tree { return maps.Clone(goodTree()) }

var goodTree = sync.OnceValue(func() tree {
	return tree{
		"theme.json": goodManifest,
		"templates/layout.html": `<!doctype html><html><head><title>{{.page.title}}</title><link ` +
			`rel="stylesheet" href="{{asset "assets/style.css"}}"></head><body>{{template "content" .}}</body></html>`,
		"templates/home.html": `{{define "content"}}{{range .products}}{{template "partials/card.html" .}}` +
			`{{end}}{{end}}`,
		"templates/product.html":         `{{define "content"}}<h1>{{.product.title}}</h1>{{end}}`,
		"templates/search.html":          `{{define "content"}}<p>{{.search.query}}</p>{{end}}`,
		"templates/not_found.html":       `{{define "content"}}<p>Nothing.</p>{{end}}`,
		"templates/partials/card.html":   `<a href="{{.url}}">{{.title}}</a>`,
		"assets/style.css":               goodSheet,
		"assets/preview.png":             somePNG(4, 3),
		"assets/img/photo.JPEG":          someJPEG(5, 4),
		"assets/img/dot.gif":             someGIF(2, 2, 3),
		"assets/img/dot.webp":            someWebP(),
		"assets/img/logo.svg":            goodSVG,
		"assets/fonts/a.woff2":           someWOFF2(),
		"assets/fonts/a.woff":            someWOFF(),
		"assets/fonts/a.ttf":             someFont("\x00\x01\x00\x00"),
		"assets/fonts/a.otf":             someFont("OTTO"),
		"assets/empty.css":               "",
		"templates/partials/unused.html": `{{define "unused"}}{{end}}`,
	}
})

func somePNG(w, h int) string {
	var b bytes.Buffer
	png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)))
	return b.String()
}

func someJPEG(w, h int) string {
	var b bytes.Buffer
	jpeg.Encode(&b, image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420), nil)
	return b.String()
}

func someGIF(w, h, frames int) string {
	g, b := &gif.GIF{}, bytes.Buffer{}
	for range frames {
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, w, h), color.Palette(palette.WebSafe)))
		g.Delay = append(g.Delay, 1)
	}
	gif.EncodeAll(&b, g)
	return b.String()
}

// someWebP returns a WebP of one pixel.
func someWebP() string {
	b, _ := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	return string(b)
}

// chunkPNG inserts a chunk after the header of an image.
func chunkPNG(image, kind, data string) string {
	const header = 8 + 25
	return image[:header] + string(binary.BigEndian.AppendUint32(nil, uint32(len(data)))) + kind + data +
		"\x00\x00\x00\x00" + image[header:]
}

// sizedPNG returns a PNG with another size in its header, and a matching checksum.
func sizedPNG(w, h int) string {
	b := []byte(somePNG(1, 1))
	binary.BigEndian.PutUint32(b[16:], uint32(w))
	binary.BigEndian.PutUint32(b[20:], uint32(h))
	binary.BigEndian.PutUint32(b[29:], crc(b[12:29]))
	return string(b)
}

var tables = []string{"cmap", "head", "hhea", "hmtx", "maxp"}

// someFont returns a font whose tables exist and are empty.
func someFont(version string) string {
	const size = 56
	dir, data := []byte(version), []byte{}
	dir = append(dir, 0, byte(len(tables)), 0, 0, 0, 0, 0, 0)
	for i, tag := range tables {
		dir = append(append(dir, tag...), 0, 0, 0, 0)
		dir = binary.BigEndian.AppendUint32(dir, uint32(12+16*len(tables)+size*i))
		dir = binary.BigEndian.AppendUint32(dir, size)
		table := make([]byte, size)
		if tag == "head" {
			binary.BigEndian.PutUint32(table[12:], 0x5f0f3cf5)
		}
		data = append(data, table...)
	}
	return string(dir) + string(data)
}

func someWOFF() string {
	const header, size = 44, 4
	dir, data := []byte{}, []byte{}
	for i, tag := range tables {
		dir = append(dir, tag...)
		for _, n := range []int{header + 20*len(tables) + size*i, size, size, 0} {
			dir = binary.BigEndian.AppendUint32(dir, uint32(n))
		}
		data = append(data, 0, 0, 0, 0)
	}
	b := []byte("wOFF\x00\x01\x00\x00")
	b = binary.BigEndian.AppendUint32(b, uint32(header+len(dir)+len(data)))
	b = append(b, 0, byte(len(tables)), 0, 0, 0, 0, 0, 200)
	return string(b) + strings.Repeat("\x00", header-len(b)) + string(dir) + string(data)
}

func someWOFF2() string {
	const header, stream = 48, "\x01\x02\x03\x04"
	var dir strings.Builder
	for _, tag := range []byte{0, 1, 2, 3, 4} { // the numbers of the five tables
		dir.WriteString(string([]byte{tag, 56}))
	}
	b := []byte("wOF2\x00\x01\x00\x00")
	b = binary.BigEndian.AppendUint32(b, uint32(header+len(dir.String())+len(stream)))
	b = append(b, 0, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0, byte(len(stream)))
	return string(b) + strings.Repeat("\x00", header-len(b)) + dir.String() + stream
}
