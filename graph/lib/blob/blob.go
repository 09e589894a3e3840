// Package blob keeps files: the parts of exports, the assets of themes, pictures. They
// lie in a folder, or in a store that speaks S3.
//
// What a closed [Writer] wrote survives a power cut, so the database may name it
// from then on. On a folder that takes more than the library does: file and
// folders are flushed here.
//
// Errors say what went wrong and never where: no key, address or credential is
// in their text. The cause is in the chain, for errors.Is and errors.AsType.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gocloud.dev/blob"

	"github.com/storefront-go/storefront/ent/micros"
)

var (
	// ErrNotFound says that there is no object under a key.
	ErrNotFound = errors.New("blob: not found")
	// ErrTooLarge says that an object is larger than the reader takes.
	ErrTooLarge = errors.New("blob: the object is larger than the limit")
)

// Store keeps objects under keys; see [CheckKey] for their form. It may be used
// by many goroutines, and a folder or bucket by many processes.
type Store struct {
	bucket *blob.Bucket
	folder *folder // nil on S3
	remote *remote // nil on a folder
}

// Object is what a list says of an object.
type Object struct {
	Key      string
	Size     int64 // bytes
	Modified micros.Time
}

// Close ends the use of the store.
func (s *Store) Close() error {
	err := fault("close", s.bucket.Close())
	if s.folder != nil {
		err = errors.Join(err, fault("close", s.folder.root.Close()))
	}
	return err
}

// Put writes an object in one go.
func (s *Store) Put(ctx context.Context, key, contentType string, body []byte) error {
	w, err := s.Create(ctx, key, contentType)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}

// Get reads an object of up to limit bytes; a larger one is [ErrTooLarge], one
// that does not exist [ErrNotFound].
func (s *Store) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	r, err := s.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return nil, readFault(err)
	}
	defer func() { _ = r.Close() }() // what was read was read
	if r.Size() > limit {
		return nil, ErrTooLarge
	}
	body := make([]byte, r.Size())
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, readFault(err)
	}
	return body, nil
}

// Whole reads an object of whatever size, which it returns in bytes. The caller closes
// the reader.
func (s *Store) Whole(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	if err := CheckKey(key); err != nil {
		return nil, 0, err
	}
	r, err := s.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return nil, 0, readFault(err)
	}
	return &reader{r}, r.Size(), nil
}

// Range reads length bytes of an object from offset, to its end with -1, and
// less where the object ends before: from its end on there is nothing to read,
// which is no error. The context governs the reading too. The caller closes the
// reader; what was not read by then is not fetched.
func (s *Store) Range(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	if offset < 0 {
		return nil, fmt.Errorf("blob: a range begins at %d", offset)
	}
	if length == 0 {
		// S3 has no empty ranges, and the library would leave the answer to one byte
		// unread. Whether the object exists is still asked.
		_, err := s.Stat(ctx, key)
		return empty{}, err
	}
	r, err := s.bucket.NewRangeReader(ctx, key, offset, length, nil)
	switch {
	case err == nil:
		return &reader{r}, nil
	case apiCode(err) == "InvalidRange": // S3 for a range from the end on
		return empty{}, nil
	}
	return nil, readFault(err)
}

// Stat returns what is known of an object, or [ErrNotFound].
func (s *Store) Stat(ctx context.Context, key string) (Object, error) {
	if err := CheckKey(key); err != nil {
		return Object{}, err
	}
	a, err := s.bucket.Attributes(ctx, key)
	if err != nil {
		return Object{}, readFault(err)
	}
	return Object{Key: key, Size: a.Size, Modified: micros.Of(a.ModTime)}, nil
}

// reader cleans the errors of reading.
type reader struct{ r *blob.Reader }

// Read implements io.Reader.
func (r *reader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fault("read", err)
	}
	return n, err
}

// Close implements io.Closer.
func (r *reader) Close() error { return fault("read", r.r.Close()) }

// empty is a range of no bytes.
type empty struct{}

// Read implements io.Reader.
func (empty) Read([]byte) (int, error) { return 0, io.EOF }

// Close implements io.Closer.
func (empty) Close() error { return nil }
