package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/storefront-go/storefront/graph/lib/blob"
)

// maxSecret and maxManifest bound what is read into memory, in bytes.
const (
	maxSecret   = 64 << 10
	maxManifest = 64 << 10
)

// CheckFolder refuses a data folder with an unfinished restore.
func CheckFolder(dir string) error {
	switch _, err := os.Lstat(filepath.Join(dir, partialName)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s is incomplete, since a restore is running or was interrupted: empty the folder and restore again", dir)
}

// Restore unpacks an archive into a data folder, which is empty or does not exist, and returns the
// manifest. Until everything is verified, the content stays in a separate folder, and the program
// refuses to serve while that folder exists. judge sees the manifest and the folder with the
// unpacked database, and may refuse.
func Restore(ctx context.Context, path, dir string, judge func(m *Manifest, unpacked string) error) (
	m *Manifest, err error,
) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := empty(dir); err != nil {
		return nil, err
	}
	partial := filepath.Join(dir, partialName)
	if err := os.Mkdir(partial, 0o700); err != nil { // of two concurrent restores, one succeeds
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(partial))
		}
	}()
	if m, err = unpack(ctx, in, partial); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := judge(m, partial); err != nil {
		return nil, err
	}
	return m, settle(dir, partial)
}

// empty refuses a folder that holds anything but entries of the file system itself.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "lost+found" {
			return fmt.Errorf("%s is not empty: it contains %s; choose an empty folder with --data", dir, e.Name())
		}
	}
	return nil
}

// settle moves the verified content into place. Removing the folder of the restore completes it.
func settle(dir, partial string) (err error) {
	var placed []string
	defer func() {
		if err != nil {
			for _, p := range placed {
				err = errors.Join(err, os.RemoveAll(p))
			}
		}
	}()
	for _, name := range []string{blobsName, secretName, databaseName} {
		to := filepath.Join(dir, name)
		switch err := os.Rename(filepath.Join(partial, name), to); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		default:
			placed = append(placed, to)
		}
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	return syncDir(dir)
}

type reader struct {
	zip   *gzip.Reader
	tar   *tar.Reader
	dir   string
	blobs *blob.Store
	own   *bufio.Writer // the list of the unpacked files
	files int64
	bytes int64
}

// unpack writes the files of an archive into a folder and verifies them.
func unpack(ctx context.Context, in io.Reader, dir string) (*Manifest, error) {
	zip, err := gzip.NewReader(bufio.NewReaderSize(&patient{ctx, in}, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("it is no backup: %w", err)
	}
	blobs, err := blob.Open(ctx, "", filepath.Join(dir, blobsName))
	if err != nil {
		return nil, err
	}
	list := filepath.Join(dir, sumsName)
	own, err := os.Create(list)
	if err != nil {
		return nil, errors.Join(err, blobs.Close())
	}
	r := &reader{zip: zip, tar: tar.NewReader(zip), dir: dir, blobs: blobs, own: bufio.NewWriter(own)}
	m, err := r.read(ctx, own)
	return m, errors.Join(err, own.Close(), blobs.Close(), os.Remove(list))
}

// read reads the files, then the list, then the manifest, and allows nothing after it.
func (r *reader) read(ctx context.Context, own *os.File) (*Manifest, error) {
	head, err := r.unpackFiles(ctx)
	if err != nil {
		return nil, err
	}
	if head.Name != sumsName {
		return nil, fmt.Errorf("%s does not belong in a backup", head.Name)
	}
	if err := r.own.Flush(); err != nil {
		return nil, err
	}
	if _, err := own.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	sum := sha256.New()
	if err := compare(io.TeeReader(r.tar, sum), own); err != nil {
		return nil, err
	}
	return r.manifest(hex.EncodeToString(sum.Sum(nil)))
}

func (r *reader) manifest(sums string) (*Manifest, error) {
	head, err := r.next()
	if err != nil {
		return nil, err
	}
	if head.Name != manifestName || head.Size > maxManifest {
		return nil, errors.New("the manifest is missing")
	}
	text, err := io.ReadAll(r.tar)
	if err != nil {
		return nil, damaged(err)
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, errors.New("the manifest is damaged")
	}
	if m.Format != format {
		return nil, fmt.Errorf("it has format %d, and this program reads format %d: use the version that wrote it, %s",
			m.Format, format, m.Program)
	}
	if m.Sums != sums || m.Files != r.files || m.Bytes != r.bytes {
		return nil, errors.New("the list of checksums does not match the manifest")
	}
	return m, r.end()
}

// end refuses anything after the manifest: in the archive, after its end, and after the compressed
// stream. It also verifies the checksum of that stream.
func (r *reader) end() error {
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return errors.New("there is data after the manifest, or the end is missing")
	}
	switch n, err := io.CopyN(io.Discard, r.zip, 1); {
	case n > 0, errors.Is(err, gzip.ErrHeader):
		return errors.New("there is data after its end")
	case !errors.Is(err, io.EOF):
		return damaged(err)
	}
	return nil
}

func (r *reader) next() (*tar.Header, error) {
	head, err := r.tar.Next()
	if err != nil {
		return nil, damaged(err)
	}
	if head.Typeflag != tar.TypeReg {
		return nil, fmt.Errorf("%s is no file", head.Name)
	}
	return head, nil
}

// damaged returns the error of an archive that cannot be read.
func damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("its end is missing")
	}
	return fmt.Errorf("the backup is damaged: %w", err)
}

// unpackFiles unpacks the files and returns the first entry that is not a file of the installation.
func (r *reader) unpackFiles(ctx context.Context) (*tar.Header, error) {
	for {
		head, err := r.next()
		if err != nil {
			return nil, err
		}
		sum := sha256.New()
		in := io.TeeReader(r.tar, sum)
		key, isBlob := strings.CutPrefix(head.Name, blobsName+"/")
		switch {
		case isBlob:
			err = r.blob(ctx, key, in)
		case head.Name == databaseName || head.Name == secretName && head.Size <= maxSecret:
			err = r.file(head.Name, in)
		default:
			return head, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", head.Name, err)
		}
		r.files++
		r.bytes += head.Size
		if _, err := fmt.Fprintf(r.own, "%x  %s\n", sum.Sum(nil), head.Name); err != nil {
			return nil, err
		}
	}
}

func (r *reader) file(name string, in io.Reader) error {
	out, err := os.OpenFile(filepath.Join(r.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err != nil {
		err = damaged(err)
	}
	return errors.Join(err, out.Sync(), out.Close())
}

func (r *reader) blob(ctx context.Context, key string, in io.Reader) error {
	w, err := r.blobs.Create(ctx, key, "")
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Close
	if _, err := io.Copy(w, in); err != nil {
		return damaged(err)
	}
	return w.Close()
}

// compare compares the archive's list with that of the unpacked files.
func compare(listed, own io.Reader) error {
	a, b := bufio.NewReader(listed), bufio.NewReader(own)
	for {
		want, errA := a.ReadBytes('\n')
		got, errB := b.ReadBytes('\n')
		if errA != nil && !errors.Is(errA, io.EOF) {
			return damaged(errA)
		}
		if errB != nil && !errors.Is(errB, io.EOF) {
			return errB
		}
		if !bytes.Equal(want, got) {
			_, name, _ := strings.Cut(string(bytes.TrimSpace(got)), "  ")
			if name == "" {
				_, name, _ = strings.Cut(string(bytes.TrimSpace(want)), "  ")
			}
			return fmt.Errorf("the checksum of %s does not match: the backup is damaged", name)
		}
		if errors.Is(errA, io.EOF) {
			return nil
		}
	}
}
