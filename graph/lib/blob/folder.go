package blob

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"

	"gocloud.dev/blob/fileblob"

	"github.com/storefront-go/storefront/ent/micros"
)

// folder adds what the library lacks for folders: flushing, listing without temporary files, and
// removing leftovers.
type folder struct {
	root *os.Root
	sync func(*os.File) error // waits until the disk has the data
}

// openFolder opens the folder and creates it if needed. Other users have no access.
func openFolder(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{
		DirFileMode: 0o700,
		NoTempDir:   true, // a rename stays on one device, so it is atomic
		Metadata:    fileblob.MetadataDontWrite,
	})
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Store{bucket: bucket, folder: &folder{root, (*os.File).Sync}}, nil
}

// syncAbove makes the name of an object durable, and the names of the folders above it, any of
// which may be new.
func (f *folder) syncAbove(key string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there
	}
	for dir := path.Dir(key); ; dir = path.Dir(dir) {
		if err := f.syncDir(dir); err != nil || dir == "." {
			return err
		}
	}
}

func (f *folder) syncDir(dir string) error {
	d, err := f.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.sync(d), d.Close())
}

// walk visits the files whose names begin with prefix, and after them their folder. It ignores
// files that disappear meanwhile.
func (f *folder) walk(
	ctx context.Context, prefix string, file func(name string, d fs.DirEntry) error, left func(dir string),
) error {
	at := "."
	if i := strings.LastIndexByte(prefix, '/'); i >= 0 {
		at = prefix[:i]
	}
	return f.visit(ctx, at, prefix, file, left)
}

func (f *folder) visit(
	ctx context.Context, dir, prefix string, file func(string, fs.DirEntry) error, left func(string),
) error {
	entries, err := fs.ReadDir(f.root.FS(), dir)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := path.Join(dir, d.Name())
		switch {
		case d.IsDir() && (strings.HasPrefix(name+"/", prefix) || strings.HasPrefix(prefix, name+"/")):
			err = f.visit(ctx, name, prefix, file, left)
		case d.Type().IsRegular() && strings.HasPrefix(name, prefix):
			err = file(name, d)
		}
		if err != nil {
			return err
		}
	}
	if dir != "." {
		left(dir)
	}
	return nil
}

func (f *folder) list(ctx context.Context, prefix string, yield func(Object) bool) error {
	err := f.walk(ctx, prefix, func(name string, d fs.DirEntry) error {
		if ours := CheckKey(name) == nil; !ours {
			return nil // a foreign file, or an unfinished object
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !yield(Object{Key: name, Size: info.Size(), Modified: micros.Of(info.ModTime())}) {
			return fs.SkipAll
		}
		return nil
	}, func(string) {})
	if errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

// deleteAll removes objects and temporary files, and then the empty folders.
func (f *folder) deleteAll(ctx context.Context, prefix string) error {
	err := f.walk(ctx, prefix, func(name string, _ fs.DirEntry) error {
		if CheckKey(name) != nil && !temporary(name) {
			return nil
		}
		return ignoreMissing(f.root.Remove(name))
	}, func(dir string) {
		_ = f.removeEmpty(dir)
	})
	if i := strings.LastIndexByte(prefix, '/'); err == nil && i >= 0 {
		f.prune(prefix[:i])
	}
	return err
}

// delete removes one object, and folders that become empty.
func (f *folder) delete(key string) error {
	if info, err := f.root.Lstat(key); err == nil && info.IsDir() {
		return nil // the prefix of other keys
	}
	if err := ignoreMissing(f.root.Remove(key)); err != nil {
		return err
	}
	f.prune(key)
	return nil
}

// prune removes the empty folders above a name. A folder with a file that is being written is not
// empty.
func (f *folder) prune(name string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if err := ignoreMissing(f.removeEmpty(dir)); err != nil {
			return
		}
	}
}

// removeEmpty removes a folder if it is empty. It leaves a file of that name.
func (f *folder) removeEmpty(dir string) error {
	info, err := f.root.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fs.ErrExist
	}
	return f.root.Remove(dir)
}

func ignoreMissing(err error) error {
	if absent(err) {
		return nil
	}
	return err
}

// absent reports whether there is no such file, including the case that a part of its path is
// itself a file.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
