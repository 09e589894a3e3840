// Package bucket divides the stores for work in the background. A bucket is the
// leading bits of the hash of a store's id by which the store would be sharded,
// so all stores of a bucket lie on one shard.
package bucket

import (
	"crypto/md5" //nolint:gosec // Vitess' binary_md5 vindex: it spreads keys and guards nothing

	"github.com/storefront-go/storefront/ent/xid"
)

// Count is how many buckets there are.
const Count = 16

// Of returns the bucket of a store, from 0 to [Count] - 1.
func Of(store xid.ID) int8 {
	sum := md5.Sum(store[:]) //nolint:gosec // see the import
	return int8(sum[0] >> 4)
}
