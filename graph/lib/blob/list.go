package blob

import (
	"context"
	"errors"
	"io"
	"iter"

	"gocloud.dev/blob"

	"github.com/storefront-go/storefront/ent/micros"
)

// errAll guards against deleting everything because of an empty variable.
var errAll = errors.New("blob: deleting needs a prefix")

// List iterates over the objects whose keys begin with prefix, in no order. Unfinished objects are
// left out. An error ends the iteration.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		if err := checkPrefix(prefix); err != nil {
			yield(Object{}, err)
			return
		}
		one := func(o Object) bool { return yield(o, nil) }
		var err error
		if s.folder != nil {
			err = s.folder.list(ctx, prefix, one)
		} else {
			err = s.list(ctx, prefix, one)
		}
		if err != nil {
			yield(Object{}, fault("list", err))
		}
	}
}

func (s *Store) list(ctx context.Context, prefix string, yield func(Object) bool) error {
	objects := s.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if CheckKey(o.Key) != nil {
			continue // a foreign object
		}
		if !yield(Object{Key: o.Key, Size: o.Size, Modified: micros.Of(o.ModTime)}) {
			return nil
		}
	}
}

// Delete removes an object. A missing one is no error.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if s.folder != nil {
		return fault("delete", s.folder.delete(key))
	}
	return fault("delete", s.remote.delete(ctx, key))
}

// DeleteAll removes every object whose key begins with prefix, and leftovers of writers that were
// killed: temporary files and empty folders, on S3 the parts of uploads. Open writers with such
// keys fail when they close. The prefix must not be empty.
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	if prefix == "" {
		return errAll
	}
	if err := checkPrefix(prefix); err != nil {
		return err
	}
	if s.folder != nil {
		return fault("delete", s.folder.deleteAll(ctx, prefix))
	}
	// Uploads first: one that completes in between would leave an object.
	if err := s.remote.abandon(ctx, prefix); err != nil {
		return fault("delete", err)
	}
	for o, err := range s.List(ctx, prefix) {
		if err != nil {
			return err
		}
		if err := s.Delete(ctx, o.Key); err != nil {
			return err
		}
	}
	return nil
}
