package blob

import (
	"context"
	"errors"
	"io"
	"iter"

	"gocloud.dev/blob"

	"github.com/storefront-go/storefront/ent/micros"
)

// errAll guards against the loss of everything by an empty variable.
var errAll = errors.New("blob: what to delete needs a prefix")

// List walks the objects whose keys begin with prefix, in no order. Objects that
// are not finished are not in it. An error ends the walk.
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

// list visits the objects of a bucket.
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
			continue // somebody else's
		}
		if !yield(Object{Key: o.Key, Size: o.Size, Modified: micros.Of(o.ModTime)}) {
			return nil
		}
	}
}

// Delete removes an object; one that does not exist is no error.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if s.folder != nil {
		return fault("delete", s.folder.delete(key))
	}
	return fault("delete", s.remote.delete(ctx, key))
}

// DeleteAll removes every object whose key begins with prefix, and what was left
// behind by writers that were killed: temporary files and empty folders, on S3
// the parts of uploads. A writer at work there fails when it closes. The prefix
// is not empty.
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
	// First the uploads: one that ends in between would leave an object.
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
