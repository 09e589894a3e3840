package wire

import (
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// Event is the body of a delivery (contract, section 8).
type Event struct {
	ID       xid.ID
	Type     event.Type
	Occurred micros.Time
	Store    xid.ID
	Kind     xid.Kind // of the resource
	Resource xid.ID
	Version  int64
	Sequence int64
	Changed  []string // nil unless members changed
	Object   []byte   // nil if left out
}

// ThinEvent returns the body of a delivery without its data.
func ThinEvent(body []byte) ([]byte, error) {
	return rewrite(body, func(name string, value []byte) ([]byte, error) {
		switch name {
		case "data":
			return []byte("null"), nil
		case "payload_omitted":
			return []byte("true"), nil
		}
		return value, nil
	})
}

// AppendEvent appends the body of a delivery.
func AppendEvent(b []byte, e Event) []byte {
	o := Open(b)
	o.ID("event_id", xid.Event, e.ID)
	o.Plain("type", string(e.Type))
	o.Plain("api_version", "v1")
	o.Time("occurred_at", e.Occurred)
	o.ID("store_id", xid.Store, e.Store)
	o.Name("resource")
	r := Open(o.B)
	r.Plain("type", e.Kind.Resource())
	r.ID("id", e.Kind, e.Resource)
	r.Int("version", e.Version)
	o.B = r.Close()
	o.Int("sequence", e.Sequence)
	if e.Changed == nil {
		o.Null("changed_fields")
	} else {
		o.Strings("changed_fields", e.Changed)
	}
	if e.Object == nil {
		o.Null("data")
	} else {
		o.Name("data")
		d := Open(o.B)
		d.Raw("object", e.Object)
		o.B = d.Close()
	}
	o.Bool("payload_omitted", e.Object == nil)
	return o.Close()
}
