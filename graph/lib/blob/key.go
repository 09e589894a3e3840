package blob

import (
	"errors"
	"strings"
)

// maxSegment leaves room for the suffix of temporary names within the 255 bytes of file systems.
// maxKey is far below the 1,024 bytes of S3.
const (
	maxSegment = 200
	maxKey     = 512
)

// The library writes to a temporary name that ends with tempEnd, and would add a metadata file with
// another suffix beside each object.
const (
	tempEnd = ".tmp"
	besides = ".attrs"
	escapes = "__0x" // how the library escapes characters in keys
)

var (
	errKey    = errors.New("blob: a key is 1 to 512 bytes of a-z, 0-9, -, _, . and /, without an empty or dotted part")
	errPrefix = errors.New("blob: a prefix is the beginning of a key")
)

// CheckKey validates a key: 1 to 512 bytes of a-z, 0-9, -, _, . and /. A segment between slashes
// has up to 200 bytes and does not begin with a dot. A key does not end in .tmp or .attrs, and does
// not extend another one ("a" and "a/b"), since in a folder these are files and folders.
func CheckKey(key string) error {
	if key == "" || len(key) > maxKey || strings.HasSuffix(key, besides) || strings.HasSuffix(key, tempEnd) {
		return errKey
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || len(part) > maxSegment {
			return errKey
		}
	}
	return spelt(key, errKey)
}

// checkPrefix validates the beginning of keys: any prefix of a key, or "".
func checkPrefix(prefix string) error {
	if strings.HasPrefix(prefix, "/") || strings.Contains(prefix, "//") || len(prefix) > maxKey {
		return errPrefix
	}
	for part := range strings.SplitSeq(prefix, "/") {
		if strings.HasPrefix(part, ".") {
			return errPrefix
		}
	}
	return spelt(prefix, errPrefix)
}

func spelt(text string, wrong error) error {
	for i := range len(text) {
		c := text[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' && c != '/' {
			return wrong
		}
	}
	if strings.Contains(text, escapes) {
		return wrong
	}
	return nil
}

// temporary reports whether the library uses a name for an object that is being written: its key, a
// dot, hexadecimal digits and tempEnd.
func temporary(name string) bool {
	rest, ok := strings.CutSuffix(name, tempEnd)
	if !ok {
		return false
	}
	at := strings.LastIndexByte(rest, '.')
	return at > 0 && len(rest) > at+1 && strings.Trim(rest[at+1:], "0123456789abcdef") == "" &&
		CheckKey(rest[:at]) == nil
}
