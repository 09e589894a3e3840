package theme

import (
	"bytes"
	"encoding/hex"
	"path"
	"strings"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
)

type media struct {
	ext         string // of keys; names may have it in upper case, and jpeg for jpg
	contentType string
	kind        state.AssetKind
	noun        string
}

var mediaTypes = []media{
	{"css", "text/css; charset=utf-8", state.AssetCSS, "a stylesheet"},
	{"woff2", "font/woff2", state.AssetFont, "a WOFF2 font"},
	{"woff", "font/woff", state.AssetFont, "a WOFF font"},
	{"ttf", "font/ttf", state.AssetFont, "a TrueType font"},
	{"otf", "font/otf", state.AssetFont, "an OpenType font"},
	{"png", "image/png", state.AssetImage, "a PNG image"},
	{"jpg", "image/jpeg", state.AssetImage, "a JPEG image"},
	{"gif", "image/gif", state.AssetImage, "a GIF image"},
	{"webp", "image/webp", state.AssetImage, "a WebP image"},
	{"svg", "image/svg+xml", state.AssetImage, "an SVG image"},
}

// extension returns the extension of a name, in lower case and without the dot.
func extension(name string) string {
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if ext == "jpeg" {
		return "jpg"
	}
	return ext
}

func mediaWith(ext string) (media, bool) {
	for _, m := range mediaTypes {
		if m.ext == ext {
			return m, true
		}
	}
	return media{}, false
}

// BlobKey returns the key of an asset in the blob store, by its checksum and content type:
// "assets/<hex>.css". It is "" for a type that is not an asset's.
func BlobKey(sum digest.Sum, contentType string) string {
	for _, m := range mediaTypes {
		if m.contentType == contentType {
			return "assets/" + hex.EncodeToString(sum[:]) + "." + m.ext
		}
	}
	return ""
}

// ContentTypeOf returns the content type of an asset by the extension of its name, with which its
// address ends. ok is false for other extensions.
func ContentTypeOf(name string) (contentType string, ok bool) {
	m, ok := mediaWith(extension(name))
	return m.contentType, ok
}

// Address returns the path at which every host serves the asset: "/assets/<hex>/style.css"
// (contract, section 9).
func (a Asset) Address() string {
	return "/assets/" + hex.EncodeToString(a.Sum[:]) + "/" + path.Base(a.Path)
}

// signatures are the first bytes of files. For types of assets, the name is the extension.
var signatures = []struct{ start, name string }{
	{"\x89PNG\r\n\x1a\n", "png"},
	{"\xff\xd8\xff", "jpg"},
	{"GIF87a", "gif"},
	{"GIF89a", "gif"},
	{"wOF2", "woff2"},
	{"wOFF", "woff"},
	{"\x00\x01\x00\x00", "ttf"},
	{"true", "ttf"},
	{"OTTO", "otf"},
	{"PK\x03\x04", archived},
	{"PK\x05\x06", archived},
	{"PK\x07\x08", archived},
	{"\x1f\x8b", archived},
	{"\x1f\x9d", archived},
	{"Rar!\x1a\x07", archived},
	{"7z\xbc\xaf\x27\x1c", archived},
	{"\xfd7zXZ\x00", archived},
	{"\x28\xb5\x2f\xfd", archived},
	{"\x04\x22\x4d\x18", archived},
	{"MSCF\x00\x00\x00\x00", archived},
}

// archived is the name that sniff returns for archives and compressed files.
const archived = "archive"

const nested = "The file is an archive. A theme must not contain archives."

// sniff returns the type of a file by its first bytes, "" if they do not show it.
func sniff(b []byte) string {
	switch {
	case len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP":
		return "webp"
	case len(b) >= 10 && string(b[:3]) == "BZh" && string(b[4:10]) == "1AY&SY":
		return archived
	case len(b) >= 262 && string(b[257:262]) == "ustar":
		return archived
	}
	for _, s := range signatures {
		if bytes.HasPrefix(b, []byte(s.start)) {
			return s.name
		}
	}
	return ""
}

// checkType checks that a file is what its name says, as far as its first and last bytes show.
func checkType(m media, b []byte) string {
	is := sniff(b)
	if is == archived || holdsZip(b) {
		return nested
	}
	other, _ := mediaWith(is)
	switch {
	case m.ext == "css" && (is == "" || other.kind == state.AssetFont): // a selector may begin with "true"
		return ""
	case len(b) == 0:
		return "The file is empty."
	case is == m.ext, m.ext == "otf" && is == "ttf":
		return ""
	case is == "" && m.ext == "svg":
		return "" // a text, which is checked separately
	case is == "":
		return "The file is not " + m.noun + ", as its name suggests."
	}
	return "The file is " + other.noun + ", but its name suggests " + m.noun + "."
}

// archives are the extensions of archives, which get a message of their own.
var archives = []string{
	"zip", "gz", "tgz", "tar", "bz2", "tbz2", "xz", "txz", "zst", "lz4", "7z", "rar", "jar", "war", "cab", "z", "br",
	"iso", "dmg", "apk", "whl",
}
