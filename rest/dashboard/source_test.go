package dashboard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// budget is the most that the home page may transfer, in bytes.
const budget = 110_000

// answers is the maximum size of the answers to the home page's queries.
const answers = 15_000

func loaded(t *testing.T) *source {
	t.Helper()
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// written returns the page's files as written.
func written(t *testing.T) *source {
	t.Helper()
	s, err := read()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ours reports whether a file is ours.
func ours(name string) bool { return !strings.HasPrefix(name, "vendor/") }

// vendored is one line of vendor.json.
type vendored struct{ Name, Version, Licence, Tarball, Path, File, SHA256 string }

// Third-party files are as published, byte for byte, with their license.
func TestVendor(t *testing.T) {
	text, err := static.ReadFile("static/vendor/vendor.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []vendored
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	listed, licensed := map[string]bool{"vendor.json": true}, map[string]bool{}
	for _, v := range list {
		content, err := static.ReadFile("static/vendor/" + v.File)
		if err != nil {
			t.Error(err)
			continue
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != v.SHA256 {
			t.Errorf("%s is not as %s published it", v.File, v.Tarball)
		}
		if want := "https://registry.npmjs.org/" + v.Name + "/-/" + v.Name + "-" + v.Version +
			".tgz"; v.Tarball != want || v.Licence == "" || v.Path == "" {
			t.Errorf("the line of %s is wrong: %+v", v.File, v)
		}
		listed[v.File] = true
		if path.Base(v.File) == "LICENSE" {
			licensed[v.Name] = true
		}
	}
	for _, v := range list {
		if !licensed[v.Name] {
			t.Errorf("%s comes without its licence", v.Name)
		}
	}
	for name := range written(t).files {
		if file, ok := strings.CutPrefix(name, "vendor/"); ok && !listed[file] {
			t.Errorf("%s is not in vendor.json", name)
		}
	}
}

var (
	lazy = regexp.MustCompile(`\bimport\(['"]([^'"]+)['"]\)`)
	// fetched matches the pages that the entry loads: a file below pages and its export.
	fetched = regexp.MustCompile(`\bpage: from\('(\w+)', '(\w+)'\)`)
)

// later lists the modules that a file imports dynamically.
func (s *source) later(name string) []string {
	var list []string
	for _, m := range lazy.FindAllSubmatch(s.files[name], -1) {
		list = append(list, path.Join(path.Dir(name), string(m[1])))
	}
	for _, m := range fetched.FindAllSubmatch(s.files[name], -1) {
		list = append(list, "pages/"+string(m[1])+".js")
	}
	return list
}

// Every import names an existing file, and every file of ours is imported.
func TestModules(t *testing.T) {
	s := written(t)
	met := map[string]bool{}
	for open := []string{entryName}; len(open) > 0; open = open[1:] {
		names, err := s.order(open[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if met[name] {
				continue
			}
			met[name] = true
			for _, next := range s.later(name) {
				if s.files[next] == nil {
					t.Errorf("%s asks for %s, which does not exist", name, next)
				}
				open = append(open, next)
			}
		}
	}
	for _, m := range fetched.FindAllSubmatch(s.files[entryName], -1) {
		if !bytes.Contains(s.files["pages/"+string(m[1])+".js"], []byte("export function "+string(m[2])+"(")) {
			t.Errorf("pages/%s.js exports no function %s", m[1], m[2])
		}
	}
	for name := range s.files {
		if path.Ext(name) == ".js" && !met[name] && name != plotName {
			t.Errorf("nothing imports %s", name)
		}
		if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%q is not an ASCII name", name)
		}
	}
}

// The reader of imports finds them; otherwise nothing would ever be missing.
func TestOrder(t *testing.T) {
	s := &source{files: map[string][]byte{
		"a.js": []byte("// from './no.js'\nimport { x,\n  y } from " +
			"'./b/c.js';\nimport{z}from\"./d.js\";\nconst s = 'import q from \"./no.js\"';\n"),
		"b/c.js":     []byte("export { w } from '../d.js';\nexport const v = 1;\n"),
		"d.js":       nil,
		"missing.js": []byte("import x from './no.js';\n"),
		"bare.js":    []byte("import x from 'preact';\n"),
		"preact":     nil,
		"round.js":   []byte("import { x } from './circle.js';\n"),
		"circle.js":  []byte("export { x } from './round.js';\n"),
	}}
	got, err := s.order("a.js", "d.js")
	if want := []string{"d.js", "b/c.js", "a.js"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, name := range []string{"missing.js", "bare.js", "round.js"} {
		if _, err := s.order(name); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

func TestLink(t *testing.T) {
	s := &source{
		files: map[string][]byte{"a.js": []byte(`import{h}from"preact";`), "b.js": []byte(`import{h}from"react";`)},
	}
	if err := s.link("a.js", "preact", "./p.js"); err != nil || string(s.files["a.js"]) != `import{h}from"./p.js";` {
		t.Errorf("got %s, %v", s.files["a.js"], err)
	}
	if err := s.link("b.js", "preact", "./p.js"); err == nil {
		t.Error("a module that does not import the package: want an error")
	}
}

// Texts stay texts: our files never make markup or code of them, style elements with attributes, or
// name another host.
func TestNoMarkupFromTexts(t *testing.T) {
	s := written(t)
	bad := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|dangerously|document\.write|\beval\b|new ` +
		`Function|DOMParser|srcdoc|\bstyle=|javascript:|setAttribute\('on`)
	host := regexp.MustCompile(`https?://[\w.-]+`)
	for name, content := range s.files {
		if !ours(name) {
			continue
		}
		if m := bad.Find(content); m != nil {
			t.Errorf("%s has %q", name, m)
		}
		if m := host.Find(content); m != nil && string(m) != "http://www.w3.org" {
			t.Errorf("%s names %s", name, m)
		}
	}
}

// A change of any file changes every address.
func TestVersion(t *testing.T) {
	a, b := loaded(t), loaded(t)
	if a.digest() != a.version || a.version != b.version {
		t.Fatal("the same files have two versions")
	}
	b.files["upload.js"] = append(slices.Clone(b.files["upload.js"]), '\n')
	if b.digest() == a.version {
		t.Error("a changed file has the old version")
	}
	delete(b.files, "upload.js")
	if b.digest() == a.version {
		t.Error("a missing file has the old version")
	}
}

func TestCurrencies(t *testing.T) {
	text := string(written(t).files["currencies.js"])
	for _, want := range []string{"EUR: 2,", "JPY: 0,", "KWD: 3,"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %s", text, want)
		}
	}
}

// sent returns how many bytes of an asset a browser receives.
func (a asset) sent() int {
	if a.form.Packed == nil {
		return len(a.form.Plain)
	}
	return len(a.form.Packed)
}

// The home page stays within the budget, compressed.
func TestBudget(t *testing.T) {
	s := loaded(t)
	page, err := s.page()
	if err != nil {
		t.Fatal(err)
	}
	sum := answers + newAsset(shellName, "", page).sent()
	for _, name := range []string{entryName, "style.css", "icon.svg", "vendor/uplot/uPlot.min.css", plotName} {
		sum += newAsset(name, "", s.files[name]).sent() + 700 // with the headers of an answer
	}
	if sum > budget || sum < 50_000 {
		t.Errorf("the home page takes %d bytes, want at most %d", sum, budget)
	}
	t.Logf("%d bytes", sum)
}

// glances are lists that show only the newest rows on purpose, and say so.
var glances = map[string]string{"notes": "the page says how many older ones there are"}

// A list that is treated as complete hides what is after its first page: a form then offers too
// little, and saves without what it could not show. So code that asks for many rows has to check
// for more.
func TestListsGoOn(t *testing.T) {
	question := regexp.MustCompile("(?s)`[^`]*`|'[^'\n]*'")
	list := regexp.MustCompile(`(\w+)\(first: (\d\d+)`)
	for name, content := range written(t).files {
		if !ours(name) || path.Ext(name) != ".js" {
			continue
		}
		for _, text := range question.FindAllString(string(content), -1) {
			for _, found := range list.FindAllStringSubmatch(text, -1) {
				if glances[found[1]] == "" && found[2] != "10" && !strings.Contains(text, "hasNextPage") {
					t.Errorf("%s reads %s %s and does not ask for hasNextPage: use useAll, a page, or a search", name,
						found[2], found[1])
				}
			}
		}
	}
}

// Requests go only through api.js, which opens the sign-in and sends again after the session has ended: a page that
// sends its own would lose input.
func TestRequestsGoThroughAPI(t *testing.T) {
	door := regexp.MustCompile(`\bfetch\(|XMLHttpRequest|sendBeacon`)
	for name, content := range written(t).files {
		if ours(name) && path.Ext(name) == ".js" && name != "api.js" && name != "upload.js" && door.Match(content) {
			t.Errorf("%s sends requests itself: use send or mutation", name)
		}
	}
}

// Moving the focus, or showing an error of a field, in an effect after the paint is a moment late: the end of a word
// goes to another element. And a field with a value but without an input handler is reset by every render.
func TestTypedTextStays(t *testing.T) {
	late := regexp.MustCompile(`\.focus\(|showModal|setCustomValidity`)
	choice := regexp.MustCompile(`type="(radio|checkbox|hidden)"|readonly|onInput=`)
	for name, content := range written(t).files {
		if !ours(name) || path.Ext(name) != ".js" {
			continue
		}
		for _, rest := range strings.Split(string(content), "useEffect(")[1:] {
			if text := call(rest); late.MatchString(text) {
				t.Errorf("%s: use useLayoutEffect for\n%s", name, text)
			}
		}
		for _, start := range []string{"<input", "<textarea"} {
			for _, rest := range strings.Split(string(content), start)[1:] {
				text, _, _ := strings.Cut(rest, "/>")
				if strings.Contains(text, " value=$") && !choice.MatchString(text) {
					t.Errorf("%s: a field loses what is typed when it is drawn again: %s", name, text)
				}
			}
		}
	}
}

// call is a text up to the end of the call that it is in.
func call(text string) string {
	depth := 1
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i]
			}
		}
	}
	return text
}
