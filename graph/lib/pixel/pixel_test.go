package pixel_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// corners are the colors of an image's corners: top left, top right, bottom left.
var corners = [3]color.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}}

// sample returns an image with three colored corners, the rest white.
func sample(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{255, 255, 255, 255}
			switch {
			case x < w/2 && y < h/2:
				c = corners[0]
			case y < h/2:
				c = corners[1]
			case x < w/2:
				c = corners[2]
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// exif returns Exif data with an orientation, followed by a secret.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(b, 0x0112)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, orientation)
	b = append(b, 0, 0, 0, 0, 0, 0)
	return append(b, "GPS 52.5163 13.3777"...)
}

// withSegment inserts an APP1 segment after the start of a JPEG.
func withSegment(b, data []byte) []byte {
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(data)+2))
	return slices.Concat(head, data, b[2:])
}

// withChunk inserts a chunk after the header of a PNG.
func withChunk(b []byte, kind string, data []byte) []byte {
	const header = 8 + 25
	body := append([]byte(kind), data...)
	c := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	c = binary.BigEndian.AppendUint32(append(c, body...), crc32.ChecksumIEEE(body))
	return slices.Concat(b[:header], c, b[header:])
}

// headPNG returns the beginning of a PNG of the given size.
func headPNG(w, h uint32) []byte {
	body := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h)
	body = append(body, 8, 6, 0, 0, 0)
	b := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13)
	return binary.BigEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
}

// animation returns a GIF with a number of frames, a comment and trailing data.
func animation(t testing.TB, frames int) []byte {
	t.Helper()
	g := &gif.GIF{LoopCount: 3}
	for i := range frames {
		m := image.NewPaletted(image.Rect(0, 0, 8, 6), color.Palette{color.White, color.Black, corners[0]})
		m.SetColorIndex(i%8, 0, 1)
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 10)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	plain := b.Bytes()
	at := bytes.Index(plain, []byte{0x21, 0xf9}) // before the first frame
	comment := []byte("\x21\xfe\x06secret\x00\x21\xff\x0bXMP DataXMP\x06secret\x00")
	return slices.Concat(plain[:at], comment, plain[at:], []byte("<script>secret</script>"))
}

// onePixel is a WebP of one pixel, lossless and transparent.
var onePixel, _ = base64.StdEncoding.DecodeString(
	"UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")

func near(a, b color.Color) bool {
	r, g, bl, _ := a.RGBA()
	R, G, B, _ := b.RGBA()
	far := func(x, y uint32) bool { return max(x, y)-min(x, y) > 40<<8 }
	return !far(r, R) && !far(g, G) && !far(bl, B)
}

func decoded(t testing.TB, p *pixel.Image) image.Image {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(p.Body))
	if err != nil {
		t.Fatal(err)
	}
	if m.Bounds().Dx() != p.Width || m.Bounds().Dy() != p.Height {
		t.Fatalf("%v, but it is %d by %d", m.Bounds(), p.Width, p.Height)
	}
	return m
}

// TestOrientation: an image is rotated by its Exif orientation, and loses that.
func TestOrientation(t *testing.T) {
	const w, h = 48, 32
	// where the first three corners of the image are: left, top is 0; right, bottom is 1
	type at [3][2]int
	for o, want := range map[uint16]at{
		1: {{0, 0}, {1, 0}, {0, 1}}, 2: {{1, 0}, {0, 0}, {1, 1}}, 3: {{1, 1}, {0, 1}, {1, 0}},
		4: {{0, 1}, {1, 1}, {0, 0}}, 5: {{0, 0}, {0, 1}, {1, 0}}, 6: {{1, 0}, {1, 1}, {0, 0}},
		7: {{1, 1}, {1, 0}, {0, 1}}, 8: {{0, 1}, {0, 0}, {1, 1}}, 0: {{0, 0}, {1, 0}, {0, 1}},
		9: {{0, 0}, {1, 0}, {0, 1}},
	} {
		little, big := exif(binary.LittleEndian, o), exif(binary.BigEndian, o)
		for name, b := range map[string][]byte{
			"jpeg":     withSegment(jpegOf(t, sample(w, h)), append([]byte("Exif\x00\x00"), little...)),
			"jpeg, MM": withSegment(jpegOf(t, sample(w, h)), append([]byte("Exif\x00\x00"), big...)),
			"png":      withChunk(pngOf(t, sample(w, h)), "eXIf", big),
		} {
			p, err := pixel.Clean(b)
			if err != nil {
				t.Fatalf("%s, %d: %v", name, o, err)
			}
			m := decoded(t, p)
			for i, place := range want {
				x, y := 4+place[0]*(p.Width-9), 4+place[1]*(p.Height-9)
				if !near(m.At(x, y), corners[i]) {
					t.Errorf("%s, %d: corner %d is %v", name, o, i, m.At(x, y))
				}
			}
			if bytes.Contains(p.Body, []byte("GPS")) || bytes.Contains(p.Body, []byte("Exif")) {
				t.Errorf("%s, %d: the place is left", name, o)
			}
		}
	}
}

// TestClean: an upload gets the type that it should have, and nothing else remains.
func TestClean(t *testing.T) {
	glass := image.NewNRGBA(image.Rect(0, 0, 5, 4))
	for name, tc := range map[string]struct {
		body []byte
		want pixel.Header
	}{
		"jpeg": {append(jpegOf(t, sample(9, 7)), "PK\x03\x04secret"...), pixel.Header{pixel.JPEG, 9, 7}},
		"png": {withChunk(append(pngOf(t, glass), "secret"...), "tEXt", []byte("Comment\x00secret")),
			pixel.Header{pixel.PNG, 5, 4}},
		"gif":       {animation(t, 1), pixel.Header{pixel.PNG, 8, 6}},
		"animation": {animation(t, 3), pixel.Header{pixel.GIF, 8, 6}},
		"webp":      {onePixel, pixel.Header{pixel.PNG, 1, 1}},
	} {
		p, err := pixel.Clean(tc.body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Header != tc.want {
			t.Errorf("%s: %+v", name, p.Header)
		}
		decoded(t, p)
		if bytes.Contains(p.Body, []byte("secret")) {
			t.Errorf("%s holds what is not seen", name)
		}
		again, err := pixel.Clean(p.Body)
		if err != nil || again.Header != p.Header {
			t.Errorf("%s again: %v", name, err)
		}
	}
}

// someProfile returns an otherwise empty color profile of a length.
func someProfile(n int, space string) []byte {
	p := binary.BigEndian.AppendUint32(nil, uint32(n))
	p = append(p, make([]byte, n-4)...)
	copy(p[16:], space)
	copy(p[36:], "acsp")
	return p
}

// TestProfile: a JPEG keeps its profile, in every width; invalid profiles are removed.
func TestProfile(t *testing.T) {
	const mark = "ICC_PROFILE\x00\x01\x01"
	for name, tc := range map[string]struct {
		segment []byte
		kept    bool
	}{
		"profile": {append([]byte(mark), someProfile(600, "RGB ")...), true},
		"grey":    {append([]byte(mark), someProfile(600, "GRAY")...), false},
		"large":   {append([]byte(mark), someProfile(9000, "RGB ")...), false},
		"longer":  {append([]byte(mark), append(someProfile(600, "RGB "), "secret"...)...), false},
		"none":    {[]byte(mark + "secret"), false},
	} {
		b := withSegment(jpegOf(t, sample(40, 30)), tc.segment)
		b[3] = 0xe2
		p, err := pixel.Clean(b)
		if err != nil {
			t.Fatal(err)
		}
		small, err := pixel.Scale(p.Body, 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range [][]byte{p.Body, small[0]} {
			if got := bytes.Contains(body, []byte("acsp")); got != tc.kept {
				t.Errorf("%s is kept: %t", name, got)
			}
			if _, err := jpeg.Decode(bytes.NewReader(body)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestAnimation: the frames, their times and the number of repetitions stay.
func TestAnimation(t *testing.T) {
	p, err := pixel.Clean(animation(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(p.Body))
	if err != nil || len(g.Image) != 3 || g.Delay[1] != 10 || g.LoopCount != 3 {
		t.Fatalf("%+v, %v", g, err)
	}
}

// TestRefused: input that is not an image, is too large by its header, or is cut off.
func TestRefused(t *testing.T) {
	whole := jpegOf(t, sample(40, 30))
	passes := slices.Concat(whole, bytes.Repeat([]byte{0xff, 0xda}, 100))
	moving := slices.Concat([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00"),
		[]byte{0, 0, 0, 0, 0, 0}, onePixel[12:])
	for name, tc := range map[string]struct {
		body []byte
		want error
	}{
		"nothing": {nil, pixel.ErrNone}, "svg": {[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), pixel.ErrNone},
		"heic":          {[]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"), pixel.ErrPhone},
		"avif":          {[]byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00"), pixel.ErrPhone},
		"page":          {[]byte("<!doctype html><img>"), pixel.ErrNone},
		"pixels":        {headPNG(10_000, 6_000), pixel.ErrPixels},
		"many pixels":   {headPNG(1<<30, 1<<30), pixel.ErrNone},
		"long":          {headPNG(20_001, 1), pixel.ErrSide},
		"header":        {headPNG(100, 100), pixel.ErrBroken},
		"cut jpeg":      {whole[:len(whole)-200], pixel.ErrBroken},
		"cut png":       {pngOf(t, sample(40, 30))[:100], pixel.ErrBroken},
		"cut animation": {animation(t, 3)[:150], pixel.ErrBroken},
		"passes":        {passes, pixel.ErrPasses},
		"frames":        {animation(t, 1001), pixel.ErrFrames},
		"moving webp":   {moving, pixel.ErrAnimated},
	} {
		if p, err := pixel.Clean(tc.body); !errors.Is(err, tc.want) || p != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestScale: widths in the image's own type and aspect ratio, in one call.
func TestScale(t *testing.T) {
	for name, b := range map[string][]byte{
		"jpeg": jpegOf(t, sample(2001, 1501)), "png": pngOf(t, sample(2001, 1501)),
		"tall": jpegOf(t, sample(900, 4000)),
	} {
		h, err := pixel.Inspect(b)
		if err != nil {
			t.Fatal(err)
		}
		widths := []int{800, 320, 1}
		list, err := pixel.Scale(b, widths...)
		if err != nil {
			t.Fatal(err)
		}
		for i, body := range list {
			got, err := pixel.Inspect(body)
			want := pixel.Header{h.ContentType, widths[i], pixel.HeightAt(h.Width, h.Height, widths[i])}
			if err != nil || got != want {
				t.Errorf("%s: %+v, want %+v, %v", name, got, want, err)
			}
		}
		m := decoded(t, &pixel.Image{Header: pixel.Header{Width: 320,
			Height: pixel.HeightAt(h.Width, h.Height, 320)}, Body: list[1]})
		if !near(m.At(10, 10), corners[0]) || !near(m.At(310, 10), corners[1]) {
			t.Errorf("%s shows something else", name)
		}
	}
}

// FuzzClean: whatever the input, the result is an image that is accepted again and has the reported
// size.
func FuzzClean(f *testing.F) {
	for _, b := range [][]byte{
		jpegOf(f, sample(9, 7)), pngOf(f, sample(9, 7)), animation(f, 1), animation(f, 3), onePixel, headPNG(9, 9),
		withSegment(jpegOf(f, sample(9, 7)), append([]byte("Exif\x00\x00"), exif(binary.BigEndian, 6)...)),
		withChunk(pngOf(f, sample(9, 7)), "eXIf", exif(binary.LittleEndian, 8)),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if h, err := pixel.Inspect(b); err != nil || h.Weight() > 2<<20 {
			return // refused, or slow to try
		}
		p, err := pixel.Clean(b)
		if err != nil {
			return
		}
		again, err := pixel.Clean(p.Body)
		if err != nil && p.ContentType != pixel.GIF || err == nil && again.Header != p.Header {
			t.Errorf("%+v again: %v", p.Header, err)
		}
	})
}
