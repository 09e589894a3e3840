package keyring_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/keyring"
)

func TestLoadOrCreateKeepsOneSecret(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	first, err := keyring.LoadOrCreate(dir)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, keyring.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %o, want 600", mode)
	}
	again, err := keyring.LoadOrCreate(dir)
	if err != nil {
		t.Fatal(err)
	}
	if first.MACs("x")[0] != again.MACs("x")[0] {
		t.Error("the second start has another secret")
	}
	other, err := keyring.LoadOrCreate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if first.MACs("x")[0] == other.MACs("x")[0] {
		t.Error("two installations share their secret")
	}
}

func TestLoadOrCreateAtOnce(t *testing.T) {
	dir := t.TempDir()
	rings := make([]*keyring.Ring, 16)
	var wg sync.WaitGroup
	for i := range rings {
		wg.Go(func() {
			r, err := keyring.LoadOrCreate(dir)
			if err != nil {
				t.Error(err)
				return
			}
			rings[i] = r
		})
	}
	wg.Wait()
	for i, r := range rings {
		if t.Failed() {
			return
		}
		if r.MACs("x")[0] != rings[0].MACs("x")[0] {
			t.Errorf("start %d has another secret", i)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%v, %v: want the secret alone", left, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	good := secret(1) + "\n"
	for _, tc := range []struct {
		name, text string
		mode       os.FileMode
		refusal    string
	}{
		{name: "readable by the group", text: good, mode: 0o640, refusal: "0640"},
		{name: "readable by all", text: good, mode: 0o644, refusal: "chmod 600"},
		{name: "writable by others", text: good, mode: 0o602, refusal: "0602"},
		{name: "empty", mode: 0o600, refusal: "empty"},
		{name: "short", text: "hunter2\n", mode: 0o600, refusal: "7 bytes"},
		{name: "huge", text: strings.Repeat("x", 1<<16), mode: 0o600, refusal: "too large"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, keyring.FileName)
			if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, tc.mode); err != nil { // regardless of the umask
				t.Fatal(err)
			}
			r, err := keyring.LoadOrCreate(dir)
			if err == nil || r != nil || !strings.Contains(err.Error(), tc.refusal) ||
				!strings.Contains(err.Error(), path) {
				t.Fatalf("error %v, want %q and the path", err, tc.refusal)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), secret(1)) {
				t.Errorf("%v quotes the secret", err)
			}
			if b, _ := os.ReadFile(path); string(b) != tc.text {
				t.Error("the file was changed")
			}
		})
	}
}

func TestLoadReadsAList(t *testing.T) {
	dir := t.TempDir()
	list := secret(2) + ",\n" + secret(1) + "\n"
	if err := os.WriteFile(filepath.Join(dir, keyring.FileName), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := keyring.LoadOrCreate(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.MACs("x"), parse(t, secret(2), secret(1)).MACs("x"); len(got) != 2 || got[0] != want[0] ||
		got[1] != want[1] {
		t.Error("the file is not read as a list")
	}
}

func TestLoadRefusesAFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, keyring.FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.LoadOrCreate(dir); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("error %v, want a refusal", err)
	}
}
