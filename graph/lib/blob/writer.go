package blob

import (
	"cmp"
	"context"
	"errors"
	"os"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

const (
	// partSize is how much S3 gets at once: its least. Of each writer two parts
	// are in memory at most.
	partSize = 5 << 20
	// createTries is how often a folder is made that somebody else finds empty
	// and takes away before there is a file in it.
	createTries = 10
)

var errAborted = errors.New("blob: the writer was given up")

// Writer writes one object, which exists once it is closed without an error. It
// belongs to one goroutine, which ends it with [Writer.Close] or [Writer.Abort].
type Writer struct {
	w      *blob.Writer
	cancel context.CancelFunc
	folder *folder // nil on S3
	file   *os.File
	key    string
	ended  bool
}

// Create begins an object. What has that key is replaced when the writer closes.
// The end of ctx gives the object up.
func (s *Store) Create(ctx context.Context, key, contentType string) (*Writer, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &Writer{cancel: cancel, folder: s.folder, key: key}
	// With a type nothing is held back to guess one.
	o := &blob.WriterOptions{ContentType: cmp.Or(contentType, "application/octet-stream"),
		BufferSize: partSize, MaxConcurrency: 1, BeforeWrite: w.take}
	var err error
	for range createTries {
		if w.w, err = s.bucket.NewWriter(ctx, key, o); err == nil {
			return w, nil
		}
		if gcerrors.Code(err) != gcerrors.NotFound {
			break
		}
	}
	cancel()
	return nil, fault("write", err)
}

// take keeps the file that the library writes to, and keeps others from it.
func (w *Writer) take(as func(any) bool) error {
	if w.folder == nil || !as(&w.file) {
		return nil
	}
	return w.file.Chmod(0o600)
}

// Write implements io.Writer. On a folder the bytes are in the file when it
// returns.
func (w *Writer) Write(b []byte) (int, error) {
	if w.ended {
		return 0, errAborted
	}
	n, err := w.w.Write(b)
	return n, fault("write", err)
}

// Close makes the object; on a folder it is on the disk then. After an error
// there is no telling whether the object exists.
func (w *Writer) Close() error {
	if w.ended {
		return errAborted
	}
	if w.file != nil {
		if err := w.folder.sync(w.file); err != nil {
			w.Abort()
			return fault("write", err)
		}
	}
	w.ended = true
	defer w.cancel()
	if err := w.w.Close(); err != nil {
		return fault("write", err)
	}
	if w.folder != nil {
		return fault("write", w.folder.syncAbove(w.key))
	}
	return nil
}

// Abort gives the object up and leaves nothing of it behind. After
// [Writer.Close] it does nothing, so it may be deferred.
func (w *Writer) Abort() {
	if w.ended {
		return
	}
	w.ended = true
	w.cancel() // first: closing an open writer would make the object
	_ = w.w.Close()
	if w.folder != nil {
		w.folder.prune(w.key)
	}
}
