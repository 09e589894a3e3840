package pixel

import (
	"image"

	"golang.org/x/image/draw"
)

// maxFine bounds the extra memory of the finer filter, in pixels of 32 bytes.
const maxFine = 4 << 20

// Scale scales a stored image to other widths, largest first, each below its own. The type stays
// the same.
func Scale(b []byte, widths ...int) ([][]byte, error) {
	h, err := Inspect(b)
	if err != nil {
		return nil, err
	}
	m, err := decode(b, h)
	if err != nil {
		return nil, err
	}
	m, rest := toSRGB(m, b, h.ContentType)
	switch m.(type) {
	case *image.RGBA, *image.NRGBA, *image.YCbCr, *image.Gray:
	default: // only these have a fast path in the filters
		m = rgba(m)
	}
	list := make([][]byte, len(widths))
	for i, width := range widths {
		m = scaled(m, width)
		if list[i], err = encode(m, h.ContentType, shownQuality); err != nil {
			return nil, err
		}
		list[i] = withProfile(list[i], h.ContentType, rest)
	}
	return list, nil
}

// scaled returns an image at a smaller width. It halves the image as often as possible first, which
// is cheapest and uses every pixel.
func scaled(m image.Image, width int) image.Image {
	size := m.Bounds().Size()
	height := HeightAt(size.X, size.Y, width)
	for size.X >= 2*width {
		size = image.Pt(size.X/2, max(1, size.Y/2))
		m = drawn(draw.ApproxBiLinear, m, size)
	}
	switch {
	case size == image.Pt(width, height):
		return m
	case width*size.Y > maxFine:
		return drawn(draw.ApproxBiLinear, m, image.Pt(width, height))
	}
	return drawn(draw.CatmullRom, m, image.Pt(width, height))
}

func drawn(with draw.Interpolator, m image.Image, size image.Point) image.Image {
	dst := image.NewRGBA(image.Rectangle{Max: size})
	with.Scale(dst, dst.Rect, m, m.Bounds(), draw.Src, nil)
	return dst
}

// HeightAt returns the height of an image scaled to the width at.
func HeightAt(width, height, at int) int {
	return max(1, (height*at+width/2)/width)
}
