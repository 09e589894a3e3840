package pixel_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"os"
	"slices"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// blocks are the colors of the files in testdata, four above four, 32 pixels each, as given to
// cwebp 1.2.4.
var blocks = [8]color.NRGBA{{255, 255, 255, 255}, {0, 0, 0, 255}, {200, 30, 40, 255}, {30, 160, 60, 255},
	{40, 60, 200, 255}, {128, 128, 128, 255}, {250, 200, 20, 255}, {10, 200, 220, 255}}

// TestWebP compares colors with the encoder's input: black stays black, and white stays white.
func TestWebP(t *testing.T) {
	for file, kept := range map[string]string{"lossy.webp": pixel.JPEG, "lossy-alpha.webp": pixel.PNG,
		"lossless.webp": pixel.JPEG} {
		b, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := pixel.Clean(b)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := image.Decode(bytes.NewReader(p.Body))
		if err != nil || p.ContentType != kept {
			t.Fatalf("%s: %s, %v", file, p.ContentType, err)
		}
		for i, want := range blocks {
			got := color.NRGBAModel.Convert(m.At(i%4*32+18, i/4*32+16)).(color.NRGBA)
			if off(got.R, want.R) > 4 || off(got.G, want.G) > 4 || off(got.B, want.B) > 4 {
				t.Errorf("%s: block %d is %v, want %v", file, i, got, want)
			}
		}
	}
}

func off(a, b uint8) int { return max(int(a), int(b)) - min(int(a), int(b)) }

// TestPNGAndWebPProfiles: an image keeps the profile of a PNG or a WebP, in every width and every
// type.
func TestPNGAndWebPProfiles(t *testing.T) {
	lossy, err := os.ReadFile("testdata/lossy.webp")
	if err != nil {
		t.Fatal(err)
	}
	transparent, err := os.ReadFile("testdata/lossy-alpha.webp")
	if err != nil {
		t.Fatal(err)
	}
	profile := someProfile(600, "RGB ")
	jpegWith := withSegment(jpegOf(t, sample(40, 30)), append([]byte("ICC_PROFILE\x00\x01\x01"), profile...))
	jpegWith[3] = 0xe2
	photo, err := pixel.Clean(jpegWith)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"JPEG": photo.Body, "WebP": withICCP(lossy, profile), "transparent WebP": withICCP(transparent, profile),
	} {
		p, err := pixel.Clean(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := pixel.Clean(p.Body) // as an uploaded PNG or JPEG
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		small, err := pixel.Scale(again.Body, 20)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, body := range [][]byte{p.Body, again.Body, small[0]} {
			if has := bytes.Contains(body, []byte("acsp")) || bytes.Contains(body, []byte("iCCP")); !has {
				t.Errorf("%s: the profile is gone", name)
			}
			if _, _, err := image.Decode(bytes.NewReader(body)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	grey, err := pixel.Clean(pngOf(t, image.NewGray(image.Rect(0, 0, 9, 9))))
	if err != nil || bytes.Contains(grey.Body, []byte("iCCP")) {
		t.Errorf("grey: %v", err)
	}
	if _, err := png.Decode(bytes.NewReader(grey.Body)); err != nil {
		t.Error(err)
	}
}

// withICCP adds a profile to a WebP, which then has the extended format.
func withICCP(b, profile []byte) []byte {
	chunk := func(name string, data []byte) []byte {
		head := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data)))
		return append(append(head, data...), make([]byte, len(data)&1)...)
	}
	body := b[12:]
	const iccp = 0x20
	h, _ := pixel.Inspect(b)
	flags := []byte{iccp, 0, 0, 0, byte(h.Width - 1), 0, 0, byte(h.Height - 1), 0, 0}
	if string(body[:4]) == "VP8X" {
		flags[0] |= body[8]
		body = body[18:]
	}
	body = slices.Concat([]byte("WEBP"), chunk("VP8X", flags), chunk("ICCP", profile), body)
	return slices.Concat([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(len(body))), body)
}
