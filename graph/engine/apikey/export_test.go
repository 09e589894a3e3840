package apikey

import (
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// RememberLate looks a credential up, calls meanwhile, and then caches the result like a slow
// look-up.
func RememberLate(t *testing.T, k *Keeper, s Secret, meanwhile func()) {
	t.Helper()
	now, epoch, sum := time.Now(), k.epoch.Load(), digest.Sum(s.Hash())
	_, kind, _ := Parse(s.Reveal())
	e, err := k.find(t.Context(), sum, kind, micros.Of(now))
	if err != nil {
		t.Fatal(err)
	}
	meanwhile()
	k.remember(sum, e, epoch, now)
}

// LookUp returns the statement that finds credentials of a kind.
func LookUp(k Kind) string { return kinds[k].query }

// Together reports whether forgetting one owner also forgets the other.
func (k *Keeper) Together(a, b xid.ID) bool { return k.since(a) == k.since(b) }
