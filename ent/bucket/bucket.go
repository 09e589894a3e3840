// Package bucket partitions the stores for background work. A bucket is the leading bits of the
// hash of a store's id by which the store would be sharded, so all stores of a bucket are on one
// shard.
package bucket

import (
	"crypto/md5" //nolint:gosec // Vitess' binary_md5 vindex: it spreads keys and guards nothing

	"github.com/storefront-go/storefront/ent/xid"
)

// Count is the number of buckets.
const Count = 16

// Every is a condition that matches every bucket of a shard, for statements that look for work in
// all of them.
const Every = "bucket IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)"

// All returns every bucket; a database has all of them.
func All() []int8 {
	list := make([]int8, Count)
	for i := range list {
		list[i] = int8(i)
	}
	return list
}

// Of returns the bucket of a store, from 0 to [Count] - 1.
func Of(store xid.ID) int8 {
	sum := md5.Sum(store[:]) //nolint:gosec // see the import
	return int8(sum[0] >> 4)
}
