package keyring_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// What was sealed before a rotation opens, and is resealed once.
func TestRotate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, keyring.FileName)
	before, err := keyring.LoadOrCreate(dir)
	if err != nil {
		t.Fatal(err)
	}
	old := before.Sealer("x").Seal([]byte("plain"), []byte("a"))
	after, err := keyring.Rotate(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %o, want 600", mode)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v is left, %v", left, err)
	}
	if ids := after.KeyIDs(); len(ids) != 2 || ids[1] != before.KeyIDs()[0] || ids[0] == ids[1] {
		t.Errorf("the secrets are %x, before %x", ids, before.KeyIDs())
	}
	s := after.Sealer("x")
	fresh, err := s.Reseal(old, []byte("a"))
	if err != nil || fresh[keyring.MarkAt-1] != after.KeyIDs()[0] {
		t.Fatalf("sealed anew %x, %v", fresh, err)
	}
	if plain, err := s.Open(fresh, []byte("a")); err != nil || string(plain) != "plain" {
		t.Errorf("it opens as %q, %v", plain, err)
	}
	if again, err := s.Reseal(fresh, []byte("a")); err != nil || again != nil {
		t.Errorf("sealed once more %x, %v", again, err)
	}
	if _, err := s.Reseal(old, []byte("b")); err == nil {
		t.Error("another's text was sealed anew")
	}
}

func TestRotateAtOnce(t *testing.T) {
	dir := t.TempDir()
	if _, err := keyring.LoadOrCreate(dir); err != nil {
		t.Fatal(err)
	}
	var done atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, err := keyring.Rotate(filepath.Join(dir, keyring.FileName)); err == nil {
				done.Add(1)
			} else if !strings.Contains(err.Error(), "another rotation") {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	r, err := keyring.LoadOrCreate(dir)
	if err != nil || len(r.KeyIDs()) != int(done.Load())+1 {
		t.Errorf("%d secrets after %d rotations, %v", len(r.KeyIDs()), done.Load(), err)
	}
}

func TestRotateRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, keyring.FileName)
	if _, err := keyring.Rotate(path); err == nil {
		t.Error("what is not there was rotated")
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Rotate(path); err == nil {
		t.Error("what is no secret was rotated")
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "short" {
		t.Errorf("the file became %q, %v", b, err)
	}
}
