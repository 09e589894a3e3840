// Package blob stores files: the parts of exports, the assets of themes, images. They are in a
// folder or in S3-compatible storage.
//
// What a closed [Writer] wrote survives a power failure, so the database may refer to it from then
// on. In a folder the library does not ensure that, so this package flushes file and folders
// itself.
//
// Errors describe the failure but never the place: their text has no key, address or credential.
// The cause is in the chain, for errors.Is and errors.AsType.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"gocloud.dev/blob"

	"github.com/storefront-go/storefront/ent/micros"
)

var (
	// ErrNotFound says that no object has the key.
	ErrNotFound = errors.New("blob: not found")
	// ErrTooLarge says that an object exceeds the reader's limit.
	ErrTooLarge = errors.New("blob: the object is larger than the limit")
)

// Store stores objects under keys; see [CheckKey] for their form. It is safe for concurrent use,
// and several processes may share a folder or bucket.
type Store struct {
	bucket *blob.Bucket
	folder *folder // nil for S3
	remote *remote // nil for a folder
}

// Object is an object's entry in a list.
type Object struct {
	Key      string
	Size     int64 // in bytes
	Modified micros.Time
}

// Close closes the store.
func (s *Store) Close() error {
	err := fault("close", s.bucket.Close())
	if s.folder != nil {
		err = errors.Join(err, fault("close", s.folder.root.Close()))
	}
	return err
}

// Put writes an object at once.
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

// Get reads an object of up to limit bytes. It fails with [ErrTooLarge] for a larger object and
// [ErrNotFound] for a missing one.
func (s *Store) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	r, err := s.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return nil, readFault(err)
	}
	defer func() { _ = r.Close() }() // the object has been read; a failure to close does not matter
	if r.Size() > limit {
		return nil, ErrTooLarge
	}
	body := make([]byte, r.Size())
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, readFault(err)
	}
	return body, nil
}

// Whole opens an object of any size and returns the size in bytes. The caller closes the reader.
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

// Range reads length bytes of an object from offset, or to its end if length is -1. It reads less
// if the object ends earlier; reading beyond the end is no error and yields nothing. The context
// also applies to reading. The caller closes the reader; bytes not read by then are not fetched.
func (s *Store) Range(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	if offset < 0 {
		return nil, fmt.Errorf("blob: a range begins at %d", offset)
	}
	if length == 0 {
		// S3 has no empty ranges, and the library would request one byte and leave it unread. This
		// still checks that the object exists.
		_, err := s.Stat(ctx, key)
		return http.NoBody, err
	}
	r, err := s.bucket.NewRangeReader(ctx, key, offset, length, nil)
	switch {
	case err == nil:
		return &reader{r}, nil
	case apiCode(err) == "InvalidRange": // S3's answer for a range beyond the end
		return http.NoBody, nil
	}
	return nil, readFault(err)
}

// Stat returns the metadata of an object, or [ErrNotFound].
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

// reader redacts the errors of reading.
type reader struct{ r *blob.Reader }

func (r *reader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fault("read", err)
	}
	return n, err
}

func (r *reader) Close() error { return fault("read", r.r.Close()) }
