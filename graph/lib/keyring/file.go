package keyring

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// FileName is the name of the root secret's file in the data folder.
const FileName = "secret.key"

// maxFile is larger than any list of secrets, in bytes.
const maxFile = 64 << 10

// LoadOrCreate returns the ring of the secret in dir, which it creates on the first call, with mode
// 0600. Processes that start at the same time get the same secret.
//
// The file holds what [Parse] reads, so a secret is rotated by writing a new one and a comma in
// front of it. It fails if others can read the file: its secret may be known already, and only its
// owner can decide that.
func LoadOrCreate(dir string) (*Ring, error) {
	path := filepath.Join(dir, FileName)
	r, err := load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	if err := create(dir, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("create root secret (or give one in STOREFRONT_SECRET_KEY): %w", err)
	}
	return load(path)
}

func load(path string) (*Ring, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read root secret: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read root secret: %w", err)
	}
	if err := checkFile(path, info); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, fmt.Errorf("read root secret: %w", err)
	}
	r, err := Parse(string(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func checkFile(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", path)
	}
	if info.Size() >= maxFile {
		return fmt.Errorf("%s: too large for a root secret", path)
	}
	// Windows has no such bits and always reports them as set.
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%s: mode %04o gives others access to the root secret; make it 0600 (chmod 600), "+
			"and put a new secret in front of it if somebody may have read it", path, mode)
	}
	return nil
}

// create writes a new secret to a file with a unique name and links it to path. The link fails if
// path exists, so the first process wins, and no process ever sees part of a secret.
func create(dir, path string) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp := filepath.Join(dir, FileName+"."+rand.Text()+".tmp")
	defer os.Remove(temp)
	if err := writeSynced(temp, New()+"\n"); err != nil {
		return err
	}
	if err := os.Link(temp, path); err != nil {
		return err
	}
	return syncDir(dir)
}

// writeSynced creates the file with mode 0600 and waits until it is on disk.
func writeSynced(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir makes the name durable, since encrypted data must not outlive the secret.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
