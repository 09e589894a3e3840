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

// ErrNoShard is returned for a read over many stores outside of [Store.EachShard]: where
// there are several shards it would have to ask all of them.
var ErrNoShard = errors.New("a read over many stores outside of Store.EachShard")

// Shard is a part of the database that has stores and people with all that is theirs. On
// SQLite, MySQL and MariaDB there is one, which has everything; on Vitess each has those
// whose ids' hashes lie in its range.
type Shard struct {
	name     string // as Vitess knows it, such as "40-80"; "" is everything
	from, to []byte // of the hashes; nil is open
}

// String returns the name of the shard; "" where there is one alone.
func (h Shard) String() string { return h.name }

// Holds reports whether the rows of a store or a person lie on the shard.
func (h Shard) Holds(owner xid.ID) bool {
	sum := md5.Sum(owner[:]) //nolint:gosec // see the import
	return bytes.Compare(sum[:], h.from) >= 0 && (h.to == nil || bytes.Compare(sum[:], h.to) < 0)
}

// parseShard reads the name of a shard, such as "-40", "40-80" or "0".
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

// Nobody is the home of what belongs to no store and no person, such as the themes of the
// marketplace: its hash begins with many zeros, so it lies on the first shard, as the whole
// tables of what is nobody's do.
var Nobody = xid.ID([]byte("nobody0120572258"))

type shardKey struct{}

// on returns a context whose [Store.Seek] reads a shard.
func on(ctx context.Context, h Shard) context.Context { return context.WithValue(ctx, shardKey{}, h) }

// ShardOf returns the shard that [Store.EachShard] or [Store.OnShards] is at; false
// outside of them.
func ShardOf(ctx context.Context) (h Shard, ok bool) {
	h, ok = ctx.Value(shardKey{}).(Shard)
	return h, ok
}

func onShard(ctx context.Context) bool { _, ok := ShardOf(ctx); return ok }

// ByShard parts a list, in its order, so that all of a part can be written in one
// transaction: what owner says lies on one shard. Where there is one shard it is the
// list itself.
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
			var part []T
			for _, v := range list {
				if h.Holds(owner(v)) {
					part = append(part, v)
				}
			}
			if len(part) > 0 && !yield(part) {
				return
			}
		}
	}
}

// Here returns those of a list whose owners lie on the shard at which ctx is, in the order
// of the list; it may be the list itself.
func Here[T any](ctx context.Context, list []T, owner func(T) xid.ID) []T {
	h, ok := ShardOf(ctx)
	if !ok || h.whole() {
		return list
	}
	var part []T
	for _, v := range list {
		if h.Holds(owner(v)) {
			part = append(part, v)
		}
	}
	return part
}

// whole reports whether there is nothing beside the shard.
func (h Shard) whole() bool { return h.from == nil && h.to == nil }
