package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/currency"
)

//go:embed static
var static embed.FS

// shellName is the template of the page, which is not served as a file.
const shellName = "shell.html"

const entryName = "app.js"

// plotName is the plotting library: a script, not a module. plot.js adds it to the page.
const plotName = "vendor/uplot/uPlot.iife.min.js"

// source holds the files of the page by their names below static.
type source struct {
	files   map[string][]byte
	shell   []byte
	version string
}

func load() (*source, error) {
	s, err := read()
	if err != nil {
		return nil, err
	}
	if err := s.join(); err != nil {
		return nil, err
	}
	s.version = s.digest()
	return s, nil
}

// read reads the embedded files and adds generated ones.
func read() (*source, error) {
	s := &source{files: map[string][]byte{}}
	err := fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := static.ReadFile(name)
		s.files[strings.TrimPrefix(name, "static/")] = content
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("dashboard: read files: %w", err)
	}
	s.shell = s.files[shellName]
	delete(s.files, shellName)
	s.files["currencies.js"] = currencies()
	if err := s.link("vendor/preact/hooks.module.js", "preact", "./preact.module.js"); err != nil {
		return nil, err
	}
	return s, nil
}

// currencies returns a module with the server's table of currencies: browsers use other digits for
// some of them, and an amount would look a thousand times too large.
func currencies() []byte {
	var b strings.Builder
	b.WriteString("// The decimal digits of each currency, as the server counts them.\nexport const digits = {\n")
	for _, code := range currency.All() {
		n, _ := currency.Digits(code) // from its own list
		b.WriteString("  " + string(code) + ": " + strconv.Itoa(n) + ",\n")
	}
	return []byte(b.String() + "};\n")
}

// link gives a bare import of a package's module an address. npm packages import each other by bare
// names, which a browser resolves only with an import map, and that is an inline script. So the
// files in the tree stay as published and can be compared, and only served copies have this name
// replaced. The alternative, htm's bundle of both, stopped at the Preact of its time.
func (s *source) link(name, bare, address string) error {
	old, fresh := []byte(`from"`+bare+`"`), []byte(`from"`+address+`"`)
	if bytes.Count(s.files[name], old) != 1 {
		return fmt.Errorf("dashboard: %s does not import %q exactly once", name, bare)
	}
	s.files[name] = bytes.Replace(s.files[name], old, fresh, 1)
	return nil
}

// digest identifies this set of files. It is part of every address, so modules of two versions
// never meet in one page: imports are relative.
func (s *source) digest() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		io.WriteString(h, name+" "+strconv.Itoa(len(s.files[name]))+"\n")
		h.Write(s.files[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func (s *source) address(name string) string { return assetRoot + s.version + "/" + name }

func (s *source) page() ([]byte, error) {
	t, err := template.New(shellName).Parse(string(s.shell))
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, map[string]any{"Assets": assetRoot + s.version, "Entry": entryName}); err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	return b.Bytes(), nil
}

// imported matches the static imports of our modules and of vendors', which stand at the start of a
// line or file, so nothing in a string or comment matches.
var imported = regexp.MustCompile(`(?m)^(?:import|export)\b[^'"();]*?\bfrom ?['"]([^'"]+)['"]`)

// order lists the modules below the entries and the entries themselves, each after its imports. A
// cycle of imports is an error.
func (s *source) order(entries ...string) ([]string, error) {
	var done, open []string
	var visit func(name string) error
	visit = func(name string) error {
		if slices.Contains(open, name) {
			return fmt.Errorf("dashboard: %s imports itself, by %s", name, open)
		}
		if slices.Contains(done, name) {
			return nil
		}
		open = append(open, name)
		for _, m := range imported.FindAllSubmatch(s.files[name], -1) {
			below := path.Join(path.Dir(name), string(m[1]))
			if _, ok := s.files[below]; !ok || !strings.HasPrefix(string(m[1]), ".") {
				return fmt.Errorf("dashboard: %s imports %s, which does not exist", name, m[1])
			}
			if err := visit(below); err != nil {
				return err
			}
		}
		open = open[:len(open)-1]
		done = append(done, name)
		return nil
	}
	for _, name := range entries {
		if err := visit(name); err != nil {
			return nil, err
		}
	}
	return done, nil
}
