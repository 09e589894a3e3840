package pixel

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
)

// toSRGB converts the colors of a decoded image to sRGB, in which images without color information
// are shown. If the profile cannot be converted, for example because it consists of large tables,
// the image is returned unchanged, with the profile that it needs.
func toSRGB(m image.Image, b []byte, contentType string) (image.Image, []byte) {
	t, p := colors(m, b, contentType)
	switch {
	case t == nil && len(p) <= maxCarried && colored(m):
		return m, p
	case t == nil || t.same():
		return m, nil
	}
	return t.convert(m), nil
}

// colors returns the transform of an image, nil if there is none that is supported, and its profile
// if that determines the colors. In a PNG, cICP takes precedence over the profile, then sRGB, then
// gAMA with cHRM (PNG, third edition, section 4.3).
func colors(m image.Image, b []byte, contentType string) (*transform, []byte) {
	if contentType == PNG {
		if t := codedTransform(pngChunk(b, "cICP")); t != nil {
			return t, nil
		}
	}
	p := profile(b, contentType)
	switch {
	case p != nil && gray(m, b, contentType) == (string(p[16:20]) == "GRAY"):
		return newTransform(p), p
	case p == nil && contentType == PNG && pngChunk(b, "sRGB") == nil:
		return gammaTransform(pngChunk(b, "gAMA"), pngChunk(b, "cHRM")), nil
	}
	return nil, nil
}

// gray reports whether an image is grayscale. A gray PNG with transparency is decoded as a colored
// one, but its header says so (PNG, third edition, section 11.2.1).
func gray(m image.Image, b []byte, contentType string) bool {
	const colorType, usesColor = 25, 2
	return !colored(m) || contentType == PNG && b[colorType]&usesColor == 0
}

// same reports whether the profile describes sRGB: no color moves by more than one 8-bit step. Most
// profiles do.
func (t *transform) same() bool {
	const steps, tolerance = 17, 1.0 / 255
	table := t.linear(steps)
	for i := range (steps + 1) * (steps + 1) * (steps + 1) {
		in := [3]int{i % (steps + 1), i / (steps + 1) % (steps + 1), i / (steps + 1) / (steps + 1)}
		for k, v := range t.mixed(table[0][in[0]], table[1][in[1]], table[2][in[2]]) {
			if math.Abs(float64(v)-float64(in[k])/steps) > tolerance {
				return false
			}
		}
	}
	return true
}

// convert converts all pixels, in place if the type of the image allows it.
func (t *transform) convert(m image.Image) image.Image {
	switch m := m.(type) {
	case *image.Paletted:
		for i, c := range m.Palette {
			n := color.NRGBAModel.Convert(c).(color.NRGBA)
			pix := []uint8{n.R, n.G, n.B, n.A}
			t.bytes(pix)
			m.Palette[i] = color.NRGBA{pix[0], pix[1], pix[2], pix[3]}
		}
	case *image.Gray:
		table := t.linear(math.MaxUint8)[0]
		for i, v := range m.Pix {
			m.Pix[i] = uint8(encoded(table[v])*math.MaxUint8 + 0.5)
		}
	case *image.Gray16:
		table := t.linear(math.MaxUint16)[0]
		for pix := m.Pix; len(pix) >= 2; pix = pix[2:] {
			v := encoded(table[binary.BigEndian.Uint16(pix)])
			binary.BigEndian.PutUint16(pix, uint16(v*math.MaxUint16+0.5))
		}
	case *image.NRGBA:
		t.bytes(m.Pix)
	case *image.NRGBA64:
		t.words(m.Pix)
	case *image.RGBA: // images decoded as such have no transparency
		t.bytes(m.Pix)
	case *image.RGBA64:
		t.words(m.Pix)
	case *image.NYCbCrA:
		n := separate(m)
		t.bytes(n.Pix)
		return n
	default:
		n := rgba(m)
		t.bytes(n.Pix)
		return n
	}
	return m
}

// bytes converts pixels of four bytes, the last of which is alpha.
func (t *transform) bytes(pix []uint8) {
	table := t.linear(math.MaxUint8)
	for ; len(pix) >= 4; pix = pix[4:] {
		for i, v := range t.mixed(table[0][pix[0]], table[1][pix[1]], table[2][pix[2]]) {
			pix[i] = uint8(v*math.MaxUint8 + 0.5)
		}
	}
}

// words converts pixels of four 16-bit numbers.
func (t *transform) words(pix []uint8) {
	table := t.linear(math.MaxUint16)
	at := func(i int) float32 { return table[i][binary.BigEndian.Uint16(pix[2*i:])] }
	for ; len(pix) >= 8; pix = pix[8:] {
		for i, v := range t.mixed(at(0), at(1), at(2)) {
			binary.BigEndian.PutUint16(pix[2*i:], uint16(v*math.MaxUint16+0.5))
		}
	}
}

// separate returns an image with transparency with its colors not premultiplied.
func separate(m *image.NYCbCrA) *image.NRGBA {
	n := image.NewNRGBA(m.Rect)
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			c := m.NYCbCrAAt(x, y)
			r, g, b := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
			n.SetNRGBA(x, y, color.NRGBA{r, g, b, c.A})
		}
	}
	return n
}
