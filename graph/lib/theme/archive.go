package theme

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// maxArchive is the largest size of an archive, in bytes.
const maxArchive = 10 << 20

// entry is a file or folder of an archive, or of a sample theme.
type entry struct {
	name   string // as in the archive; folders end in a slash
	mode   fs.FileMode
	size   int64 // unpacked, as claimed
	packed int64
	sum    uint32 // CRC-32, as claimed; of a zip only
	zipped bool
	open   func() (io.ReadCloser, error)
}

// The zip format (APPNOTE.TXT): signatures, and the fixed sizes of records.
const (
	localMark = "PK\x03\x04"
	listMark  = "PK\x01\x02"
	endMark   = "PK\x05\x06"

	localSize = 30
	listSize  = 46
	endSize   = 22

	none16 = 1<<16 - 1 // means "see the ZIP64 record"
	none32 = 1<<32 - 1
)

type record struct {
	name          string
	flags, method uint16
	sum           uint32
	packed, size  uint32
	at            uint32 // of the entry's local header
}

// unzip reads the structure of an archive. It trusts nothing: the central directory and the local
// headers must agree, and no two entries may share a byte. It unpacks nothing yet.
func unzip(archive []byte, found *Problems) []entry {
	if len(archive) > maxArchive {
		found.add("", "The archive is larger than 10 MiB.")
		return nil
	}
	at, total, ok := findEnd(archive)
	if !ok || !bytes.HasPrefix(archive, []byte(localMark)) && total > 0 {
		found.add("", "The file is not a zip archive, or it is damaged.")
		return nil
	}
	list, detail := records(archive, at, total)
	if found.note("", detail); found.any() {
		return nil
	}
	data := archive[:u32(archive, at+16)] // up to the central directory
	for _, r := range list {
		found.note(r.name, header(data, r))
	}
	if !found.any() {
		overlaps(archive, list, found)
	}
	if found.any() {
		return nil
	}
	return entries(archive, list, found)
}

// findEnd finds the record that ends a zip archive and the number of entries that it claims. Only
// its own comment may follow it.
func findEnd(b []byte) (at, total int, ok bool) {
	for at = len(b) - endSize; at >= 0 && at >= len(b)-endSize-none16; at-- {
		if end := b[at:]; string(end[:4]) == endMark && int(u16(end, 20)) == len(end)-endSize && ends(b, at) {
			return at, int(u16(end, 10)), true
		}
	}
	return 0, 0, false
}

// ends reports whether the record at a position ends a central directory.
func ends(b []byte, at int) bool {
	if len(b) < at+endSize {
		return false
	}
	total, size := u16(b, at+10), u32(b, at+12)
	return total == 0 || size == none32 || int(size) <= at && bytes.HasPrefix(b[at-int(size):], []byte(listMark))
}

// holdsZip reports whether a file contains a zip archive anywhere: programs find one after an
// image, and one followed by other data.
func holdsZip(b []byte) bool {
	for end := len(b); ; {
		at := bytes.LastIndex(b[:end], []byte(endMark))
		if at < 0 {
			return false
		}
		if ends(b, at) {
			return true
		}
		end = at
	}
}

// records reads the central directory. at is the position of its end record.
func records(b []byte, at, total int) ([]record, string) {
	end := b[at:]
	from, size := int(u32(end, 16)), int(u32(end, 12))
	switch {
	case total == none16, u32(end, 16) == none32, u32(end, 12) == none32:
		return nil, "The archive uses ZIP64, which is not supported."
	case u16(end, 4) != 0, u16(end, 6) != 0, int(u16(end, 8)) != total:
		return nil, "The archive is split into several parts."
	case total > maxEntries:
		return nil, "The archive has more than 300 entries."
	case from+size != at:
		return nil, "The archive's directory is damaged."
	}
	list := make([]record, 0, total)
	for b = b[from:at]; len(list) < total; {
		if len(b) < listSize || string(b[:4]) != listMark {
			return nil, "The archive's directory is damaged."
		}
		name, rest := int(u16(b, 28)), int(u16(b, 30))+int(u16(b, 32))
		if len(b) < listSize+name+rest {
			return nil, "The archive's directory is damaged."
		}
		list = append(list, record{
			name: string(b[listSize : listSize+name]), flags: u16(b, 8), method: u16(b, 10),
			sum: u32(b, 16), packed: u32(b, 20), size: u32(b, 24), at: u32(b, 42),
		})
		b = b[listSize+name+rest:]
	}
	if len(b) > 0 {
		return nil, "The archive has more entries than it declares."
	}
	return list, ""
}

// Flags of an entry.
const (
	flagEncrypted = 1<<0 | 1<<6 | 1<<13 // including strong encryption and masked headers
	flagTrailer   = 1 << 3              // sizes and checksum follow the data
	flagPatch     = 1 << 5
)

// header checks an entry of the central directory and compares it with its local header. b ends
// where the data of entries must end.
func header(b []byte, r record) string {
	switch {
	case r.packed == none32, r.size == none32, r.at == none32:
		return "The entry uses ZIP64, which is not supported."
	case int(r.at)+localSize > len(b), string(b[r.at:r.at+4]) != localMark:
		return "The entry is not where the archive's directory says."
	}
	b = b[r.at:]
	flags, name := u16(b, 6), int(u16(b, 26))
	switch {
	case (flags|r.flags)&flagEncrypted != 0:
		return "The entry is encrypted."
	case r.method != zip.Store && r.method != zip.Deflate, (flags|r.flags)&flagPatch != 0:
		return "The entry is compressed with a method other than deflate."
	case len(b) < localSize+name, string(b[localSize:localSize+name]) != r.name, u16(b, 8) != r.method:
		return "The entry's header and the archive's directory differ."
	case flags&flagTrailer == 0 && (u32(b, 14) != r.sum || u32(b, 18) != r.packed || u32(b, 22) != r.size):
		return "The entry's header and the archive's directory differ in size or checksum."
	case r.method == zip.Store && r.packed != r.size:
		return "The entry's size is not the declared one."
	case dataEnd(b, r) > int64(len(b)):
		return "The entry is truncated."
	}
	return ""
}

// dataEnd returns the end of the data of the entry whose local header begins b.
func dataEnd(b []byte, r record) int64 {
	return localSize + int64(u16(b, 26)) + int64(u16(b, 28)) + int64(r.packed)
}

// overlaps reports entries that share bytes: many entries that unpack the same data turn a small
// archive into a huge one.
func overlaps(b []byte, list []record, found *Problems) {
	sorted := slices.SortedFunc(slices.Values(list), func(x, y record) int { return cmp.Compare(x.at, y.at) })
	for i := 1; i < len(sorted); i++ {
		if before := sorted[i-1]; int64(before.at)+dataEnd(b[before.at:], before) > int64(sorted[i].at) {
			found.add(sorted[i].name, "The entry shares its data with another entry.")
		}
	}
}

// entries reads the same archive with the standard library, for its contents, and fails unless that
// sees the same entries.
func entries(archive []byte, list []record, found *Problems) []entry {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	// The names are checked in this package, whatever GODEBUG=zipinsecurepath says.
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) || len(r.File) != len(list) {
		found.add("", "The archive's directory is damaged.")
		return nil
	}
	all := make([]entry, len(list))
	for i, f := range r.File {
		if f.Name != list[i].name || f.UncompressedSize64 != uint64(list[i].size) {
			found.add(list[i].name, "The entry's header and the archive's directory differ.")
			return nil
		}
		// Some Windows programs write backslashes, although APPNOTE.TXT, 4.4.17.1, requires
		// slashes.
		name, mode := strings.ReplaceAll(f.Name, `\`, "/"), f.Mode().Type()
		if strings.HasSuffix(name, "/") && !strings.HasSuffix(f.Name, "/") {
			mode |= fs.ModeDir
		}
		all[i] = entry{
			name: name, mode: mode, size: int64(list[i].size), packed: int64(list[i].packed),
			sum: list[i].sum, zipped: true, open: f.Open,
		}
	}
	return all
}

func u16(b []byte, at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }

func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
