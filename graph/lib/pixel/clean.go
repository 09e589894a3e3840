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
	// keptQuality is that of a JPEG that is kept, shownQuality of one that is made of it.
	keptQuality  = 90
	shownQuality = 82
	// maxSide bounds a side: a JPEG has at most 65,535 pixels, browsers show fewer.
	maxSide = 20_000
	// maxPasses is in how many passes a JPEG may come: each goes over all pixels, and may
	// be a few bytes long.
	maxPasses = 60
)

// Picture is one that can be shown to everybody.
type Picture struct {
	Header
	Body []byte
}

// Clean makes a picture of an upload that shows the same and holds nothing else: all
// pixels are decoded, turned as the camera was held, and encoded anew, so that places,
// names and what lies behind the end are gone. Colors become sRGB by the picture's profile, or the
// chunks of a PNG that say the same; a profile that cannot be converted stays.
// A JPEG stays one; a PNG stays one, and a GIF that does not move becomes one; a WebP
// becomes a JPEG, or a PNG where it is transparent. An animation keeps its frames. The
// error is a [Fault] where the picture is
// to blame.
func Clean(b []byte) (p *Picture, err error) {
	defer func() {
		if recover() != nil { // as in Judge
			p, err = nil, ErrBroken
		}
	}()
	h, err := Judge(b)
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
			return &Picture{Header: h, Body: plain}, nil
		}
	}
	m, err := decode(b, h)
	if err != nil {
		return nil, ErrBroken
	}
	m, rest := toSRGB(m, b, h.ContentType)
	p, err = keep(turned(m, orientation(b, h.ContentType)), h.ContentType)
	if err == nil {
		p.Body = withProfile(p.Body, p.ContentType, rest)
	}
	return p, err
}

// decode reads all pixels. A still GIF may fill a part of its screen alone.
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
		return nil, errors.New("the picture has another size than it says")
	}
	whole := image.NewRGBA(screen)
	draw.Draw(whole, m.Bounds(), m, m.Bounds().Min, draw.Src)
	return whole, nil
}

// fullRange corrects a lossy WebP: its luma goes from 16 to 235 and its chroma from 16 to 240 (RFC
// 9649, section 2.5), but Go's image.YCbCr means 0 to 255 (golang.org/issue/40173). Unless it
// is corrected, white becomes (235, 235, 235).
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

// keep encodes a picture of some type as it is kept.
func keep(m image.Image, from string) (*Picture, error) {
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
	return &Picture{Header: Header{to, m.Bounds().Dx(), m.Bounds().Dy()}, Body: body}, nil
}

func encode(m image.Image, contentType string, quality int) ([]byte, error) {
	var out bytes.Buffer
	var err error
	if contentType == JPEG {
		if c, ok := m.(*image.CMYK); ok { // the encoder has no quick way for these
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
