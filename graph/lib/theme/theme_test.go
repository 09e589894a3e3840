package theme

import (
	"encoding/hex"
	"errors"
	"hash/crc32"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
)

func crc(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

func mustRead(t *testing.T, archive []byte) *Package {
	t.Helper()
	p, err := Read(archive)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRead(t *testing.T) {
	p := mustRead(t, good().zip())
	want := Manifest{Name: "Plain", Version: new("1.0.0"), Author: new("Ann"), Description: new("Quiet.\nAnd light."),
		Preview: "assets/preview.png"}
	if diff := cmp.Diff(want, p.Manifest); diff != "" {
		t.Error(diff)
	}
	if len(p.Templates) != 7 || p.Templates["templates/home.html"] != good()["templates/home.html"] {
		t.Errorf("got the templates %v", p.Templates)
	}
	got := map[string]string{}
	for _, a := range p.Assets {
		got[a.Path] = string(a.Kind) + " " + a.ContentType
		if a.Sum != digest.Of(a.Body) || a.Size != int64(len(a.Body)) {
			t.Errorf("%s: size %d and checksum are not those of the body", a.Path, a.Size)
		}
		if body := good()[a.Path]; a.Kind != state.AssetCSS && string(a.Body) != body {
			t.Errorf("%s: the body was changed", a.Path)
		}
	}
	if diff := cmp.Diff(map[string]string{
		"assets/empty.css": "css text/css; charset=utf-8", "assets/style.css": "css text/css; charset=utf-8",
		"assets/fonts/a.otf": "font font/otf", "assets/fonts/a.ttf": "font font/ttf",
		"assets/fonts/a.woff": "font font/woff", "assets/fonts/a.woff2": "font font/woff2",
		"assets/img/dot.gif": "image image/gif", "assets/img/dot.webp": "image image/webp",
		"assets/img/logo.svg": "image image/svg+xml", "assets/img/photo.JPEG": "image image/jpeg",
		"assets/preview.png": "image image/png",
	}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadSizes(t *testing.T) {
	p := mustRead(t,
		good().with("assets/bare.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="2em"/>`).zip())
	type size struct{ Width, Height *int }
	got := map[string]size{}
	for _, a := range p.Assets {
		if a.Kind == state.AssetImage || a.Width != nil || a.Height != nil {
			got[a.Path] = size{a.Width, a.Height}
		}
	}
	if diff := cmp.Diff(map[string]size{
		"assets/preview.png": {new(4), new(3)}, "assets/img/photo.JPEG": {new(5), new(4)},
		"assets/img/dot.gif": {new(2), new(2)}, "assets/img/dot.webp": {new(1), new(1)},
		"assets/img/logo.svg": {new(24), new(16)}, "assets/bare.svg": {},
	}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadAddresses(t *testing.T) {
	p := mustRead(t, good().zip())
	sheet, _ := p.Find("assets/style.css")
	address := func(path string) string {
		a, ok := p.Find(path)
		if !ok {
			t.Fatalf("%s is not there", path)
		}
		return "/assets/" + hex.EncodeToString(a.Sum[:]) + path[strings.LastIndexByte(path, '/'):]
	}
	want := strings.NewReplacer(
		`url("fonts/a.woff2")`, `url("`+address("assets/fonts/a.woff2")+`")`,
		`url('fonts/a.ttf?v=2#x')`, `url("`+address("assets/fonts/a.ttf")+`#x")`,
		`url( img/dot.gif )`, `url("`+address("assets/img/dot.gif")+`")`,
	).Replace(goodSheet)
	if diff := cmp.Diff(want, string(sheet.Body)); diff != "" {
		t.Error(diff)
	}
	if got := sheet.Address(); got != address("assets/style.css") {
		t.Errorf("got the address %s", got)
	}
}

// The same theme in another form is the same package.
func TestReadForms(t *testing.T) {
	want := string(mustRead(t, good().zip()).Encode())
	inside := tree{}
	for name, body := range good() {
		inside["plain-1.0.0/"+name] = body
	}
	mac := append(good().raws(), raw{name: "__MACOSX/"}, raw{name: "__MACOSX/._theme.json", body: []byte("x")},
		raw{name: "assets/.DS_Store", body: []byte("y")})
	github := append([]raw{{name: "plain-1.0.0/", mode: 0o40755}}, inside.raws()...)
	streamed, stored := good().raws(), good().raws()
	for i := range streamed {
		streamed[i].trailer, stored[i].method = true, 0
	}
	windows, repository := inside.raws(), append(inside.raws(), strays()...)
	for i := range windows {
		windows[i].name = strings.ReplaceAll(windows[i].name, "/", `\`)
	}
	windows = append(windows, raw{name: `plain-1.0.0\assets\`})
	marked := good()
	marked["theme.json"] = "\ufeff" + marked["theme.json"]
	folders := append([]raw{{name: "assets/"}, {name: "templates/", method: 8, body: nil}}, good().raws()...)
	for _, tc := range []struct {
		name    string
		archive []byte
	}{
		{"as GitHub packs it", zipRaw(end{comment: []byte("0123456789abcdef")}, github...)},
		{"as macOS packs it", zipRaw(end{}, mac...)},
		{"as the standard library packs it", good().libraryZip(t)},
		{"in one folder, with what macOS adds beside it",
			inside.plus(raw{name: "__MACOSX/plain-1.0.0/._theme.json", body: []byte("x")})},
		{"with sizes behind the data", zipRaw(end{}, streamed...)},
		{"not packed", zipRaw(end{}, stored...)},
		{"with entries of folders", zipRaw(end{}, folders...)},
		{"with backslashes", zipRaw(end{}, windows...)},
		{"as a repository has it", zipRaw(end{}, repository...)},
		{"with a byte order mark", marked.zip()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(want, string(mustRead(t, tc.archive).Encode())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// strays are files that repositories and file managers leave beside a theme.
func strays() []raw {
	list := []raw{}
	for _, name := range []string{"LICENSE", "README.md", ".gitignore", ".github/workflows/check.yml", "style.css",
		"docs/Screenshot (ä).png", "Thumbs.db", "assets/fonts/OFL.txt", "assets/Thumbs.db", "assets/.keep",
		"templates/README.md"} {
		list = append(list, raw{name: "plain-1.0.0/" + name, body: []byte("x")})
	}
	return append(list, raw{name: "notes.txt", body: []byte("x")}) // beside the theme's folder
}

// Files that are left out are reported.
func TestReadIgnored(t *testing.T) {
	inside := []raw{}
	for name, body := range good() {
		inside = append(inside, raw{name: "plain-1.0.0/" + name, body: []byte(body)})
	}
	got := mustRead(t, zipRaw(end{}, append(inside, strays()...)...)).Ignored
	if len(got) != len(strays()) || got[0] != "plain-1.0.0/LICENSE" || got[len(got)-1] != "notes.txt" {
		t.Errorf("got %q", got)
	}
}

func TestReadFS(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, body := range good() {
		fsys[name] = &fstest.MapFile{Data: []byte(body)}
	}
	p, err := ReadFS(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(mustRead(t, good().zip()), p); diff != "" {
		t.Error(diff)
	}
	fsys["assets/style.css"] = &fstest.MapFile{Data: []byte("a { b: url(nowhere.png) }")}
	fsys["notes.zip"] = &fstest.MapFile{Data: []byte("x")}
	want := "assets/style.css: Line 1: url(nowhere.png) is not an asset of the theme."
	if _, err = ReadFS(fsys); err == nil || !strings.Contains(err.Error(), want) ||
		!strings.Contains(err.Error(), "notes.zip: The file is an archive") {
		t.Errorf("got %v", err)
	}
}

func TestReadReportsEverything(t *testing.T) {
	_, err := Read(good().with(
		"theme.json", "{}", "assets/style.css", "@import 'x';\na{b:url(nowhere.png)}", "assets/bad.png", "no",
		"readme.md", "x", "templates/home.html", "-", "templates/search.html", "\xff").zip())
	got := strings.Split(err.Error(), "\n")
	want := []string{
		"assets/bad.png: The file is not a PNG image, as its name suggests.",
		"templates/search.html: The template is not valid UTF-8 text.",
		"theme.json: The theme needs a name.",
		"templates/home.html: The file is missing.",
		"assets/style.css: Line 1: @import is not allowed. Link all stylesheets in the theme's layout.",
		"assets/style.css: Line 2: url(nowhere.png) is not an asset of the theme.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadStopsAtTwenty(t *testing.T) {
	broken := good()
	for i := range 40 {
		broken["assets/"+strings.Repeat("x", i+1)+".png"] = "no"
	}
	_, err := Read(broken.zip())
	if p, ok := errors.AsType[*Problems](err); !ok || len(p.List) != 20 {
		t.Errorf("got %v", err)
	}
}
