package pixel_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"os"
	"slices"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// inputs are the colors to convert, in columns of 16 pixels.
var inputs = [8]color.NRGBA{{255, 0, 0, 255}, {255, 255, 255, 255}, {0, 0, 0, 255}, {200, 100, 50, 255},
	{128, 128, 128, 255}, {10, 20, 30, 255}, {60, 200, 90, 255}, {90, 60, 180, 255}}

// converted has the results of Little CMS 2.14 in 16 bits, relative to white, with the profiles in
// testdata, which it wrote too.
var converted = map[string][8][3]uint16{
	"p3": {{65535, 0, 0}, {65535, 65535, 65535}, {0, 0, 0}, {55229, 23801, 7955}, {32896, 32896, 32896},
		{1816, 5226, 7948}, {0, 52279, 18671}, {24480, 14992, 48006}},
	"adobe": {{65535, 0, 0}, {65535, 65535, 65535}, {0, 0, 0}, {58358, 25718, 10885}, {33161, 33161, 33161},
		{0, 3105, 6226}, {0, 51736, 20584}, {25467, 14757, 47452}},
	"prophoto": {{65535, 0, 0}, {65535, 65535, 65535}, {0, 0, 0}, {65535, 20595, 11963}, {37627, 37627, 37627},
		{0, 7296, 10774}, {0, 58671, 20359}, {22260, 16951, 52590}},
}

// columns draws the inputs on an image.
func columns(m draw.Image, alpha uint8) draw.Image {
	for i, c := range inputs {
		c.A = alpha
		draw.Draw(m, image.Rect(16*i, 0, 16*i+16, 16), image.NewUniform(c), image.Point{}, draw.Src)
	}
	return m
}

func iccFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name + ".icc")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// withICC adds a profile to a PNG or a JPEG, to the latter in parts of 300 bytes, last part first.
func withICC(t testing.TB, b, profile []byte) []byte {
	t.Helper()
	if b[0] == 0x89 {
		var chunk bytes.Buffer
		chunk.WriteString("any name\x00\x00")
		z := zlib.NewWriter(&chunk)
		if _, err := z.Write(profile); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		return withChunk(b, "iCCP", chunk.Bytes())
	}
	parts := slices.Collect(slices.Chunk(profile, 300))
	for i, part := range parts {
		b = withSegment(b, slices.Concat([]byte("ICC_PROFILE\x00"), []byte{byte(i + 1), byte(len(parts))}, part))
		b[3] = 0xe2
	}
	return b
}

// TestToSRGB compares the colors of three profiles, in every format and image type, with those that
// another program converts.
func TestToSRGB(t *testing.T) {
	box := image.Rect(0, 0, 128, 16)
	lossless, err := os.ReadFile("testdata/columns.webp")
	if err != nil {
		t.Fatal(err)
	}
	palette := color.Palette{}
	for _, c := range inputs {
		palette = append(palette, c)
	}
	for name, want := range converted {
		profile := iccFile(t, name)
		for format, tc := range map[string]struct {
			body      []byte
			tolerance uint32 // of 65,535
		}{
			"PNG":             {withICC(t, pngOf(t, columns(image.NewRGBA(box), 255)), profile), 300},
			"transparent PNG": {withICC(t, pngOf(t, columns(image.NewNRGBA(box), 100)), profile), 700},
			"palette":         {withICC(t, pngOf(t, columns(image.NewPaletted(box, palette), 255)), profile), 300},
			"16 bits":         {withICC(t, pngOf(t, columns(image.NewRGBA64(box), 255)), profile), 24},
			"16 bits, transparent": {withICC(t, pngOf(t, columns(image.NewNRGBA64(box), 100)), profile),
				400},
			"JPEG": {withICC(t, jpegOf(t, columns(image.NewRGBA(box), 255)), profile), 3000},
			"WebP": {withICCP(lossless, profile), 3000}, // stored as a JPEG
		} {
			p, err := pixel.Clean(tc.body)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, format, err)
			}
			if bytes.Contains(p.Body, []byte("iCCP")) || bytes.Contains(p.Body, []byte("acsp")) {
				t.Errorf("%s, %s: the profile would be applied again", name, format)
			}
			m := decoded(t, p)
			for i, want := range want {
				got := color.NRGBA64Model.Convert(m.At(16*i+8, 8)).(color.NRGBA64)
				for k, v := range []uint16{got.R, got.G, got.B} {
					if d := max(v, want[k]) - min(v, want[k]); uint32(d) > tc.tolerance {
						t.Errorf("%s, %s: %v is %v, want %v", name, format, inputs[i], got, want)
						break
					}
				}
			}
		}
	}
}

// TestGrayToSRGB: a gray profile applies to grayscale images only.
func TestGrayToSRGB(t *testing.T) {
	profile := iccFile(t, "gray")
	values, want := []uint8{0, 1, 10, 64, 128, 200, 255}, []uint16{0, 39, 2489, 20912, 37627, 54018, 65535}
	box := image.Rect(0, 0, len(values), 1)
	gray, deep, seeThrough := image.NewGray(box), image.NewGray16(box), image.NewNRGBA(box)
	for i, v := range values {
		gray.SetGray(i, 0, color.Gray{v})
		deep.SetGray16(i, 0, color.Gray16{uint16(v) * 257})
		seeThrough.SetNRGBA(i, 0, color.NRGBA{v, v, v, 90})
	}
	grayAlpha := grayAlphaPNG(t, values, 90)
	for name, tc := range map[string]struct {
		body      []byte
		tolerance int
		stays     bool
	}{
		"gray": {pngOf(t, gray), 140, false}, "16 bits": {pngOf(t, deep), 12, false},
		"gray and transparent": {grayAlpha, 140, false}, "colored": {pngOf(t, seeThrough), 2, true},
	} {
		p, err := pixel.Clean(withICC(t, tc.body, profile))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m := decoded(t, p)
		for i, v := range values {
			got, want := color.NRGBA64Model.Convert(m.At(i, 0)).(color.NRGBA64).R, want[i]
			if tc.stays {
				want = uint16(v) * 257
			}
			if d := int(got) - int(want); d > tc.tolerance || d < -tc.tolerance {
				t.Errorf("%s: %d is %d, want %d", name, v, got, want)
			}
		}
	}
}

// grayAlphaPNG returns a PNG of color type 4, which Go does not write.
func grayAlphaPNG(t *testing.T, values []uint8, alpha uint8) []byte {
	t.Helper()
	var data bytes.Buffer
	z := zlib.NewWriter(&data)
	row := []byte{0}
	for _, v := range values {
		row = append(row, v, alpha)
	}
	if _, err := z.Write(row); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	b := headPNG(uint32(len(values)), 1)
	b[25] = 4
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	for _, c := range []struct {
		kind string
		data []byte
	}{{"IEND", nil}, {"IDAT", data.Bytes()}} { // each is inserted after the header
		b = withChunk(b, c.kind, c.data)
	}
	return b
}

// TestProfileOfSRGB: an image with an sRGB profile keeps every byte of its pixels and loses the
// profile.
func TestProfileOfSRGB(t *testing.T) {
	plain := pngOf(t, columns(image.NewRGBA(image.Rect(0, 0, 128, 16)), 255))
	p, err := pixel.Clean(withICC(t, plain, iccFile(t, "srgb")))
	if err != nil || !bytes.Equal(p.Body, plain) {
		t.Errorf("%v, equal: %t", err, err == nil && bytes.Equal(p.Body, plain))
	}
}

// FuzzProfile: no profile crashes the program or makes it refuse an image.
func FuzzProfile(f *testing.F) {
	for _, name := range []string{"p3", "adobe", "prophoto", "gray", "srgb"} {
		f.Add(iccFile(f, name))
	}
	plain := pngOf(f, columns(image.NewRGBA(image.Rect(0, 0, 128, 16)), 255))
	gray := pngOf(f, image.NewGray16(image.Rect(0, 0, 3, 3)))
	f.Fuzz(func(t *testing.T, profile []byte) {
		if len(profile) >= 40 { // most mutations are behind the header
			binary.BigEndian.PutUint32(profile, uint32(len(profile)))
			copy(profile[36:], "acsp")
		}
		for _, b := range [][]byte{plain, gray} {
			if _, err := pixel.Clean(withICC(t, b, profile)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
