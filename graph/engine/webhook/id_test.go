package webhook_test

import (
	"math/rand/v2"
	"testing"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

func TestDeliveryID(t *testing.T) {
	for range 10_000 {
		endpoint, sequence := xid.New(), rand.Int64N(1<<40)
		at := micros.Time(rand.Int64N(int64(2 * micros.Now())))
		id := webhook.DeliveryID(endpoint, sequence, at)
		if webhook.SequenceOf(id) != sequence || id.Time() != at {
			t.Fatalf("%d at %v came back as %d at %v", sequence, at, webhook.SequenceOf(id), id.Time())
		}
		if id[6]>>4 != 7 || id[8]>>6 != 2 {
			t.Fatalf("%x is not a UUIDv7", id)
		}
		if got, err := xid.Delivery.Parse(xid.Delivery.Format(id)); err != nil || got != id {
			t.Fatalf("%x was read as %x, %v", id, got, err)
		}
	}
}

func TestDeliveryIDsDiffer(t *testing.T) {
	a, b, at := xid.New(), xid.New(), micros.Now()
	b[12] = a[12] ^ 1 // not left to chance
	b[15], b[14] = a[15]^1, a[14]
	if webhook.DeliveryID(a, 1, at) == webhook.DeliveryID(b, 1, at) {
		t.Error("two endpoints have one delivery id")
	}
	if webhook.DeliveryID(a, 1, at) == webhook.DeliveryID(a, 2, at) {
		t.Error("two deliveries have one id")
	}
}
