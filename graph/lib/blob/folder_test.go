package blob

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func openTest(t testing.TB) (*Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "blobs")
	s, err := Open(t.Context(), "", dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, dir
}

// tree lists everything below a folder, folders with a slash.
func tree(t testing.TB, dir string) []string {
	t.Helper()
	list := []string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name := strings.TrimPrefix(path, dir+string(filepath.Separator))
		if d.IsDir() {
			name += "/"
		}
		list = append(list, filepath.ToSlash(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What is written is in the file at once, which other users cannot read, and there is no other
// file.
func TestBytesReachTheFile(t *testing.T) {
	s, dir := openTest(t)
	w, err := s.Create(t.Context(), "exports/one/part", "text/csv; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	temp := tree(t, dir)
	if len(temp) != 3 || !temporary(temp[2]) {
		t.Fatalf("while it is written there is %q", temp)
	}
	path := filepath.Join(dir, temp[2])
	for _, text := range []string{"", "a", "ab", "abc"} {
		if b, err := os.ReadFile(path); err != nil || string(b) != text {
			t.Errorf("the file holds %q, %v; want %q", b, err, text)
		}
		if len(text) < 3 {
			if _, err := w.Write([]byte("abc"[len(text):][:1])); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"exports/", "exports/one/", "exports/one/part"}, tree(t, dir)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for name, want := range map[string]fs.FileMode{
		"": 0o700, "exports": 0o700, "exports/one": 0o700, "exports/one/part": 0o600,
	} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %o", name, info.Mode(), err, want)
		}
	}
}

// The file is flushed before it is renamed, the folders after.
func TestCloseWaitsForTheDisk(t *testing.T) {
	s, dir := openTest(t)
	type flush struct{ Name, Object string }
	var got []flush
	flushed := s.folder.sync
	s.folder.sync = func(f *os.File) error {
		name, err := filepath.Rel(dir, f.Name())
		if err != nil {
			name = f.Name() // files opened by the root are named relative to it
		}
		if temporary(filepath.ToSlash(name)) {
			name = "file"
		}
		object, _ := os.ReadFile(filepath.Join(dir, "exports", "one", "part"))
		got = append(got, flush{filepath.ToSlash(strings.TrimPrefix(name, dir)), string(object)})
		return flushed(f)
	}
	if err := s.Put(t.Context(), "exports/one/part", "", []byte("text")); err != nil {
		t.Fatal(err)
	}
	want := []flush{{"file", ""}, {"exports/one", "text"}, {"exports", "text"}, {".", "text"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("flushed (-want +got):\n%s", d)
	}
}

// If the disk fails, there is an error.
func TestCloseReportsTheDisk(t *testing.T) {
	for i, name := range []string{"file", "folder", "folder above", "root"} {
		t.Run(name, func(t *testing.T) {
			s, dir := openTest(t)
			calls := 0
			s.folder.sync = func(*os.File) error {
				if calls++; calls == i+1 {
					return &fs.PathError{Op: "sync", Path: dir + "/secret", Err: syscall.EIO}
				}
				return nil
			}
			err := s.Put(t.Context(), "a/b/c", "", []byte("text"))
			if !errors.Is(err, syscall.EIO) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v", err)
			}
			if got := tree(t, dir); i == 0 && len(got) != 0 {
				t.Errorf("left: %q", got)
			}
		})
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	s, dir := openTest(t)
	w, err := s.Create(t.Context(), "a/b/c", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, 100_000)); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if got := tree(t, dir); len(got) != 0 {
		t.Errorf("left: %q", got)
	}
}

// Leftovers of killed writers are removed with the objects, and nothing else is.
func TestDeleteAllRemovesLeftovers(t *testing.T) {
	s, dir := openTest(t)
	for _, key := range []string{"e/1/a", "e/1/deep/b", "e/10/a", "f"} {
		if err := s.Put(t.Context(), key, "", []byte("x")); err != nil {
			t.Fatal(err)
		}
		// As if the process was killed: the file was never closed.
		w, err := s.Create(t.Context(), key, "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Abort)
	}
	if err := os.MkdirAll(filepath.Join(dir, "e", "1", "empty", "deeper"), 0o700); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for o, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, o.Key)
	}
	slices.Sort(listed)
	if d := cmp.Diff([]string{"e/1/a", "e/1/deep/b", "e/10/a", "f"}, listed); d != "" {
		t.Errorf("the list shows unfinished files (-want +got):\n%s", d)
	}
	if err := s.DeleteAll(t.Context(), "e/1/"); err != nil {
		t.Fatal(err)
	}
	if got := len(tree(t, dir)); got != 6 { // e/, e/10/, two files in it, f and its temporary file
		t.Errorf("left: %q", tree(t, dir))
	}
	if err := s.DeleteAll(t.Context(), "e/10/a"); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "f"); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, dir); len(got) != 1 || !temporary(got[0]) {
		t.Errorf("left: %q, want what is written of f alone", got)
	}
}

// Foreign files stay, and so do their folders.
func TestDeleteAllKeepsForeignFiles(t *testing.T) {
	s, dir := openTest(t)
	if err := s.Put(t.Context(), "a/b", "", nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/.keep", "a/Notes", "a/b.tmp", "a/x.zz.tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "kept"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "a", "link")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	if err := s.DeleteAll(t.Context(), "a/"); err != nil {
		t.Fatal(err)
	}
	want := []string{"a/", "a/.keep", "a/Notes", "a/b.tmp", "a/link", "a/x.zz.tmp"}
	if d := cmp.Diff(want, tree(t, dir)); d != "" && runtime.GOOS != "windows" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"kept"}, tree(t, outside)); d != "" {
		t.Errorf("behind the link (-want +got):\n%s", d)
	}
}

func TestTemporary(t *testing.T) {
	for name, want := range map[string]bool{
		"a.18a0b1c2d3e4f5a6.tmp": true, "a/b.csv.0.tmp": true, "a.tmp": false, "a..tmp": false, ".0.tmp": false,
		"a.xyz.tmp": false, "a.18A.tmp": false, "a.18a.tm": false, "A.18a.tmp": false, "a/.b.18a.tmp": false, "": false,
		".tmp": false, "a.tmp.18a.tmp": false,
	} {
		if got := temporary(name); got != want {
			t.Errorf("temporary(%q) = %t", name, got)
		}
	}
}

func TestFolderCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if s, err := Open(t.Context(), "", dir); err == nil {
			s.Close()
			t.Errorf("%s was opened", dir)
		}
	}
}
