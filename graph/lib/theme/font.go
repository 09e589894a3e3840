package theme

import (
	"encoding/binary"
)

// maxFont is the largest size of an unpacked font, in bytes.
const maxFont = 40 << 20

// maxTables is the largest number of tables in a font.
const maxTables = 64

const (
	brokenFont = "The font is damaged."
	poorFont   = "The font lacks required tables."
)

// checkFont checks the structure of a font: that its tables lie within it, and that those exist
// without which browsers reject it. Browsers check the contents of tables with their own sanitizer.
func checkFont(ext string, b []byte) string {
	switch ext {
	case "woff2":
		return checkWOFF2(b)
	case "woff":
		return checkWOFF(b)
	}
	return checkSFNT(b)
}

type tags map[string]bool

// verdict returns what is wrong with a font that has these tables and an unpacked size in bytes.
func (t tags) verdict(size int, intact bool) string {
	switch {
	case size > maxFont:
		return "The font is larger than 40 MiB when unpacked."
	case !intact:
		return brokenFont
	case !t["cmap"] || !t["head"] || !t["hhea"] || !t["hmtx"] || !t["maxp"]:
		return poorFont
	}
	return ""
}

// checkSFNT checks a TrueType or OpenType font (ISO/IEC 14496-22, section 4.3).
func checkSFNT(b []byte) string {
	if len(b) < 12 {
		return brokenFont
	}
	count, seen := int(big16(b, 4)), tags{}
	if count == 0 || count > maxTables || len(b) < 12+16*count {
		return brokenFont
	}
	for i := range count {
		row := b[12+16*i:]
		tag, at, size := string(row[:4]), int(big32(row, 8)), int(big32(row, 12))
		if seen[tag] || at < 12+16*count || at+size > len(b) {
			return brokenFont
		}
		if tag == "head" && (size < 54 || big32(b[at:], 12) != 0x5f0f3cf5) {
			return brokenFont
		}
		seen[tag] = true
	}
	return seen.verdict(len(b), true)
}

// checkWOFF checks a WOFF font (W3C WOFF 1.0, sections 3, 4).
func checkWOFF(b []byte) string {
	const size, row = 44, 20
	if len(b) < size || int(big32(b, 8)) != len(b) || big16(b, 14) != 0 {
		return brokenFont
	}
	count, seen, total := int(big16(b, 12)), tags{}, 0
	if count == 0 || count > maxTables || len(b) < size+row*count {
		return brokenFont
	}
	for i := range count {
		t := b[size+row*i:]
		tag, at, packed, plain := string(t[:4]), int(big32(t, 4)), int(big32(t, 8)), int(big32(t, 12))
		if seen[tag] || at < size+row*count || at+packed > len(b) || packed > plain {
			return brokenFont
		}
		seen[tag] = true
		total += plain
	}
	return seen.verdict(max(total, int(big32(b, 16))), within(b, 24) && within(b, 36))
}

// checkWOFF2 checks a WOFF2 font (W3C WOFF 2.0, section 4). Its tables are one compressed stream,
// of which only the sizes are checked.
func checkWOFF2(b []byte) string {
	const size = 48
	if len(b) < size || int(big32(b, 8)) != len(b) || big16(b, 14) != 0 || string(b[4:8]) == "ttcf" {
		return brokenFont
	}
	count, seen, total := int(big16(b, 12)), tags{}, 0
	if count == 0 || count > maxTables {
		return brokenFont
	}
	rest := b[size:]
	for range count {
		tag, plain, left, ok := woff2Row(rest)
		if !ok || seen[tag] {
			return brokenFont
		}
		seen[tag], rest = true, left
		total += plain
	}
	packed := int(big32(b, 20))
	intact := packed > 0 && packed <= len(rest) && within(b, 28) && within(b, 40)
	return seen.verdict(max(total, int(big32(b, 16))), intact)
}

// within reports whether the block whose offset and length are at a position of a web font's header
// lies within the font.
func within(b []byte, at int) bool {
	return int(big32(b, at))+int(big32(b, at+4)) <= len(b)
}

// known are the tags that WOFF2 writes as numbers.
var known = []string{
	"cmap", "head", "hhea", "hmtx", "maxp", "name", "OS/2", "post", "cvt ", "fpgm", "glyf", "loca", "prep", "CFF ",
	"VORG", "EBDT", "EBLC", "gasp", "hdmx", "kern", "LTSH", "PCLT", "VDMX", "vhea", "vmtx", "BASE", "GDEF", "GPOS",
	"GSUB", "EBSC", "JSTF", "MATH", "CBDT", "CBLC", "COLR", "CPAL", "SVG ", "sbix", "acnt", "avar", "bdat", "bloc",
	"bsln", "cvar", "fdsc", "feat", "fmtx", "fvar", "gvar", "hsty", "just", "lcar", "mort", "morx", "opbd", "prop",
	"trak", "Zapf", "Silf", "Glat", "Gloc", "Feat", "Sill",
}

// woff2Row reads one entry of the table directory: a tag, the table's size, and a second size if
// the table is stored transformed.
func woff2Row(b []byte) (tag string, plain int, rest []byte, ok bool) {
	if len(b) == 0 {
		return "", 0, nil, false
	}
	flags := b[0]
	b = b[1:]
	if n := int(flags & 0x3f); n < len(known) {
		tag = known[n]
	} else if len(b) >= 4 {
		tag, b = string(b[:4]), b[4:]
	}
	if plain, b, ok = base128(b); !ok || tag == "" {
		return "", 0, nil, false
	}
	// glyf and loca are transformed in version 0, other tables in any version but 0.
	outlines := tag == "glyf" || tag == "loca"
	if version := flags >> 6; outlines && version == 0 || !outlines && version != 0 {
		_, b, ok = base128(b)
	}
	return tag, plain, b, ok
}

// base128 reads a number of up to five bytes with seven bits each.
func base128(b []byte) (n int, rest []byte, ok bool) {
	for i := range min(5, len(b)) {
		if i == 0 && b[0] == 0x80 {
			break // leading zeros
		}
		n = n<<7 | int(b[i]&0x7f)
		if b[i] < 0x80 {
			return n, b[i+1:], n <= 1<<32-1
		}
	}
	return 0, nil, false
}

func big16(b []byte, at int) uint16 { return binary.BigEndian.Uint16(b[at:]) }

func big32(b []byte, at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
