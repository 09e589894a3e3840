package bucket_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/xid"
)

func TestOf(t *testing.T) {
	// The MD5 of sixteen zero bytes begins with 4a, of sixteen ones with 8d.
	if got := bucket.Of(xid.Nil); got != 4 {
		t.Errorf("the bucket of the nil id is %d, want 4", got)
	}
	seen := map[int8]int{}
	for range 16_000 {
		seen[bucket.Of(xid.New())]++
	}
	for b := range int8(bucket.Count) {
		if n := seen[b]; n < 800 || n > 1200 {
			t.Errorf("bucket %d has %d of 16,000 stores", b, n)
		}
	}
	if len(seen) != bucket.Count {
		t.Errorf("%d buckets, want %d", len(seen), bucket.Count)
	}
}

func TestEvery(t *testing.T) {
	names := make([]string, bucket.Count)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	if want := "bucket IN (" + strings.Join(names, ", ") + ")"; bucket.Every != want {
		t.Errorf("got %s, want %s", bucket.Every, want)
	}
}
