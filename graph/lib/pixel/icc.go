package pixel

import (
	"encoding/binary"
	"math"
)

// transform converts the colors of a profile to sRGB.
type transform struct {
	curves [3]func(float64) float64
	// matrix converts linear values of the profile to linear sRGB.
	matrix [3][3]float32
}

// fromXYZ converts XYZ under D50, in which profiles describe colors, to linear sRGB: the inverse of
// the colorants in the ICC's sRGB profile.
var fromXYZ = matrix{
	{3.1341122, -1.6173924, -0.4906334},
	{-0.9787873, 1.9162796, 0.0334547},
	{0.0719830, -0.2289858, 1.4053851},
}

// whiteD50 is the white of the profile connection space (ICC.1:2022, section 7.2.16).
var whiteD50 = vector{0.9642, 1, 0.8249}

// newTransform reads the transform of a profile with three primaries and their curves, or one gray
// curve (ICC.1:2022, sections F.2 and F.3). It returns nil for other profiles, including those
// whose primaries do not add up to white.
func newTransform(p []byte) *transform {
	t := &transform{}
	if string(p[16:24]) == "GRAYXYZ " {
		curve := toneCurve(profileTag(p, "kTRC"))
		if curve == nil {
			return nil
		}
		t.curves = [3]func(float64) float64{curve, curve, curve}
		t.matrix = [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		return t
	}
	if string(p[16:24]) != "RGB XYZ " {
		return nil
	}
	white := whiteD50
	for i, name := range []string{"r", "g", "b"} {
		primary := profileTag(p, name+"XYZ")
		t.curves[i] = toneCurve(profileTag(p, name+"TRC"))
		if t.curves[i] == nil || len(primary) < 20 || string(primary[:4]) != "XYZ " {
			return nil
		}
		for j := range 3 {
			v := fixed(primary[8+4*j:])
			white[j] -= v
			for k := range 3 {
				t.matrix[k][i] += float32(fromXYZ[k][j] * v)
			}
		}
	}
	const tolerance = 0.02
	for _, rest := range white {
		if math.Abs(rest) > tolerance {
			return nil
		}
	}
	return t
}

// profileTag returns the data of a tag (ICC.1:2022, section 7.3), or nil.
func profileTag(p []byte, name string) []byte {
	const header, entry = 128 + 4, 12
	for rest := cut(p, header); len(rest) >= entry; rest = rest[entry:] {
		at, size := int64(binary.BigEndian.Uint32(rest[4:])), int64(binary.BigEndian.Uint32(rest[8:]))
		switch {
		case len(p)-len(rest) >= header+entry*int(binary.BigEndian.Uint32(p[128:])):
			return nil
		case string(rest[:4]) == name && at+size <= int64(len(p)):
			return p[at : at+size]
		}
	}
	return nil
}

// fixed reads a number of the type s15Fixed16Number.
func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / (1 << 16) }

// toneCurve reads a curve that makes the values of a profile linear, both from 0 to 1 (ICC.1:2022,
// sections 10.6 and 10.18). It returns nil for a damaged one.
func toneCurve(b []byte) func(float64) float64 {
	const head = 12
	if len(b) < head {
		return nil
	}
	switch string(b[:4]) {
	case "curv":
		n := int64(binary.BigEndian.Uint32(b[8:]))
		if samples := b[head:]; n <= int64(len(samples)/2) {
			return sampledCurve(samples[:2*n])
		}
	case "para":
		return parametricCurve(binary.BigEndian.Uint16(b[8:]), b[head:])
	}
	return nil
}

func sampledCurve(samples []byte) func(float64) float64 {
	at := func(i int) float64 { return float64(binary.BigEndian.Uint16(samples[2*i:])) }
	switch n := len(samples) / 2; n {
	case 0:
		return func(x float64) float64 { return x }
	case 1:
		gamma := at(0) / (1 << 8)
		return func(x float64) float64 { return math.Pow(x, gamma) }
	default:
		return func(x float64) float64 {
			i := min(int(x*float64(n-1)), n-2)
			part := x*float64(n-1) - float64(i)
			return (at(i)*(1-part) + at(i+1)*part) / math.MaxUint16
		}
	}
}

func parametricCurve(kind uint16, b []byte) func(float64) float64 {
	counts := []int{1, 3, 4, 5, 7}
	if int(kind) >= len(counts) || len(b) < 4*counts[kind] {
		return nil
	}
	v := [7]float64{1: 1} // g, a, b, c, d, e and f of the fifth kind, which covers the others
	for i := range counts[kind] {
		v[i] = fixed(b[4*i:])
	}
	if kind == 1 || kind == 2 {
		v[3], v[4], v[5], v[6] = 0, -v[2]/v[1], v[3], v[3]
	}
	return func(x float64) float64 {
		if x >= v[4] {
			return math.Pow(max(0, v[1]*x+v[2]), v[0]) + v[5]
		}
		return v[3]*x + v[6]
	}
}

func (t *transform) linear(top int) (table [3][]float32) {
	for i, curve := range t.curves {
		table[i] = make([]float32, top+1)
		for v := range table[i] {
			if y := curve(float64(v) / float64(top)); y > 0 { // false for NaN
				table[i][v] = float32(min(y, 1))
			}
		}
	}
	return table
}

// mixed converts linear values of a profile to sRGB values from 0 to 1. Colors outside sRGB are
// clipped.
func (t *transform) mixed(r, g, b float32) (out [3]float32) {
	for i, row := range t.matrix {
		out[i] = encoded(row[0]*r + row[1]*g + row[2]*b)
	}
	return out
}

// curveSteps is the size of the table of the sRGB curve. Between its steps, the curve is close
// enough to a line for 16 bits.
const curveSteps = 1 << 14

var sRGBCurve = func() (table [curveSteps + 2]float32) {
	for i := range table {
		x := float64(i) / curveSteps
		if x <= 0.0031308 {
			table[i] = float32(12.92 * x)
		} else {
			table[i] = float32(1.055*math.Pow(x, 1/2.4) - 0.055)
		}
	}
	return table
}()

// encoded returns a linear value on the sRGB curve (IEC 61966-2-1).
func encoded(x float32) float32 {
	x = max(0, min(x, 1)) * curveSteps
	i := int(x)
	part := x - float32(i)
	return sRGBCurve[i]*(1-part) + sRGBCurve[i+1]*part
}
