package theme

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// hostile is an archive and one line of its errors, or the beginning of that and a star.
type hostile struct {
	name    string
	archive []byte
	want    string
}

// hostiles are archives that have to be refused.
var hostiles = sync.OnceValue(func() []hostile {
	var all []hostile
	for _, list := range [][]hostile{
		hostileZips(), hostileNames(), hostileSizes(), hostileFiles(), hostileImages(), hostileFonts(), hostileTheme(),
	} {
		all = append(all, list...)
	}
	return all
})

func TestReadHostile(t *testing.T) {
	for _, tc := range hostiles() {
		t.Run(tc.name, func(t *testing.T) {
			p, err := Read(tc.archive)
			if err == nil || p != nil {
				t.Fatal("the archive was accepted")
			}
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if start, cut := strings.CutSuffix(tc.want, "*"); line == tc.want ||
					cut && strings.HasPrefix(line, start) {
					return
				}
			}
			t.Errorf("got  %s\nwant %s", err, tc.want)
		})
	}
}

const (
	notZip  = "The file is not a zip archive, or it is damaged."
	damaged = "The archive's directory is damaged."
)

func hostileZips() []hostile {
	g := good()
	zip := g.zip()
	count := uint16(len(g))
	at := bytes.LastIndex(zip, []byte(endMark))
	entry := func(change func(*raw)) []byte {
		r := raw{name: "assets/x.png", body: []byte(somePNG(1, 1)), method: 8}
		change(&r)
		return g.plus(r)
	}
	many := make([]raw, maxEntries+1)
	for i := range many {
		many[i].name = fmt.Sprint("assets/", i, ".css")
	}
	flip := bytes.Clone(zip)
	flip[bytes.Index(flip, []byte(".jpg"))+10] ^= 1
	return []hostile{
		{"nothing", nil, notZip},
		{"text", []byte("hello"), notZip},
		{"a program with a zip behind it", append([]byte("MZ"), zip...), notZip},
		{"a zip behind another beginning", zipRaw(end{before: []byte("MZ")}, g.raws()...), notZip},
		{"cut off", zip[:len(zip)-30], notZip},
		{"the end alone", zip[at:], notZip},
		{"data behind the end", append(bytes.Clone(zip), 'x'), notZip},
		{"too large", make([]byte, maxArchive+1), "The archive is larger than 10 MiB."},
		{"empty", zipRaw(end{}), "theme.json: The file is missing."},
		{"too many entries", zipRaw(end{}, many...), "The archive has more than 300 entries."},
		{"more entries than it says", zipRaw(end{total: count - 1}, g.raws()...),
			"The archive has more entries than it declares."},
		{"fewer entries than it says", zipRaw(end{total: count + 1}, g.raws()...), damaged},
		{"65535 entries", zipRaw(end{total: none16}, g.raws()...),
			"The archive uses ZIP64, which is not supported."},
		{"the list in ZIP64", zipRaw(end{list: none32}, g.raws()...),
			"The archive uses ZIP64, which is not supported."},
		{"the list elsewhere", zipRaw(end{list: 1}, g.raws()...), damaged},
		{"the list of another size", zipRaw(end{size: 5}, g.raws()...), notZip},
		{"one of several parts", zipRaw(end{parts: 1}, g.raws()...), "The archive is split into several parts."},
		{"a second end in the comment", zipRaw(end{comment: append([]byte(endMark), make([]byte, 18)...)}, g.raws()...),
			damaged},
		{"encrypted", entry(func(r *raw) { r.flags = 1 }), "assets/x.png: The entry is encrypted."},
		{"strongly encrypted", entry(func(r *raw) { r.flags = 1 | 1<<6 }), "assets/x.png: The entry is encrypted."},
		{"packed with bzip2", entry(func(r *raw) { r.method = 12 }),
			"assets/x.png: The entry is compressed with a method other than deflate."},
		{"packed with zstd", entry(func(r *raw) { r.method = 93 }),
			"assets/x.png: The entry is compressed with a method other than deflate."},
		{"a patch", entry(func(r *raw) { r.flags = flagPatch }),
			"assets/x.png: The entry is compressed with a method other than deflate."},
		{"two names", entry(func(r *raw) { r.local = "assets/y.png" }),
			"assets/x.png: The entry's header and the archive's directory differ."},
		{"two methods", entry(func(r *raw) { r.unlike = 12 }),
			"assets/x.png: The entry's header and the archive's directory differ."},
		{"two sizes", twoSizes(entry(func(*raw) {})),
			"assets/x.png: The entry's header and the archive's directory differ in size or checksum."},
		{"another place", entry(func(r *raw) { r.at = 3 }),
			"assets/x.png: The entry is not where the archive's directory says."},
		{"a place outside", entry(func(r *raw) { r.at = 1 << 30 }),
			"assets/x.png: The entry is not where the archive's directory says."},
		{"a place in ZIP64", entry(func(r *raw) { r.at = 1 << 32 }),
			"assets/x.png: The entry uses ZIP64, which is not supported."},
		{"data cut off", entry(func(r *raw) { r.packed = 1 << 20 }), "assets/x.png: The entry is truncated."},
		{"another checksum", entry(func(r *raw) { r.sum = 7 }), unpacked("assets/x.png")},
		{"another checksum behind the data", entry(func(r *raw) { r.sum, r.trailer = 7, true }),
			unpacked("assets/x.png")},
		{"checksum left out", withoutSum(entry(func(*raw) {})), unpacked("assets/x.png")},
		{"damaged data", entry(func(r *raw) { r.method, r.unlike, r.body = 8, 8, nil; r.size = 10 }),
			unpacked("assets/x.png")},
	}
}

func unpacked(name string) string {
	return name + ": The file cannot be unpacked: its data is damaged, or its size or checksum is wrong."
}

// withoutSum sets the checksum of the last entry to 0, which many programs take for "unknown".
func withoutSum(zip []byte) []byte {
	local, list := bytes.LastIndex(zip, []byte(localMark)), bytes.LastIndex(zip, []byte(listMark))
	clear(zip[local+14 : local+18])
	clear(zip[list+16 : list+20])
	return zip
}

// twoSizes gives the last entry different sizes in its local header and in the central directory.
func twoSizes(zip []byte) []byte {
	zip[bytes.LastIndex(zip, []byte(localMark))+22]++
	return zip
}

func hostileNames() []hostile {
	g := good()
	named := func(name string) []byte { return g.plus(raw{name: name, body: []byte("x")}) }
	mode := func(mode uint32) []byte {
		return g.plus(raw{name: "assets/x.png", body: []byte("/etc/passwd"), mode: mode})
	}
	long := "assets/" + strings.Repeat("x", 200) + ".png"
	const (
		control = "The name has control characters or is not UTF-8."
		other   = "The name has characters other than letters, digits, -, _, . and /."
		dots    = "The name contains . or .. as a part."
		twice   = "The archive has two entries with this name."
		capital = "The name differs from another one only in case."
		both    = "The name is used by both a file and a folder."
	)
	return []hostile{
		{"absolute", named("/etc/passwd"), "/etc/passwd: The name is absolute."},
		{"up", named("../evil.css"), "../evil.css: " + dots},
		{"up from within", named("assets/../../evil.css"), "assets/../../evil.css: " + dots},
		{"up at the end", named("assets/.."), "assets/..: " + dots},
		{"here", named("./theme.css"), "./theme.css: " + dots},
		{"backslash and up", named(`..\..\evil.css`), "../../evil.css: " + dots},
		{"backslash in front", named(`\evil.css`), "/evil.css: The name is absolute."},
		{"backslash clashes", named(`assets\style.css`), "assets/style.css: " + twice},
		{"drive", named("C:/evil.css"), "C:/evil.css: The name starts with a drive letter."},
		{"stream", named("assets/a.css:x"), "assets/a.css:x: " + other},
		{"empty part", named("assets//a.css"), "assets//a.css: The name has an empty part."},
		{"two slashes at the end", named("assets/x//"), "assets/x//: The name has an empty part."},
		{"no name", named(""), "The entry has no name."},
		{"slash alone", named("/"), "/: The entry has no name."},
		{"NUL", named("assets/a.css\x00.png"), `assets/a.css\x00.png: ` + control},
		{"end of line", named("assets/a\n.css"), `assets/a\x0a.css: ` + control},
		{"not ASCII", named("assets/ä.css"), `assets/\xc3\xa4.css: ` + other},
		{"right to left", named("assets/\u202egnp.css"), `assets/\xe2\x80\xaegnp.css: ` + other},
		{"not UTF-8", named("assets/\xff.css"), `assets/\xff.css: ` + control},
		{"space", named("assets/a b.css"), `assets/a\x20b.css: ` + other},
		{"percent", named("assets/%2e%2e.css"), `assets/%2e%2e.css: ` + other},
		{"too long", named(long), long[:200] + "...: The name is longer than 200 bytes."},
		{"symbolic link", mode(0o120777), "assets/x.png: The entry is a symbolic link."},
		{"symbolic link to a folder", g.plus(raw{name: "assets/x/", mode: 0o120777}),
			"assets/x/: The entry is a symbolic link."},
		{"device", mode(0o060644), "assets/x.png: The entry is a special file."},
		{"character device", mode(0o020644), "assets/x.png: The entry is a special file."},
		{"pipe", mode(0o010644), "assets/x.png: The entry is a special file."},
		{"socket", mode(0o140644), "assets/x.png: The entry is a special file."},
		{"folder by type", mode(0o040755), "assets/x.png: The entry is a folder, but its name does not end with a slash."},
		{"folder with data", g.plus(raw{name: "assets/x/", body: []byte("hidden")}),
			"assets/x/: The entry is a folder, but it contains data."},
		{"folder with packed data", g.plus(raw{name: "assets/x/", body: make([]byte, 1000), method: 8}),
			"assets/x/: The entry is a folder, but it contains data."},
		{"twice", named("theme.json"), "theme.json: " + twice},
		{"folder twice", g.plus(raw{name: "assets/x/"}, raw{name: "assets/x/"}), "assets/x/: " + twice},
		{"capitals", named("Theme.json"), "Theme.json: " + capital},
		{"capitals of a folder", named("Assets/other.css"), "Assets/other.css: " + capital},
		{"capitals of both", named("ASSETS/IMG/DOT.GIF"), "ASSETS/IMG/DOT.GIF: " + capital},
		{"file in a file", named("theme.json/x.css"), "theme.json/x.css: " + both},
		{"file for a folder", named("assets"), "assets: " + both},
		{"folder for a file", g.plus(raw{name: "theme.json/"}), "theme.json/: " + both},
		{"hostile name where nothing is read", named("__MACOSX/../x"), "__MACOSX/../x: " + dots},
	}
}

func hostileSizes() []hostile {
	g := good()
	zeros := func(n int) []byte { return make([]byte, n) }
	bombs := make([]raw, 5)
	big := []byte(noise(9 << 20))
	for i := range bombs {
		bombs[i] = raw{name: fmt.Sprint("assets/", i, ".css"), body: big, method: 8}
	}
	shared := append(g.raws(), raw{name: "assets/a.css", body: zeros(100), at: 1})
	shared[0], shared[len(shared)-1] = shared[len(shared)-1], shared[0]
	return []hostile{
		{"ratio", g.plus(raw{name: "assets/a.css", body: zeros(2 << 20), method: 8}),
			"assets/a.css: The file is more than 100 times as large as its compressed form."},
		{"one file", g.plus(raw{name: "assets/a.css", body: zeros(maxFile + 1), method: 8}),
			"assets/a.css: The file is larger than 10 MiB."},
		{"all files", g.plus(bombs...), "The files are larger than 40 MiB in total."},
		{"a size that lies low", g.plus(raw{name: "assets/a.css", body: zeros(1000), method: 8, size: 10}),
			unpacked("assets/a.css")},
		{"a size that lies high", g.plus(raw{name: "assets/a.css", body: zeros(10), method: 8, size: 1000}),
			unpacked("assets/a.css")},
		{"a stored size that lies", g.plus(raw{name: "assets/a.css", body: zeros(10), size: 1000}),
			"assets/a.css: The entry's size is not the declared one."},
		{"a bomb that claims to be small",
			g.plus(raw{name: "assets/a.css", body: zeros(64 << 20), method: 8, size: 1 << 20}),
			unpacked("assets/a.css")},
		{"data shared by overlap", overlapping(), "assets/b.css: The entry shares its data with another entry."},
		{"data shared by two entries of the list", sharing(),
			"assets/a.css: The entry's header and the archive's directory differ."},
		{"data that reach into the list",
			g.plus(raw{name: "assets/a.css", body: zeros(10), method: 8, packed: 60, trailer: true}),
			"assets/a.css: The entry is truncated."},
	}
}

// overlapping returns the zip bomb whose entries contain the headers of the following ones: a.css,
// stored, contains all of b.css.
func overlapping() []byte {
	var inner, dir bytes.Buffer
	b := raw{name: "assets/b.css", body: []byte("b {}")}
	b.write(&inner, &dir, 0)
	a := raw{name: "assets/a.css", body: inner.Bytes()}
	b.at = 1 + localSize + len(a.name)
	z := zipRaw(end{}, a, b) // b is written twice, and the central directory names the first one
	return z
}

// sharing returns an archive in which two entries have the same data.
func sharing() []byte {
	return zipRaw(end{}, raw{name: "assets/b.css", body: []byte("b {}")},
		raw{name: "assets/a.css", body: []byte("b {}"), at: 1})
}

// noise returns text that compresses poorly, but does compress.
func noise(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "a{}b{} \n"[i*i>>7&7]
	}
	return string(b)
}

func hostileFiles() []hostile {
	g := good()
	zip := string(g.zip())
	file := func(name, body string) []byte { return g.with(name, body).zip() }
	tar := make([]byte, 512)
	copy(tar[257:], "ustar")
	const (
		isArchive = "The file is an archive. A theme must not contain archives."
		types     = "The file type is not allowed. Assets may be css, woff2, woff, ttf, otf, png, jpg, gif, webp or svg."
		templates = "The file is not a template that themes may have: layout, home, product, products, search, page and " +
			"not_found.html, and files in partials."
	)
	return []hostile{
		{"archive", file("assets/a.zip", zip), "assets/a.zip: " + isArchive},
		{"archive at the top", file("more.tar.gz", "x"), "more.tar.gz: " + isArchive},
		{"archive as a template", file("templates/partials/a.html", zip), "templates/partials/a.html: " + nested},
		{"zip as an image", file("assets/a.png", zip), "assets/a.png: " + nested},
		{"empty zip as an image", file("assets/a.png", string(zipRaw(end{}))), "assets/a.png: " + nested},
		{"gzip as an image", file("assets/a.png", "\x1f\x8b\x08aaaaaaaaaaaaaa"), "assets/a.png: " + nested},
		{"rar as a font", file("assets/a.ttf", "Rar!\x1a\x07\x00"), "assets/a.ttf: " + nested},
		{"7z as an image", file("assets/a.gif", "7z\xbc\xaf\x27\x1c"), "assets/a.gif: " + nested},
		{"xz as an image", file("assets/a.svg", "\xfd7zXZ\x00"), "assets/a.svg: " + nested},
		{"bzip2 as a stylesheet", file("assets/a.css", "BZh91AY&SY"), "assets/a.css: " + nested},
		{"tar as a stylesheet", file("assets/a.css", string(tar)), "assets/a.css: " + nested},
		{"zip behind an image", file("assets/a.jpg", someJPEG(2, 2)+zip), "assets/a.jpg: " + nested},
		{"script", file("assets/app.js", "alert(1)"), "assets/app.js: " + types},
		{"page as an asset", file("assets/a.html", "<p>"), "assets/a.html: " + types},
		{"no type", file("assets/a", "x"), "assets/a: " + types},
		{"two types", file("assets/a.css.php", "x"), "assets/a.css.php: " + types},
		{"another template", file("templates/cart.html", "x"), "templates/cart.html: " + templates},
		{"deep partial", file("templates/partials/a/b.html", "x"), "templates/partials/a/b.html: " + templates},
		{"template not in UTF-8", file("templates/home.html", "\xff"),
			"templates/home.html: The template is not valid UTF-8 text."},
		{"template with NUL", file("templates/home.html", "a\x00"),
			"templates/home.html: The template is not valid UTF-8 text."},
		{"large template", file("templates/home.html", strings.Repeat("ab", maxTemplate)),
			"templates/home.html: The template is larger than 256 KiB."},
		{"large templates", g.plus(largePartials()...), "The templates are larger than 2 MiB in total."},
		{"large manifest", file("theme.json", strings.Repeat(" ", maxManifest+1)),
			"theme.json: The file is larger than 64 KiB."},
		{"large stylesheet", file("assets/a.css", noise(maxSheet+1)),
			"assets/a.css: The stylesheet is larger than 1 MiB."},
		{"stylesheet that grows", file("assets/a.css", strings.Repeat("a{b:url(preview.png)}", 20_000)),
			"assets/a.css: The stylesheet is larger than 1 MiB after the addresses of its images and fonts are inserted."},
		{"JPEG as PNG", file("assets/a.png", someJPEG(2, 2)),
			"assets/a.png: The file is a JPEG image, but its name suggests a PNG image."},
		{"PNG as stylesheet", file("assets/a.css", somePNG(2, 2)),
			"assets/a.css: The file is a PNG image, but its name suggests a stylesheet."},
		{"PNG as SVG", file("assets/a.svg", somePNG(2, 2)),
			"assets/a.svg: The file is a PNG image, but its name suggests an SVG image."},
		{"page as PNG", file("assets/a.png", "<!doctype html><script>"),
			"assets/a.png: The file is not a PNG image, as its name suggests."},
		{"empty image", file("assets/a.png", ""), "assets/a.png: The file is empty."},
		{"page as SVG", file("assets/a.svg", "<html xmlns='http://www.w3.org/1999/xhtml'/>"),
			"assets/a.svg: The image is not an SVG image: its only root element must be svg."},
	}
}

func largePartials() []raw {
	list := make([]raw, 9)
	for i := range list {
		body := "{{/*" + strings.Repeat(fmt.Sprint(i), maxTemplate-10) + "*/}}"
		list[i] = raw{name: fmt.Sprint("templates/partials/", i, ".html"), body: []byte(body), method: 8}
	}
	return list
}

func hostileTheme() []hostile {
	g := good()
	manifest := func(text string) []byte { return g.with("theme.json", text).zip() }
	home := func(text string) []byte { return g.with("templates/home.html", text).zip() }
	return []hostile{
		{"no manifest", g.with("theme.json", "-").zip(), "theme.json: The file is missing."},
		{"no layout", g.with("templates/layout.html", "-").zip(), "templates/layout.html: The file is missing."},
		{"no page", g.with("templates/not_found.html", "-").zip(), "templates/not_found.html: The file is missing."},
		{"manifest that is no JSON", manifest(`{`),
			"theme.json: The file is not valid JSON: unexpected end at byte 1."},
		{"manifest that is a list", manifest(`[]`), "theme.json: The file must contain a JSON object."},
		{"manifest without name", manifest(`{"name": ""}`), "theme.json: The theme needs a name."},
		{"blank name", manifest(`{"name": " "}`), "theme.json: The theme needs a name."},
		{"name that is a number", manifest(`{"name": 1}`), "theme.json: name: Must be a string."},
		{"member twice", manifest(`{"name": "a", "name": "b"}`),
			"theme.json: The file is not valid JSON: duplicate member at byte 14."},
		{"unknown member", manifest(`{"name": "a", "colour": "b"}`), "theme.json: colour: Is not known here."},
		{"long name", manifest(`{"name": "` + strings.Repeat("ä", 256) + `"}`),
			"theme.json: name is longer than 255 characters."},
		{"name of two lines", manifest(`{"name": "a\nb"}`), "theme.json: name has control characters."},
		{"bad version", manifest(`{"name": "a", "version": "1_0"}`),
			"theme.json: version may contain only letters, digits, dots, + and -."},
		{"long version", manifest(`{"name": "a", "version": "` + strings.Repeat("1", 65) + `"}`),
			"theme.json: version is longer than 64 characters."},
		{"long author", manifest(`{"name": "a", "author": "` + strings.Repeat("x", 256) + `"}`),
			"theme.json: author is longer than 255 characters."},
		{"long description", manifest(`{"name": "a", "description": "` + strings.Repeat("x", 1001) + `"}`),
			"theme.json: description is longer than 1000 characters."},
		{"preview that is not there", manifest(`{"name": "a", "preview": "assets/none.png"}`),
			"theme.json: preview is not the path of an image in the theme."},
		{"preview that is no image", manifest(`{"name": "a", "preview": "assets/style.css"}`),
			"theme.json: preview is not the path of an image in the theme."},
		{"template that does not parse", home("{{if}}"), "templates/home.html: Line 1: *"},
		{"template with an unknown asset", home(`{{define "content"}}{{asset "assets/none.css"}}{{end}}`),
			"templates/home.html: Line 1: *"},
		{"template with a script", home(`{{define "content"}}<script>alert(1)</script>{{end}}`),
			"templates/home.html: Line 1: *"},
	}
}

func TestReadFSHostile(t *testing.T) {
	for _, tc := range []struct {
		name, path string
		file       fstest.MapFile
		want       string
	}{
		{name: "symbolic link", path: "assets/a.png",
			file: fstest.MapFile{Data: []byte("style.css"), Mode: fs.ModeSymlink},
			want: "assets/a.png: The entry is a symbolic link."},
		{name: "special file", path: "assets/a.png", file: fstest.MapFile{Mode: fs.ModeNamedPipe},
			want: "assets/a.png: The entry is a special file."},
		{name: "name", path: "assets/a b.png",
			want: `assets/a\x20b.png: The name has characters other than letters, digits, -, _, . and /.`},
		{name: "capitals", path: "assets/STYLE.css",
			want: "assets/style.css: The name differs from another one only in case."},
		{name: "size", path: "assets/a.css", file: fstest.MapFile{Data: make([]byte, maxFile+1)},
			want: "assets/a.css: The file is larger than 10 MiB."},
		{name: "archive", path: "assets/a.png", file: fstest.MapFile{Data: []byte("PK\x03\x04")},
			want: "assets/a.png: " + nested},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fsys := fstest.MapFS{tc.path: &tc.file}
			for name, body := range good() {
				fsys[name] = &fstest.MapFile{Data: []byte(body)}
			}
			if _, err := ReadFS(fsys); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
	many := fstest.MapFS{}
	for i := range maxEntries + 1 {
		many[fmt.Sprint("assets/", i, ".css")] = &fstest.MapFile{}
	}
	if _, err := ReadFS(many); err == nil || err.Error() != "The folder has more than 300 entries." {
		t.Errorf("got %v", err)
	}
}

// A file that does not have the size that it claims is refused, wherever it is.
func TestEntryRead(t *testing.T) {
	for claim, want := range map[int64]bool{4: false, 5: true, 6: false} {
		e := entry{size: claim,
			open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("hello")), nil }}
		if b, detail := e.read(); (detail == "") != want || want && string(b) != "hello" {
			t.Errorf("claiming %d, got %q, %s", claim, b, detail)
		}
	}
}

// inlined returns an image as written in a stylesheet.
func inlined(contentType, body string) string {
	return "data:" + contentType + ";base64," + base64.StdEncoding.EncodeToString([]byte(body))
}
