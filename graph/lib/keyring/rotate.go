package keyring

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// New returns a random root secret.
func New() string { return rand.Text() + rand.Text() }

// Ahead returns a list of root secrets with a new one in front, whose identifying byte is unused.
func Ahead(list string) (string, error) {
	r, err := Parse(list)
	if err != nil {
		return "", err
	}
	ids := r.KeyIDs()
	if len(ids) > maxSecrets {
		return "", fmt.Errorf("%d root secrets exist already: remove the oldest first", len(ids))
	}
	for {
		fresh := New()
		next, err := Parse(fresh)
		if err != nil {
			return "", err
		}
		if !slices.Contains(ids, next.KeyIDs()[0]) {
			return fresh + "," + strings.TrimSpace(list), nil
		}
	}
}

// maxSecrets is a generous limit that leaves unused bytes for new secrets.
const maxSecrets = 64

// Rotate puts a new root secret in front of those in a file and returns the ring of all. Concurrent
// readers see the file before or after, nothing in between. The file keeps its owner and has mode
// 0600.
func Rotate(path string) (*Ring, error) {
	if _, err := load(path); err != nil {
		return nil, err
	}
	// The new file is the lock: the second of two concurrent rotations fails here.
	next := path + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("another rotation is running, or was interrupted: remove %s in that case", next)
	}
	if err != nil {
		return nil, fmt.Errorf("rotate root secret: %w", err)
	}
	err = errors.Join(writeAhead(f, path), f.Close())
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return nil, fmt.Errorf("rotate root secret: %w", errors.Join(err, os.Remove(next)))
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("rotate root secret: %w", err)
	}
	return load(path)
}

// writeAhead copies the secrets of a file into another one, with a new one in front.
func writeAhead(f *os.File, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	list, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := Ahead(string(list))
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text + "\n"); err != nil {
		return err
	}
	return errors.Join(keepOwner(f, info), f.Sync())
}
