package pixel

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/draw"
	"io"
	"slices"
)

const (
	// maxCarried bounds the color profiles that stay in an image, in each of its widths. Those of
	// cameras and phones have about 600 or 3,000 bytes.
	maxCarried = 8 << 10
)

// profileMark begins the JPEG segments of a profile. It is followed by the segment's number, from
// 1, and the number of segments (ICC.1:2022, section B.4).
var profileMark = []byte("ICC_PROFILE\x00")

// profile returns the color profile of an image with three colors or gray, or nil if it has none or
// it is malformed.
func profile(b []byte, contentType string) []byte {
	var p []byte
	switch contentType {
	case JPEG:
		p = jpegProfile(b)
	case PNG:
		p = pngProfile(b)
	case WebP:
		p = webpChunk(b, "ICCP")
	}
	const header = 128 + 4 // and the number of tags
	if len(p) < header || len(p) > maxCarried || int(binary.BigEndian.Uint32(p)) != len(p) {
		return nil
	}
	if space := string(p[16:20]); string(p[36:40]) == "acsp" && (space == "RGB " || space == "GRAY") {
		return p
	}
	return nil
}

func jpegProfile(b []byte) []byte {
	const app2 = 0xe2
	var parts [256][]byte
	var all byte
	for marker, data := range segments(b) {
		if p, ok := bytes.CutPrefix(data, profileMark); marker == app2 && ok && len(p) > 2 {
			parts[p[0]], all = p[2:], p[1]
		}
	}
	for _, part := range parts[1 : int(all)+1] {
		if part == nil {
			return nil
		}
	}
	return slices.Concat(parts[1 : int(all)+1]...)
}

// pngProfile decompresses the chunk iCCP: a name, a zero, the method, a zlib stream (PNG, third
// edition, section 11.3.2.3).
func pngProfile(b []byte) []byte {
	_, packed, ok := bytes.Cut(pngChunk(b, "iCCP"), []byte{0})
	if !ok || len(packed) < 1 || packed[0] != 0 {
		return nil
	}
	r, err := zlib.NewReader(bytes.NewReader(packed[1:]))
	if err != nil {
		return nil
	}
	p, err := io.ReadAll(io.LimitReader(r, maxCarried+1))
	if err != nil {
		return nil
	}
	return p
}

// profileOfSRGB is in the description of most profiles, in one of two encodings. Images without a
// profile are shown as sRGB, too.
var profileOfSRGB = []string{"sRGB IEC61966", "s\x00R\x00G\x00B\x00 \x00I\x00E\x00C\x006\x001\x009\x006\x006"}

// colors describe the colors of an image to browsers.
type colors struct {
	profile []byte
	// chunks are those of a PNG without a profile (PNG, third edition, section 11.3.2).
	chunks []byte
}

// colorsOf returns the description of the colors of an image, as far as it fits the decoded image.
func colorsOf(m image.Image, b []byte, contentType string) (c colors) {
	c.profile = profile(b, contentType)
	within := func(mark string) bool { return bytes.Contains(c.profile, []byte(mark)) }
	if c.profile != nil && string(c.profile[16:20]) != space(m) || slices.ContainsFunc(profileOfSRGB, within) {
		c.profile = nil
	}
	if contentType == PNG && pngChunk(b, "iCCP") == nil && pngChunk(b, "sRGB") == nil {
		for _, kind := range []string{"cICP", "gAMA", "cHRM"} {
			if data := pngChunk(b, kind); len(data) == 4 || len(data) == 32 && kind == "cHRM" {
				c.chunks = append(c.chunks, chunk(kind, data)...)
			}
		}
	}
	return c
}

// describe adds the description to a new JPEG or PNG.
func (c colors) describe(b []byte, contentType string) []byte {
	switch {
	case len(c.profile) == 0 && contentType == JPEG:
		return b
	case contentType == JPEG:
		mark := slices.Concat(profileMark, []byte{1, 1})
		head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe2}, uint16(2+len(mark)+len(c.profile)))
		return slices.Concat(head, mark, c.profile, b[2:])
	case len(c.profile) > 0:
		var data bytes.Buffer
		data.WriteString("profile\x00\x00")
		packed := zlib.NewWriter(&data)
		_, _ = packed.Write(c.profile) // into memory: cannot fail
		_ = packed.Close()
		c.chunks = chunk("iCCP", data.Bytes())
	}
	const header = 8 + 12 + 13 // the signature and the chunk IHDR
	return slices.Concat(b[:header], c.chunks, b[header:])
}

// chunk returns a chunk of a PNG.
func chunk(kind string, data []byte) []byte {
	b := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), kind...)
	b = append(b, data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// space returns the color space of a profile that fits a decoded image.
func space(m image.Image) string {
	switch m.(type) {
	case *image.Gray, *image.Gray16:
		return "GRAY"
	case *image.CMYK:
		return "CMYK"
	}
	return "RGB "
}

// grayOf returns an image in shades of gray.
func grayOf(m image.Image) *image.Gray {
	dst := image.NewGray(m.Bounds())
	draw.Draw(dst, dst.Rect, m, m.Bounds().Min, draw.Src)
	return dst
}
