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
	// partSize is the size of a part on S3, the smallest allowed. Each writer has at most two parts
	// in memory.
	partSize = 5 << 20
	// createTries is how often a folder is created while concurrent deletes remove it, because
	// there is no file in it yet.
	createTries = 10
)

var errAborted = errors.New("blob: the writer was aborted")

// Writer writes one object, which exists once [Writer.Close] has returned nil. One goroutine uses
// it and ends it with [Writer.Close] or [Writer.Abort].
type Writer struct {
	w      *blob.Writer
	cancel context.CancelFunc
	folder *folder // nil for S3
	file   *os.File
	key    string
	ended  bool
}

// Create begins an object. When the writer closes, it replaces an existing object of that key. If
// ctx ends, the object is abandoned.
func (s *Store) Create(ctx context.Context, key, contentType string) (*Writer, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &Writer{cancel: cancel, folder: s.folder, key: key}
	// Without a type, the library would hold back bytes to detect one.
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

// take stores the file that the library writes to, and makes it private.
func (w *Writer) take(as func(any) bool) error {
	if w.folder == nil || !as(&w.file) {
		return nil
	}
	return w.file.Chmod(0o600)
}

// Write implements io.Writer. In a folder, the bytes are in the file when it returns.
func (w *Writer) Write(b []byte) (int, error) {
	if w.ended {
		return 0, errAborted
	}
	n, err := w.w.Write(b)
	return n, fault("write", err)
}

// Close completes the object; in a folder it is on disk then. After an error, it is unknown whether
// the object exists.
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

// Abort abandons the object and leaves nothing behind. After [Writer.Close] it does nothing, so it
// can be deferred.
func (w *Writer) Abort() {
	if w.ended {
		return
	}
	w.ended = true
	w.cancel() // first: closing an open writer would create the object
	_ = w.w.Close()
	if w.folder != nil {
		w.folder.prune(w.key)
	}
}
