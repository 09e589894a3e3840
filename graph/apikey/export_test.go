package apikey

import (
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
)

// RememberLate looks a credential up, lets meanwhile run, and remembers what was
// found as a slow look-up would.
func RememberLate(t *testing.T, k *Keeper, s Secret, meanwhile func()) {
	t.Helper()
	now, epoch, sum := time.Now(), k.epoch.Load(), digest.Sum(s.Hash())
	e, err := k.find(t.Context(), sum, micros.Of(now))
	if err != nil {
		t.Fatal(err)
	}
	meanwhile()
	k.remember(sum, e, epoch, now)
}
