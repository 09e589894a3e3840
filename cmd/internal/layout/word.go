package layout

import (
	"bytes"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// coined are words and pairs of words that this project once used in a sense of its own, with the
// plain term. They may not appear in any hand-written text, nor as a part of a name.
var coined = map[string]string{
	"attend": "await", "attends": "awaits",
	"believe": "trust, assume", "believes": "trusts, assumes",
	"came of": "result of", "comes of": "result of",
	"deaf":     "unsubscribed",
	"findable": "indexed",
	"forsake":  "stop watching", "forsaken": "no longer watched",
	"heed": "watch, apply", "heeds": "watches, applies", "heeded": "watched, applied",
	"is let": "may", "are let": "may",
	"knock": "dial", "knocks": "dials",
	"mend": "repair, fix", "mends": "repairs, fixes", "mended": "repaired, fixed", "mending": "repair",
	"mender":    "repair",
	"of before": "of the previous release",
	"rack":      "index", "racks": "indexes",
	"shelf": "listing", "shelves": "listings", "shelve": "index", "shelved": "indexed",
	"strain": "load",
	"summon": "start", "summons": "starts",
	"unshown": "hidden",
	"veil":    "redact", "veils": "redacts", "veiled": "redacted",
	"ware": "product, variant", "wares": "products, variants",
	"whoever": "name the person or the process",
	"woken":   "wakeup",
	"worded":  "summary",
}

// human are words for people that a program must not use for itself: refused in Go files.
var human = map[string]string{
	"hear": "receive", "hears": "receives", "heard": "received",
	"tell": "report, distinguish", "tells": "reports, distinguishes", "told": "reported, distinguished",
}

// nouns are words that may not be a part of a name in Go.
var nouns = map[string]string{"bought": "order"}

// excuse allows words, or all if there are none, in a file or folder.
type excuse struct{ path, words, reason string }

var excuses = []excuse{
	{"cmd/internal/layout/word.go", "", "the rule itself"},
	{"cmd/internal/layout/word_test.go", "", "the rule itself"},
	{".github/CHANGELOG.md", "findable", "the name of a loop in the previous release"},
	{"ent/schema/listing.go", "shelf", "a column of a released table"},
	{"graph/domain/storefront/product.go", "shelf", "a column of a released table"},
	{"ent/tenant_test.go", "shelf", "a released table"},
	{"graph/engine/index/listings/", "shelf", "a column of a released table"},
	{"graph/domain/storefront/list.go", "shelf", "a column of a released table"},
	{"graph/lib/theme/sample/linen/", "shelf", "the name of a setting that stores have saved"},
	{"cmd/internal/app/doctor.go", "mend", "a member of the output of doctor --json"},
	{"cmd/e2e/migrate_test.go", "mend", "a member of the output of doctor --json"},
	{"cmd/internal/demo/", "rack racks", "part of a bicycle"},
}

var wordFiles = []string{
	".go", ".js", ".mjs", ".css", ".html", ".tmpl", ".graphqls", ".md", ".yml", ".yaml", ".sh", ".txt",
}

// plainWords finds coined words. It splits names where their case changes, and at underscores.
func plainWords(t *Tree) []Finding {
	var list []Finding
	for _, f := range t.Files {
		ext := path.Ext(f.Path)
		if f.Generated || f.vendored() || strings.Contains(f.Path, "/testdata/") ||
			!slices.Contains(wordFiles, ext) && f.Dir() != ".ci" || bytes.IndexByte(f.Src, 0) >= 0 {
			continue
		}
		eachWord(f.Src, func(at int, text string) {
			plain, found := coined[text]
			if !found && f.Syntax != nil {
				plain, found = human[text]
			}
			if found && !excused(f.Path, text) {
				line := 1 + bytes.Count(f.Src[:at], []byte("\n"))
				list = append(list, finding(f, line, "%q: write %s", text, plain))
			}
		})
		if f.Syntax != nil {
			list = append(list, plainNames(f)...)
		}
	}
	return list
}

func plainNames(f *File) []Finding {
	var list []Finding
	for n := range ast.Preorder(f.Syntax) {
		if name, ok := n.(*ast.Ident); ok {
			eachWord([]byte(name.Name), func(_ int, word string) {
				if plain, found := nouns[word]; found {
					list = append(list, finding(f, f.line(name), "%q in the name %s: write %s", word, name.Name, plain))
				}
			})
		}
	}
	return list
}

func excused(name, text string) bool {
	return slices.ContainsFunc(excuses, func(e excuse) bool {
		return strings.HasPrefix(name, e.path) && (e.words == "" || slices.Contains(strings.Fields(e.words), text))
	})
}

// eachWord calls f with each word in lower case, and with each two adjacent words that only space
// and marks of comments separate. at is the offset of the last word.
func eachWord(src []byte, f func(at int, text string)) {
	last := "" // the preceding word
	for i := 0; i < len(src); {
		n := wordLength(src[i:])
		if n == 0 {
			if !strings.ContainsRune(" \t\n/*#_", rune(src[i])) {
				last = ""
			}
			i++
			continue
		}
		word := strings.ToLower(string(src[i : i+n]))
		f(i, word)
		if last != "" {
			f(i, last+" "+word)
		}
		last = word
		i += n
	}
}

// wordLength returns the length of the ASCII word at the beginning of src: its letters up to a
// change from lower to upper case, or up to the last letter of a run of capitals.
func wordLength(src []byte) int {
	upper := func(i int) bool { return i < len(src) && src[i] >= 'A' && src[i] <= 'Z' }
	lower := func(i int) bool { return i < len(src) && src[i] >= 'a' && src[i] <= 'z' }
	n := 0
	for upper(n) {
		n++
	}
	if n > 1 && lower(n) {
		return n - 1
	}
	for lower(n) {
		n++
	}
	return n
}
