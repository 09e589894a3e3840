package demo

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

// shapesText has a section of shapes for the kinds of products that its first line names. A shape is
// an operation of a canvas, a color, and numbers or points; six numbers are a bend.
//
//go:embed drawings.txt
var shapesText string

// scheme is the colors of a drawing: the background, a shape behind the product and its shadow, the
// two colors of the product, and its dark and light parts.
type scheme [7]ink

// ink returns a color by its name, or by its digits.
func (s scheme) ink(name string) (k ink) {
	known := []string{"ground", "glow", "shade", "main", "second", "dark", "light"}
	if i := slices.Index(known, name); i >= 0 {
		return s[i]
	}
	_ = k.UnmarshalText([]byte(name)) // a test reads all
	return k
}

func drawing(kind string, s scheme) canvas {
	c := newCanvas(s[0])
	c.shape("oval glow 50,46,37,37", s)
	c.shape("oval shade 50,84,34,4", s)
	for line := range strings.Lines(shapes(kind)) {
		c.shape(line, s)
	}
	return c
}

// shapes returns the section of a kind; an unknown one is a gift.
func shapes(kind string) string {
	for section := range strings.SplitSeq(shapesText, "\n: ") {
		kinds, shapes, _ := strings.Cut(section, "\n")
		if strings.Contains(" "+kinds+" ", " "+kind+" ") {
			return shapes
		}
	}
	return shapes("Services")
}

func (c canvas) shape(line string, s scheme) {
	words := strings.Fields(line)
	if len(words) < 3 {
		return // between sections
	}
	k := s.ink(words[1])
	switch n := numbers(words[2]); words[0] {
	case "oval":
		c.fill(k, bend(n[0], n[1], n[2], n[3], 0, 1))
	case "ring":
		x, y, outer, inner := n[0], n[1], n[2]+n[3]/2, n[2]-n[3]/2
		c.fill(k, bend(x, y, outer, outer, 0, 1), bend(x, y, inner, inner, 1, 0))
	case "arc": // a part of a ring, centered horizontally
		y, outer, inner := n[0], n[1]+n[2]/2, n[1]-n[2]/2
		c.fill(k, append(bend(50, y, outer, outer, n[3], n[4]), bend(50, y, inner, inner, n[4], n[3])...))
	case "box":
		c.box(k, n[0], n[1], n[2], n[3], n[4])
	case "line":
		c.line(k, n[0], paths(words[3:])[0])
	case "fill":
		c.fill(k, paths(words[2:])...)
	}
}

// paths parses points and bends; a slash begins another path.
func paths(words []string) [][]point {
	list := [][]point{nil}
	for _, word := range words {
		at := &list[len(list)-1]
		switch n := numbers(word); {
		case word == "/":
			list = append(list, nil)
		case len(n) == 6:
			*at = append(*at, bend(n[0], n[1], n[2], n[3], n[4], n[5])...)
		default:
			*at = append(*at, point{n[0], n[1]})
		}
	}
	return list
}

func numbers(word string) []float64 {
	var list []float64
	for text := range strings.SplitSeq(word, ",") {
		v, _ := strconv.ParseFloat(text, 64)
		list = append(list, v)
	}
	return list
}
