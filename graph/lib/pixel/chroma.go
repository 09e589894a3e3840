package pixel

import (
	"encoding/binary"
	"math"
)

// chromaticities are the x and y of white, red, green and blue (CIE 1931).
type chromaticities [4][2]float64

// displayP3 are the chromaticities of Display P3 (ITU-T H.273, primaries 12), rec709 those of sRGB
// (primaries 1). Read-only.
var (
	displayP3 = chromaticities{{0.3127, 0.3290}, {0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}}
	rec709    = chromaticities{{0.3127, 0.3290}, {0.640, 0.330}, {0.300, 0.600}, {0.150, 0.060}}
)

// codedTransform reads the chunk cICP (PNG, third edition, section 11.3.2.6). It supports sRGB and
// Display P3, both with the sRGB curve, and returns nil for other code points, which videos and HDR
// use.
func codedTransform(chunk []byte) *transform {
	const sRGBTransfer, rgbMatrix, fullRange = 13, 0, 1
	if len(chunk) != 4 || chunk[1] != sRGBTransfer || chunk[2] != rgbMatrix || chunk[3] != fullRange {
		return nil
	}
	switch chunk[0] {
	case 1:
		return chromaTransform(rec709, decoded)
	case 12:
		return chromaTransform(displayP3, decoded)
	}
	return nil
}

// gammaTransform reads the chunks gAMA and cHRM (PNG, third edition, sections 11.3.2.1 and
// 11.3.2.2). Like browsers, it ignores one without the other and returns nil.
func gammaTransform(gama, chrm []byte) *transform {
	const unit = 100_000
	if len(gama) != 4 || len(chrm) != 32 || binary.BigEndian.Uint32(gama) == 0 {
		return nil
	}
	var c chromaticities
	for i := range c {
		for k := range c[i] {
			c[i][k] = float64(binary.BigEndian.Uint32(chrm[8*i+4*k:])) / unit
		}
	}
	gamma := unit / float64(binary.BigEndian.Uint32(gama))
	return chromaTransform(c, func(x float64) float64 { return math.Pow(x, gamma) })
}

// bradford converts XYZ to the cone responses in which white points are adapted (ICC.1:2022, annex
// E).
var bradford = matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}

// chromaTransform returns the transform of colors with chromaticities and a curve, nil for
// chromaticities that span no color space.
func chromaTransform(c chromaticities, curve func(float64) float64) *transform {
	var xyz matrix
	for i, p := range c[1:] {
		xyz[0][i], xyz[1][i], xyz[2][i] = p[0], p[1], 1-p[0]-p[1]
	}
	white := vector{c[0][0] / c[0][1], 1, (1 - c[0][0] - c[0][1]) / c[0][1]}
	from, to := bradford.of(white), bradford.of(whiteD50)
	adapted := bradford.inverse().times(diagonal(vector{to[0] / from[0], to[1] / from[1], to[2] / from[2]})).
		times(bradford)
	whole := fromXYZ.times(adapted).times(xyz).times(diagonal(xyz.inverse().of(white)))
	t := &transform{curves: [3]func(float64) float64{curve, curve, curve}}
	for i, row := range whole {
		for k, v := range row {
			const most = 1000 // also false for infinity and NaN
			if !(math.Abs(v) < most) {
				return nil
			}
			t.matrix[i][k] = float32(v)
		}
	}
	return t
}

// decoded returns the linear value of a value on the sRGB curve (IEC 61966-2-1).
func decoded(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

type (
	vector = [3]float64
	matrix [3]vector
)

func diagonal(v vector) matrix { return matrix{{v[0], 0, 0}, {0, v[1], 0}, {0, 0, v[2]}} }

func (m matrix) of(v vector) (out vector) {
	for i, row := range m {
		out[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return out
}

func (m matrix) times(n matrix) (out matrix) {
	for k := range 3 {
		for i, v := range m.of(vector{n[0][k], n[1][k], n[2][k]}) {
			out[i][k] = v
		}
	}
	return out
}

// inverse returns the inverse matrix. It contains infinities or NaN if there is none.
func (m matrix) inverse() (out matrix) {
	minor := func(i, k int) float64 {
		return m[(i+1)%3][(k+1)%3]*m[(i+2)%3][(k+2)%3] - m[(i+1)%3][(k+2)%3]*m[(i+2)%3][(k+1)%3]
	}
	det := m[0][0]*minor(0, 0) + m[0][1]*minor(0, 1) + m[0][2]*minor(0, 2)
	for i := range 3 {
		for k := range 3 {
			out[k][i] = minor(i, k) / det
		}
	}
	return out
}
