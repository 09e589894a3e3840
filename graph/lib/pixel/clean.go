package pixel

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"

	"github.com/storefront-go/storefront/ent/limit"
)

const (
	// keptQuality is the quality of a stored JPEG, shownQuality of one derived from it.
	keptQuality  = 90
	shownQuality = 82
	// maxSide bounds a side: a JPEG has at most 65,535 pixels, browsers show fewer.
	maxSide = 20_000
	// maxPasses bounds the passes of a JPEG: each goes over all pixels, but may be a few bytes
	// long.
	maxPasses = 60
)

// Image is an image that is safe to publish.
type Image struct {
	Header
	Body []byte
}

// Clean returns an image that looks like the upload and contains nothing else: it decodes all
// pixels, rotates them by the Exif orientation, and encodes them anew, so metadata such as places
// and names, and trailing data, are gone. Colors are converted to sRGB by the image's profile, or
// the equivalent chunks of a PNG; a profile that cannot be converted stays. A JPEG or PNG keeps its
// type, a still GIF becomes a PNG, and a WebP becomes a JPEG, or a PNG if it has transparency. An
// animation keeps its frames. Errors caused by the image are a [Fault].
func Clean(b []byte) (p *Image, err error) {
	defer func() {
		if recover() != nil { // as in Judge
			p, err = nil, ErrBroken
		}
	}()
	h, err := Inspect(b)
	switch {
	case err != nil:
		return nil, err
	case h.Width > maxSide || h.Height > maxSide:
		return nil, ErrSide
	case h.ContentType == JPEG && bytes.Count(b, []byte{0xff, 0xda}) > maxPasses:
		return nil, ErrPasses
	case h.ContentType == GIF:
		plain, frames, err := cleanGIF(b)
		switch {
		case err != nil:
			return nil, err
		case frames > maxFrames || int64(frames)*int64(h.Width)*int64(h.Height) > maxFramePixels:
			return nil, ErrFrames
		case frames > 1:
			return &Image{Header: h, Body: plain}, nil
		}
	}
	m, err := decode(b, h)
	if err != nil {
		return nil, ErrBroken
	}
	m, rest := toSRGB(m, b, h.ContentType)
	p, err = keep(rotated(m, orientation(b, h.ContentType)), h.ContentType)
	if err == nil {
		p.Body = withProfile(p.Body, p.ContentType, rest)
	}
	return p, err
}

// decode decodes all pixels. A still GIF may cover only part of its screen.
func decode(b []byte, h Header) (image.Image, error) {
	m, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	screen := image.Rect(0, 0, h.Width, h.Height)
	switch {
	case m.Bounds() == screen:
		fullRange(m, h.ContentType)
		return m, nil
	case h.ContentType != GIF:
		return nil, errors.New("the image's size differs from its header")
	}
	whole := image.NewRGBA(screen)
	draw.Draw(whole, m.Bounds(), m, m.Bounds().Min, draw.Src)
	return whole, nil
}

// fullRange corrects a lossy WebP: its luma ranges from 16 to 235 and its chroma from 16 to 240
// (RFC 9649, section 2.5), but Go's image.YCbCr assumes 0 to 255 (golang.org/issue/40173). Without
// the correction, white becomes (235, 235, 235).
func fullRange(m image.Image, contentType string) {
	var c *image.YCbCr
	switch m := m.(type) {
	case *image.YCbCr:
		c = m
	case *image.NYCbCrA:
		c = &m.YCbCr
	}
	if contentType != WebP || c == nil {
		return
	}
	var luma, chroma [256]uint8
	for i := range 256 {
		luma[i] = uint8(min(max(0, (2*(i-16)*255+219)/(2*219)), 255))
		chroma[i] = uint8(min(max(0, ((i-128)*255+128*224+112)/224), 255))
	}
	for plane, table := range map[*[]uint8]*[256]uint8{&c.Y: &luma, &c.Cb: &chroma, &c.Cr: &chroma} {
		for i, v := range *plane {
			(*plane)[i] = table[v]
		}
	}
}

// keep encodes an image of a type in the form to store.
func keep(m image.Image, from string) (*Image, error) {
	to := PNG
	if o, ok := m.(interface{ Opaque() bool }); from == JPEG || from == WebP && ok && o.Opaque() {
		to = JPEG
	}
	body, err := encode(m, to, keptQuality)
	if err != nil {
		return nil, err
	}
	if len(body) > limit.ImageBytes {
		return nil, ErrLarge
	}
	return &Image{Header: Header{to, m.Bounds().Dx(), m.Bounds().Dy()}, Body: body}, nil
}

func encode(m image.Image, contentType string, quality int) ([]byte, error) {
	var out bytes.Buffer
	var err error
	if contentType == JPEG {
		if c, ok := m.(*image.CMYK); ok { // the encoder has no fast path for these
			m = rgba(c)
		}
		err = jpeg.Encode(&out, m, &jpeg.Options{Quality: quality})
	} else {
		err = png.Encode(&out, m)
	}
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", contentType, err)
	}
	return out.Bytes(), nil
}

func rgba(m image.Image) *image.RGBA {
	dst := image.NewRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(dst, dst.Rect, m, m.Bounds().Min, draw.Src)
	return dst
}
