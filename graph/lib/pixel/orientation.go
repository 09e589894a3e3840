package pixel

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
	"iter"
)

// upright is the orientation of an image that is shown as stored.
const upright = 1

// orientation returns the Exif orientation of an image, 1 to 8 (Exif 2.32, section 4.6.4). It
// ignores damaged data.
func orientation(b []byte, contentType string) int {
	switch contentType {
	case JPEG:
		return tiffOrientation(jpegExif(b))
	case PNG:
		return tiffOrientation(pngChunk(b, "eXIf"))
	case WebP:
		return tiffOrientation(bytes.TrimPrefix(webpChunk(b, "EXIF"), exifMark)) // some begin as in a JPEG
	}
	return upright
}

var exifMark = []byte("Exif\x00\x00")

// jpegExif returns the Exif data of a JPEG: its first segment with that mark.
func jpegExif(b []byte) []byte {
	const app1 = 0xe1
	for marker, data := range segments(b) {
		if found, ok := bytes.CutPrefix(data, exifMark); marker == app1 && ok {
			return found
		}
	}
	return nil
}

// segments iterates over the segments of a JPEG up to its pixels.
func segments(b []byte) iter.Seq2[byte, []byte] {
	const scan, end = 0xda, 0xd9
	return func(yield func(byte, []byte) bool) {
		for rest := cut(b, 2); len(rest) >= 4 && rest[0] == 0xff; {
			marker := rest[1]
			switch {
			case marker == 0xff: // padding
				rest = rest[1:]
				continue
			case marker == scan || marker == end:
				return
			case marker == 0x01 || marker >= 0xd0 && marker <= 0xd8: // markers without a segment
				rest = rest[2:]
				continue
			}
			size := int(binary.BigEndian.Uint16(rest[2:]))
			if size < 2 || size > len(rest)-2 || !yield(marker, rest[4:2+size]) {
				return
			}
			rest = rest[2+size:]
		}
	}
}

func pngChunk(b []byte, name string) []byte {
	for rest := cut(b, 8); len(rest) >= 12; {
		size := int64(binary.BigEndian.Uint32(rest))
		if size > int64(len(rest)-12) {
			return nil
		}
		if string(rest[4:8]) == name {
			return rest[8 : 8+size]
		}
		rest = rest[12+size:]
	}
	return nil
}

// webpChunk returns the first chunk of a WebP with a name, or nil (RFC 9649, section 2.3).
func webpChunk(b []byte, name string) []byte {
	for rest := cut(b, 12); len(rest) >= 8; {
		size := int64(binary.LittleEndian.Uint32(rest[4:]))
		if size > int64(len(rest)-8) {
			return nil
		}
		if string(rest[:4]) == name {
			return rest[8 : 8+size]
		}
		rest = rest[min(8+size+size&1, int64(len(rest))):]
	}
	return nil
}

func cut(b []byte, n int) []byte { return b[min(n, len(b)):] }

// tiffOrientation reads the tag of the first directory (TIFF 6.0, section 2).
func tiffOrientation(b []byte) int {
	const tag, short = 0x0112, 3
	if len(b) < 8 {
		return upright
	}
	var order binary.ByteOrder
	switch string(b[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return upright
	}
	at := int64(order.Uint32(b[4:]))
	if at > int64(len(b)-2) {
		return upright
	}
	entries := b[at+2:]
	for range order.Uint16(b[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == tag {
			if v := int(order.Uint16(entries[8:])); order.Uint16(entries[2:]) == short && v >= 1 && v <= 8 {
				return v
			}
			break
		}
		entries = entries[12:]
	}
	return upright
}

// band is how many rows are rotated at a time, so that the whole image is not needed in a third
// form.
const band = 64

func rotated(src image.Image, orientation int) image.Image {
	if orientation == upright {
		return src
	}
	from := src.Bounds()
	w, h := from.Dx(), from.Dy()
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation > 4 {
		dst = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	rows := image.NewRGBA(image.Rect(0, 0, w, band))
	for top := 0; top < h; top += band {
		draw.Draw(rows, rows.Rect, src, image.Pt(from.Min.X, from.Min.Y+top), draw.Src)
		for y := top; y < min(top+band, h); y++ {
			row := rows.Pix[(y-top)*rows.Stride:]
			for x := range w {
				tx, ty := place(orientation, x, y, w, h)
				to := ty*dst.Stride + 4*tx
				copy(dst.Pix[to:to+4], row[4*x:4*x+4])
			}
		}
	}
	return dst
}

func place(orientation, x, y, w, h int) (tx, ty int) {
	switch orientation {
	case 2: // mirrored
		return w - 1 - x, y
	case 3: // upside down
		return w - 1 - x, h - 1 - y
	case 4: // mirrored and upside down
		return x, h - 1 - y
	case 5: // mirrored and rotated
		return y, x
	case 6: // to be rotated clockwise
		return h - 1 - y, x
	case 7: // mirrored and rotated the other way
		return h - 1 - y, w - 1 - x
	case 8: // to be rotated counterclockwise
		return y, w - 1 - x
	}
	return x, y
}
