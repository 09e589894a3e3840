package theme

import "encoding/binary"

const brokenFont = "The font is damaged."

// checkFont checks that a font is complete: that a TrueType or OpenType font (ISO/IEC 14496-22,
// section 4.3) has all of its tables, and that a web font has the size in its header (W3C WOFF 1.0,
// section 3; WOFF 2.0, section 4.1). Browsers check the contents with a sanitizer of their own.
func checkFont(ext string, b []byte) string {
	if len(b) < 12 {
		return brokenFont
	}
	if ext == "woff" || ext == "woff2" {
		if int(big32(b, 8)) != len(b) {
			return brokenFont
		}
		return ""
	}
	count := int(binary.BigEndian.Uint16(b[4:]))
	head := 12 + 16*count
	if count == 0 || len(b) < head {
		return brokenFont
	}
	for row := b[12:head]; len(row) > 0; row = row[16:] {
		if at, size := int(big32(row, 8)), int(big32(row, 12)); at < head || at+size > len(b) {
			return brokenFont
		}
	}
	return ""
}

func big32(b []byte, at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
