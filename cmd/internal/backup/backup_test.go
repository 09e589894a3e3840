package backup_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/backup"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/lib/blob"
)

func source(t *testing.T) backup.Source {
	t.Helper()
	blobs, err := blob.Open(t.Context(), "", filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	if err := blobs.Put(t.Context(), "themes/a", "text/css", []byte("p{}")); err != nil {
		t.Fatal(err)
	}
	return backup.Source{Store: storetest.Open(t), Blobs: blobs, KeyIDs: []byte{7}}
}

// names lists a folder, hidden files included.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

func accept(*backup.Manifest, string) error { return nil }

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.tar.gz")
	written, err := backup.Write(t.Context(), file, source(t))
	if err != nil || written.Files != 2 || names(t, dir) != "a.tar.gz" {
		t.Fatalf("%+v, %v; beside it %s", written, err, names(t, dir))
	}
	to := filepath.Join(t.TempDir(), "data")
	read, err := backup.Restore(t.Context(), file, to, accept)
	if err != nil || read.Sums != written.Sums || names(t, to) != "blobs storefront.db" {
		t.Errorf("%+v, %v; %s", read, err, names(t, to))
	}
	if b, err := os.ReadFile(filepath.Join(to, "blobs", "themes", "a")); string(b) != "p{}" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestNothingStandsBehindTheEnd: an archive with bytes after its end is refused.
func TestNothingStandsBehindTheEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.tar.gz")
	if _, err := backup.Write(t.Context(), file, source(t)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var member bytes.Buffer
	zip := gzip.NewWriter(&member)
	_, _ = zip.Write(make([]byte, 1024))
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tail := range map[string][]byte{"a byte": {0}, "text": []byte("and so on"), "a stream": member.Bytes()} {
		if err := os.WriteFile(file, slices.Concat(whole, tail), 0o600); err != nil {
			t.Fatal(err)
		}
		to := t.TempDir()
		if _, err := backup.Restore(t.Context(), file, to, accept); err == nil || names(t, to) != "" {
			t.Errorf("%s behind the end: %v; left %s", name, err, names(t, to))
		}
	}
}

// An interrupted or refused backup or restore leaves nothing behind.
func TestNothingIsLeft(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.tar.gz")
	if _, err := backup.Write(ended, file, source(t)); !errors.Is(err, context.Canceled) || names(t, dir) != "" {
		t.Errorf("%v; left %s", err, names(t, dir))
	}
	if _, err := backup.Write(t.Context(), file, source(t)); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	refused := errors.New("refused")
	_, err := backup.Restore(t.Context(), file, to, func(_ *backup.Manifest, unpacked string) error {
		if err := backup.CheckFolder(to); err == nil {
			t.Error("a folder is served while it is restored")
		}
		if _, err := os.Stat(filepath.Join(unpacked, "storefront.db")); err != nil {
			t.Error(err)
		}
		if _, err := backup.Restore(t.Context(), file, to, accept); err == nil {
			t.Error("two restores share a folder")
		}
		return refused
	})
	if !errors.Is(err, refused) || names(t, to) != "" {
		t.Errorf("%v; left %s", err, names(t, to))
	}
	if _, err := backup.Restore(ended, file, to, accept); !errors.Is(err, context.Canceled) || names(t, to) != "" {
		t.Errorf("%v; left %s", err, names(t, to))
	}
	if err := backup.CheckFolder(to); err != nil {
		t.Error(err)
	}
}
