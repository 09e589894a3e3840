package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"
)

// listed is one line of vendor.json.
type listed struct{ Name, Version, Licence, Tarball, Path, File, SHA256 string }

// Third-party files are as published, byte for byte once decompressed, with their license. Scalar's
// package has none; its license is from its repository.
func TestVendor(t *testing.T) {
	text, err := files.ReadFile("vendor/vendor.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []listed
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	known, licensed := map[string]bool{"vendor/vendor.json": true}, map[string]bool{}
	for _, l := range list {
		content, err := files.ReadFile("vendor/" + l.File)
		if err != nil {
			t.Error(err)
			continue
		}
		known["vendor/"+l.File] = true
		if strings.HasSuffix(l.File, ".gz") {
			content = unpacked(content)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != l.SHA256 {
			t.Errorf("%s is not as %s published it", l.File, l.Tarball)
		}
		licence := path.Base(l.File) == "LICENSE"
		licensed[l.Name] = licensed[l.Name] || licence
		want := "https://registry.npmjs.org/" + l.Name + "/-/" + path.Base(l.Name) + "-" + l.Version + ".tgz"
		if l.Licence == "" || l.Path == "" || l.Tarball != want && !licence {
			t.Errorf("the line of %s is wrong: %+v", l.File, l)
		}
	}
	for _, l := range list {
		if !licensed[l.Name] {
			t.Errorf("%s comes without its licence", l.Name)
		}
	}
	err = fs.WalkDir(files, "vendor", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !known[name] {
			t.Errorf("%s is not in vendor.json", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The compressed viewers stay within their share of the program's size.
func TestVendorWeight(t *testing.T) {
	const most = 6 << 20
	var sum int64
	_ = fs.WalkDir(files, "vendor", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return err
	})
	if sum > most || sum < 1<<20 {
		t.Errorf("%d bytes, want at most %d", sum, most)
	}
	t.Logf("%d bytes", sum)
}
