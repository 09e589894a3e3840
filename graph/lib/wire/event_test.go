package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// A thin body has the envelope alone, whatever members its object has.
func TestThinEvent(t *testing.T) {
	id := xid.New()
	for _, object := range []string{`{"data":{"payload_omitted":false},"title":",\"data\":"}`, `{}`, ""} {
		e := enveloped(event.ProductUpdated, id, []byte(object))
		e.Changed = []string{"data", "payload_omitted"}
		if object == "" {
			e.Object = nil
		}
		got, err := wire.ThinEvent(wire.AppendEvent(nil, e))
		if err != nil {
			t.Fatal(err)
		}
		e.Object = nil
		if d := cmp.Diff(string(wire.AppendEvent(nil, e)), string(got)); d != "" {
			t.Errorf("%s: %s", object, d)
		}
	}
	if _, err := wire.ThinEvent([]byte("[]")); err == nil {
		t.Error("no object was accepted")
	}
}
