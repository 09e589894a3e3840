package pixel_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// numbers encodes 32-bit numbers as in the chunks of a PNG.
func numbers(list ...uint32) (b []byte) {
	for _, v := range list {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

var (
	adobeGamma = numbers(45470)
	adobeRGB   = numbers(31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000)
	p3Code     = []byte{12, 13, 0, 1}
)

// TestChunksToSRGB compares colors that the chunks of a PNG describe with those that Little CMS
// converts by equivalent profiles. The first chunk in the order of the specification counts.
func TestChunksToSRGB(t *testing.T) {
	type chunk struct {
		kind string
		data []byte
	}
	plain := pngOf(t, columns(image.NewRGBA64(image.Rect(0, 0, 128, 16)), 255))
	gamma, chroma, sRGB := chunk{"gAMA", adobeGamma}, chunk{"cHRM", adobeRGB}, chunk{"sRGB", []byte{0}}
	p3, icc := chunk{"cICP", p3Code}, chunk{"iCCP", nil}
	for name, tc := range map[string]struct {
		chunks []chunk
		want   string // "" leaves the colors unchanged
	}{
		"Display P3":             {[]chunk{p3}, "p3"},
		"Display P3 before all":  {[]chunk{gamma, chroma, sRGB, icc, p3}, "p3"},
		"sRGB by its code":       {[]chunk{{"cICP", []byte{1, 13, 0, 1}}, gamma, chroma}, ""},
		"PQ is not known":        {[]chunk{{"cICP", []byte{9, 16, 0, 1}}}, ""},
		"PQ beside a profile":    {[]chunk{{"cICP", []byte{9, 16, 0, 1}}, icc}, "prophoto"},
		"video range":            {[]chunk{{"cICP", []byte{12, 13, 0, 0}}}, ""},
		"half a code":            {[]chunk{{"cICP", []byte{12, 13}}}, ""},
		"gamma, chromaticities":  {[]chunk{gamma, chroma}, "adobe"},
		"a profile before gamma": {[]chunk{gamma, chroma, icc}, "prophoto"},
		"sRGB before gamma":      {[]chunk{gamma, chroma, sRGB}, ""},
		"gamma alone":            {[]chunk{gamma}, ""},
		"chromaticities alone":   {[]chunk{chroma}, ""},
		"no gamma":               {[]chunk{{"gAMA", numbers(0)}, chroma}, ""},
		"no white": {
			[]chunk{gamma, {"cHRM", numbers(0, 0, 64000, 33000, 21000, 71000, 15000, 6000)}}, ""},
		"one color three times": {[]chunk{gamma, {"cHRM", numbers(1, 1, 2, 2, 2, 2, 2, 2)}}, ""},
	} {
		b := plain
		for _, c := range tc.chunks {
			if c.kind == "iCCP" {
				b = withICC(t, b, iccFile(t, "prophoto"))
			} else {
				b = withChunk(b, c.kind, c.data)
			}
		}
		p, err := pixel.Clean(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, kind := range []string{"cICP", "gAMA", "cHRM", "iCCP"} {
			if bytes.Contains(p.Body, []byte(kind)) {
				t.Errorf("%s: %s would be applied again", name, kind)
			}
		}
		m := decoded(t, p)
		for i, in := range inputs {
			want := [3]uint16{uint16(in.R) * 257, uint16(in.G) * 257, uint16(in.B) * 257}
			if tc.want != "" {
				want = converted[tc.want][i]
			}
			got := color.NRGBA64Model.Convert(m.At(16*i+8, 8)).(color.NRGBA64)
			for k, v := range []uint16{got.R, got.G, got.B} {
				if d := math.Abs(float64(v) - float64(want[k])); d > 60 { // of 65,535
					t.Errorf("%s: %v is %v, want %v", name, in, got, want)
					break
				}
			}
		}
	}
}

// TestGammaOfGray: the gamma of a grayscale image counts, with and without transparency.
func TestGammaOfGray(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 1, 1))
	gray.SetGray(0, 0, color.Gray{128})
	for name, b := range map[string][]byte{"gray": pngOf(t, gray), "transparent": grayAlphaPNG(t, []uint8{128}, 90)} {
		p, err := pixel.Clean(withChunk(withChunk(b, "cHRM", adobeRGB), "gAMA", numbers(100_000)))
		if err != nil {
			t.Fatal(err)
		}
		// Half of the light is 188 of 255 on the sRGB curve.
		if got := color.NRGBAModel.Convert(decoded(t, p).At(0, 0)).(color.NRGBA); got.R != 188 || got.B != 188 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// FuzzChroma: no chunk crashes the program or makes it refuse an image.
func FuzzChroma(f *testing.F) {
	f.Add(adobeGamma, adobeRGB, p3Code)
	f.Add(numbers(1), numbers(31270, 1, 0, 0, math.MaxUint32, 1, 1, 1), []byte(nil))
	plain := pngOf(f, columns(image.NewRGBA(image.Rect(0, 0, 128, 16)), 255))
	f.Fuzz(func(t *testing.T, gamma, chroma, code []byte) {
		b := withChunk(withChunk(plain, "cHRM", chroma), "gAMA", gamma)
		if len(code) > 0 {
			b = withChunk(b, "cICP", code)
		}
		if _, err := pixel.Clean(b); err != nil {
			t.Fatal(err)
		}
	})
}
