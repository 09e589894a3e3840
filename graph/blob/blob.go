// Package blob keeps files: the parts of exports and the assets of themes. They
// lie in a folder, or in a store that speaks S3.
package blob

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/storefront-go/storefront/ent/micros"
)

// ErrNotFound says that there is no object under a key.
var ErrNotFound = errors.New("blob: not found")

// Store keeps objects under keys. A key consists of a-z, 0-9, -, _, . and /.
type Store struct{}

// Open opens the store at an address, such as s3://bucket?region=eu-1; or else a
// folder, which is made.
func Open(ctx context.Context, url, folder string) (*Store, error) { return &Store{}, nil }

// Close ends the use of the store.
func (s *Store) Close() error { return nil }

// Writer writes one object, which exists once it is closed without an error.
type Writer struct{}

// Write implements io.Writer.
func (w *Writer) Write(b []byte) (int, error) { return len(b), nil }

// Close makes the object; on a folder it is on the disk then.
func (w *Writer) Close() error { return nil }

// Abort gives the object up.
func (w *Writer) Abort() {}

// Create begins an object. What has that key is replaced.
func (s *Store) Create(ctx context.Context, key, contentType string) (*Writer, error) {
	return &Writer{}, nil
}

// Put writes an object.
func (s *Store) Put(ctx context.Context, key, contentType string, body []byte) error { return nil }

// Get reads an object of up to limit bytes.
func (s *Store) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	return nil, ErrNotFound
}

// Range reads length bytes of an object from offset; to its end with -1.
func (s *Store) Range(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	return nil, ErrNotFound
}

// Object is what a list tells of an object.
type Object struct {
	Key      string
	Size     int64
	Modified micros.Time
}

// Stat tells of an object.
func (s *Store) Stat(ctx context.Context, key string) (Object, error) { return Object{}, ErrNotFound }

// List walks the objects whose keys begin with prefix.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(func(Object, error) bool) {}
}

// Delete removes an object; one that does not exist is no error.
func (s *Store) Delete(ctx context.Context, key string) error { return nil }

// DeleteAll removes every object whose key begins with prefix, and what was left
// behind by writers that were killed.
func (s *Store) DeleteAll(ctx context.Context, prefix string) error { return nil }
