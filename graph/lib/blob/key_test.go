package blob_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/blob"
)

var badKeys = []string{
	"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "a/.b", ".tmp", "a/.", "A", "aB", "ä", "a b",
	"a\\b", "a\x00", "a\n", "a%2f", "a:b", "a*", "a?", "a\xff", "a.tmp", "a/b.18a.tmp", "a.attrs", "a/b.attrs",
	"a__0x41__", strings.Repeat("a", 201), strings.Repeat("a/", 256) + "a",
}

func TestCheckKey(t *testing.T) {
	for _, key := range []string{
		"a", "0", "-", "_", "a.b", "a..b", "a-b_c.d", "exports/exp_01h455vb4pex5vsknk084sn02q/part-00001.csv.gz",
		"a.tmp/b", "a.tmpx", "a.attrs/b", "a/b/c/d/e/f/g", strings.Repeat("a", 200), strings.Repeat("a/", 255) + "ab",
		"a__0", "a_0x", "tmp", "attrs",
	} {
		if err := blob.CheckKey(key); err != nil {
			t.Errorf("%.40q: %v", key, err)
		}
	}
	for _, key := range badKeys {
		if blob.CheckKey(key) == nil {
			t.Errorf("%.40q is a key", key)
		}
	}
}

// A key stays inside the folder, and one key is one file.
func FuzzCheckKey(f *testing.F) {
	for _, key := range badKeys {
		f.Add(key)
	}
	f.Add("exports/exp_01h455vb4pex5vsknk084sn02q/part-00001.csv.gz")
	f.Fuzz(func(t *testing.T, key string) {
		if blob.CheckKey(key) != nil {
			return
		}
		local := filepath.FromSlash(key)
		if !filepath.IsLocal(local) || filepath.Clean(local) != local || strings.ToLower(key) != key || len(key) > 512 {
			t.Fatalf("%q is a key", key)
		}
	})
}
