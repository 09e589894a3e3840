package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/lib/blob"
)

// Source is the installation to save.
type Source struct {
	Store *ent.Store
	// Blobs is nil if the files are stored elsewhere.
	Blobs *blob.Store
	// Secret is the path of the root secret's file, or "".
	Secret    string
	KeyIDs    []byte
	Program   string
	Migration string
}

type writer struct {
	Source
	tar   *tar.Writer
	sums  *os.File // the list so far
	files int64
	bytes int64
	now   time.Time
}

// Write saves the source in a new file with mode 0600, which appears only when it is complete.
func Write(ctx context.Context, path string, s Source) (m *Manifest, err error) {
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s exists already", path)
	}
	work, err := os.MkdirTemp(filepath.Dir(path), ".storefront-backup-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	whole := filepath.Join(work, rand.Text())
	out, err := os.OpenFile(whole, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	m, err = s.archive(ctx, out, work)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return nil, err
	}
	// A link does not replace a file that appeared there meanwhile, as a rename would.
	if err := os.Link(whole, path); err != nil {
		return nil, err
	}
	return m, syncDir(filepath.Dir(path))
}

// archive writes the entries with fast compression: images and exports are compressed already.
func (s Source) archive(ctx context.Context, out io.Writer, work string) (*Manifest, error) {
	sums, err := os.Create(filepath.Join(work, sumsName))
	if err != nil {
		return nil, err
	}
	defer sums.Close()
	zip, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	w := &writer{Source: s, tar: tar.NewWriter(zip), sums: sums, now: time.Now()}
	m, err := w.write(ctx, filepath.Join(work, databaseName))
	return m, errors.Join(err, w.tar.Close(), zip.Close())
}

func (w *writer) write(ctx context.Context, database string) (*Manifest, error) {
	if err := w.Store.Backup(ctx, database); err != nil {
		return nil, err
	}
	if err := w.file(ctx, databaseName, database); err != nil {
		return nil, err
	}
	if err := os.Remove(database); err != nil {
		return nil, err
	}
	if w.Secret != "" {
		if err := w.file(ctx, secretName, w.Secret); err != nil {
			return nil, err
		}
	}
	if w.Blobs != nil {
		if err := w.blobs(ctx); err != nil {
			return nil, err
		}
	}
	return w.seal(ctx)
}

func (w *writer) file(ctx context.Context, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return w.entry(ctx, name, f, info.Size())
}

// blobs adds the files of the blob store. A file that disappears meanwhile is not referenced by the
// copied database: it was temporary or unused.
func (w *writer) blobs(ctx context.Context) error {
	for o, err := range w.Source.Blobs.List(ctx, "") {
		if err != nil {
			return err
		}
		r, size, err := w.Source.Blobs.Whole(ctx, o.Key)
		if errors.Is(err, blob.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		err = w.entry(ctx, blobsName+"/"+o.Key, r, size)
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	return nil
}

// entry adds a file to the archive and its line to the list.
func (w *writer) entry(ctx context.Context, name string, r io.Reader, size int64) error {
	sum := sha256.New()
	if err := w.raw(name, io.TeeReader(&patient{ctx, r}, sum), size); err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	w.files++
	w.bytes += size
	_, err := fmt.Fprintf(w.sums, "%x  %s\n", sum.Sum(nil), name)
	return err
}

func (w *writer) raw(name string, r io.Reader, size int64) error {
	err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: w.now, Typeflag: tar.TypeReg})
	if err != nil {
		return err
	}
	_, err = io.CopyN(w.tar, r, size)
	return err
}

func (w *writer) seal(ctx context.Context) (*Manifest, error) {
	size, err := w.sums.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = w.sums.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if err := w.raw(sumsName, io.TeeReader(&patient{ctx, w.sums}, sum), size); err != nil {
		return nil, err
	}
	m := &Manifest{Format: format, Program: w.Program, CreatedAt: w.now.UTC().Truncate(time.Second),
		Migration: w.Migration, Secret: w.Secret != "", KeyIDs: numbers(w.Source.KeyIDs), Blobs: w.Source.Blobs != nil,
		Files: w.files, Bytes: w.bytes, Sums: hex.EncodeToString(sum.Sum(nil))}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return m, w.raw(manifestName, bytes.NewReader(text), int64(len(text)))
}

func numbers(ids []byte) []int {
	list := make([]int, len(ids))
	for i, id := range ids {
		list[i] = int(id)
	}
	return list
}

// patient is a reader that ends with its context.
type patient struct {
	ctx context.Context
	io.Reader
}

func (p *patient) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.Reader.Read(b)
}

// syncDir makes the names in a folder durable, if the system supports that.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
