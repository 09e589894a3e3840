package ent

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // Vitess' binary_md5 vindex: it spreads keys and guards nothing
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/storefront-go/storefront/ent/xid"
)

// ErrNoShard is returned for a read over many stores outside [Store.EachShard], which would have to
// query all shards.
var ErrNoShard = errors.New("a read over many stores outside of Store.EachShard (see ent/storetest/vitess/doc.go)")

// Shard is a part of the database with some stores and people and all their rows. On SQLite, MySQL
// and MariaDB there is one shard; on Vitess each shard has the owners whose ids' hashes are in its
// range.
type Shard struct {
	name     string // in Vitess, such as "40-80"; "" is everything
	from, to []byte // of the hashes; nil is unbounded
}

func (h Shard) String() string { return h.name }

// Holds reports whether the rows of a store or a person are on the shard.
func (h Shard) Holds(owner xid.ID) bool {
	sum := md5.Sum(owner[:]) //nolint:gosec // see the import
	return bytes.Compare(sum[:], h.from) >= 0 && (h.to == nil || bytes.Compare(sum[:], h.to) < 0)
}

// parseShard parses the name of a shard, such as "-40", "40-80" or "0".
func parseShard(name string) (h Shard, err error) {
	h.name = name
	from, to, ranged := strings.Cut(name, "-")
	if !ranged { // a keyspace that is not sharded
		return h, nil
	}
	if h.from, err = hex.DecodeString(from); err != nil {
		return h, fmt.Errorf("shard %q: %w", name, err)
	}
	if to == "" {
		return h, nil
	}
	if h.to, err = hex.DecodeString(to); err != nil {
		return h, fmt.Errorf("shard %q: %w", name, err)
	}
	return h, nil
}

// NoOwner is the home of rows that belong to no store and no person, such as the themes of the
// marketplace. Its hash begins with many zeros, so it is on the first shard, like the tables that
// are not sharded.
var NoOwner = xid.ID([]byte("nobody0120572258"))

type shardKey struct{}

// on returns a context whose [Store.Seek] reads shard h.
func on(ctx context.Context, h Shard) context.Context { return context.WithValue(ctx, shardKey{}, h) }

// ShardOf returns the shard that [Store.EachShard] or [Store.OnShards] is on; false outside them.
func ShardOf(ctx context.Context) (h Shard, ok bool) {
	h, ok = ctx.Value(shardKey{}).(Shard)
	return h, ok
}

// ByShard splits a list, keeping its order, so that each part can be written in one transaction:
// its owners are on one shard. With one shard it yields the list itself.
func ByShard[T any](s *Store, list []T, owner func(T) xid.ID) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		shards := s.known()
		if len(shards) == 1 || len(list) < 2 {
			if len(list) > 0 {
				yield(list)
			}
			return
		}
		for _, h := range shards {
			if part := held(h, list, owner); len(part) > 0 && !yield(part) {
				return
			}
		}
	}
}

// Here returns the elements of a list whose owners are on the shard of ctx, in the order of the
// list; it may return the list itself.
func Here[T any](ctx context.Context, list []T, owner func(T) xid.ID) []T {
	h, ok := ShardOf(ctx)
	if !ok || h.whole() {
		return list
	}
	return held(h, list, owner)
}

func held[T any](h Shard, list []T, owner func(T) xid.ID) (part []T) {
	for _, v := range list {
		if h.Holds(owner(v)) {
			part = append(part, v)
		}
	}
	return part
}

func (h Shard) whole() bool { return h.from == nil && h.to == nil }
