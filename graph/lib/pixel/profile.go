package pixel

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
	"slices"
)

const (
	// maxProfile bounds the color profiles that are read: those of cameras and phones have about
	// 600 or 3,000 bytes, those of printers and screens up to some hundred thousand.
	maxProfile = 1 << 20
	// maxCarried bounds the profiles that stay in an image, in each of its widths.
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
	if len(p) < header || len(p) > maxProfile || int(binary.BigEndian.Uint32(p)) != len(p) {
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
	p, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err != nil {
		return nil
	}
	return p
}

// withProfile adds a profile to a JPEG or PNG that has none.
func withProfile(b []byte, contentType string, p []byte) []byte {
	switch {
	case len(p) == 0:
		return b
	case contentType == JPEG:
		mark := slices.Concat(profileMark, []byte{1, 1})
		head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe2}, uint16(2+len(mark)+len(p)))
		return slices.Concat(head, mark, p, b[2:])
	}
	var chunk bytes.Buffer
	chunk.WriteString("iCCPprofile\x00\x00")
	packed := zlib.NewWriter(&chunk)
	_, _ = packed.Write(p) // into memory: cannot fail
	_ = packed.Close()
	data := chunk.Bytes()
	const header = 8 + 12 + 13 // the signature and the chunk IHDR
	size := binary.BigEndian.AppendUint32(nil, uint32(len(data)-4))
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(data))
	return slices.Concat(b[:header], size, data, sum, b[header:])
}

// colored reports whether a decoded image has three colors.
func colored(m image.Image) bool {
	switch m.(type) {
	case *image.Gray, *image.Gray16, *image.CMYK:
		return false
	}
	return true
}
