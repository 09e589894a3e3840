package demo

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"math"
	"slices"
	"strconv"

	"golang.org/x/image/vector"
)

// side is the width and height of a drawing, in pixels.
const side = 640

// ink is a color, as 0xrrggbb.
type ink uint32

func (k *ink) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 16, 24)
	*k = ink(v)
	return err
}

func (k ink) color() color.RGBA { return color.RGBA{uint8(k >> 16), uint8(k >> 8), uint8(k), 255} }

// canvas is an image to draw on. Points are in hundredths of its side.
type canvas struct{ *image.RGBA }

func newCanvas(ground ink) canvas {
	c := canvas{image.NewRGBA(image.Rect(0, 0, side, side))}
	draw.Draw(c.RGBA, c.Rect, image.NewUniform(ground.color()), image.Point{}, draw.Src)
	return c
}

type point struct{ x, y float64 }

// fill paints the area inside paths; a path in the opposite direction cuts a hole.
func (c canvas) fill(k ink, paths ...[]point) {
	const scale = side / 100.0
	low, high := point{100, 100}, point{}
	for _, path := range paths {
		for _, p := range path {
			low = point{min(low.x, p.x), min(low.y, p.y)}
			high = point{max(high.x, p.x), max(high.y, p.y)}
		}
	}
	box := image.Rect(int(low.x*scale)-1, int(low.y*scale)-1, int(high.x*scale)+2, int(high.y*scale)+2)
	box = box.Intersect(c.Rect)
	if box.Empty() {
		return
	}
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	at := func(p point) (x, y float32) {
		return float32(p.x*scale - float64(box.Min.X)), float32(p.y*scale - float64(box.Min.Y))
	}
	for _, path := range paths {
		r.MoveTo(at(path[0]))
		for _, p := range path[1:] {
			r.LineTo(at(p))
		}
		r.ClosePath()
	}
	r.Draw(c.RGBA, box, image.NewUniform(k.color()), image.Point{})
}

// bend returns points on an ellipse between two angles, in turns, clockwise from the right.
func bend(x, y, rx, ry, from, to float64) []point {
	n := 4 + int(math.Abs(to-from)*72)
	path := make([]point, n+1)
	for i := range path {
		sin, cos := math.Sincos(2 * math.Pi * (from + (to-from)*float64(i)/float64(n)))
		path[i] = point{x + rx*cos, y + ry*sin}
	}
	return path
}

// line draws a line with round ends through points.
func (c canvas) line(k ink, width float64, points []point) {
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		t := math.Atan2(b.y-a.y, b.x-a.x) / (2 * math.Pi)
		c.fill(k, append(bend(b.x, b.y, width/2, width/2, t-.25, t+.25),
			bend(a.x, a.y, width/2, width/2, t+.25, t+.75)...))
	}
}

func (c canvas) box(k ink, x, y, w, h, r float64) {
	path := bend(x+w-r, y+h-r, r, r, 0, .25)
	path = append(path, bend(x+r, y+h-r, r, r, .25, .5)...)
	path = append(path, bend(x+r, y+r, r, r, .5, .75)...)
	c.fill(k, append(path, bend(x+w-r, y+r, r, r, .75, 1)...))
}

// flat returns the drawing reduced to its 256 most frequent colors, which keeps the file small.
func (c canvas) flat() *image.Paletted {
	count := map[[3]uint8]int{}
	c.runs(func(k [3]uint8, from, to int) { count[k] += to - from })
	often := slices.SortedFunc(maps.Keys(count), func(a, b [3]uint8) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), slices.Compare(a[:], b[:]))
	})
	colors := make(color.Palette, min(len(often), 256))
	for i := range colors {
		colors[i] = color.RGBA{often[i][0], often[i][1], often[i][2], 255}
	}
	index := make(map[[3]uint8]uint8, len(often))
	for i, k := range often {
		if i >= len(colors) {
			i = colors.Index(color.RGBA{k[0], k[1], k[2], 255})
		}
		index[k] = uint8(i)
	}
	m := image.NewPaletted(c.Rect, colors)
	c.runs(func(k [3]uint8, from, to int) {
		at := index[k]
		for i := from; i < to; i++ {
			m.Pix[i] = at
		}
	})
	return m
}

// runs calls f for each run of pixels of one color.
func (c canvas) runs(f func(k [3]uint8, from, to int)) {
	from, k := 0, [3]uint8(c.Pix)
	for i := range len(c.Pix) / 4 {
		if next := [3]uint8(c.Pix[4*i:]); next != k {
			f(k, from, i)
			from, k = i, next
		}
	}
	f(k, from, len(c.Pix)/4)
}
