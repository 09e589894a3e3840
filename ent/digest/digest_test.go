package digest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/digest"
)

func TestSum(t *testing.T) {
	sum := digest.Of([]byte("secret"))
	v, err := sum.Value()
	if err != nil {
		t.Fatal(err)
	}
	var back digest.Sum
	if err := back.Scan(v); err != nil || back != sum {
		t.Errorf("got %x, %v", back[:], err)
	}
	for _, bad := range []any{nil, "text", []byte("short"), int64(1)} {
		if err := back.Scan(bad); err == nil {
			t.Errorf("%v was scanned", bad)
		}
	}
	if s := fmt.Sprint(sum); strings.Contains(s, fmt.Sprintf("%x", sum[:4])) {
		t.Errorf("the digest is shown: %s", s)
	}
}
