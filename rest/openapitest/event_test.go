package openapitest

import (
	"strings"
	"testing"
)

const told = `{"event_id":"evt_01kjynaea8e008000000000000","type":"product.updated","api_version":"v1",` +
	`"occurred_at":"2026-03-05T09:30:01.250000Z","store_id":"str_01kjynacbre008000000000000",` +
	`"resource":{"type":"product","id":"prod_01jgn7hq3zd5va9k4m8p2r6t0w","version":7},"sequence":4,` +
	`"changed_fields":["price_minor"],"data":{"object":` + product + `},"payload_omitted":false}`

func TestEventErr(t *testing.T) {
	v := New(t, document(t))
	with := func(part, other string) string { return strings.Replace(told, part, other, 1) }
	for _, tc := range []struct{ name, kind, body, want string }{
		{"good", "product.updated", told, ""},
		{"left out for its size", "product.updated", with(`{"object":`+product+`},"payload_omitted":false`, `null,"payload_omitted":true`), ""},
		{"no changed fields", "product.updated", with(`["price_minor"]`, "null"), ""},
		{"another type", "product.created", told, "/type"},
		{"an unknown type", "product.eaten", told, "product.eaten"},
		{"another resource", "product.updated", with(`{"type":"product"`, `{"type":"order"`), "/resource/type"},
		{"an unknown member", "product.updated", with(`"sequence"`, `"number":1,"sequence"`), "number"},
		{"a missing member", "product.updated", with(`"sequence":4,`, ""), "sequence"},
		{"an unknown member of the object", "product.updated", with(`"title"`, `"cost":1,"title"`), "cost"},
		{"an unknown member of the data", "product.updated", with(`{"object"`, `{"before":null,"object"`), "before"},
		{"data without an object", "product.updated", with(`{"object":`+product+`}`, "{}"), "object"},
		{"no JSON", "product.updated", "{", "body"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := v.EventErr(tc.kind, []byte(tc.body))
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// An event is described, signed, and has a body with every documented member.
func TestEvents(t *testing.T) {
	events := New(t, document(t)).Events()
	if len(events) == 0 || events[0].Type != "order.created" {
		t.Fatalf("the document has %d events, not in its order", len(events))
	}
	for _, e := range events {
		if e.Description == "" || e.body == nil || len(e.Headers) != 8 || e.Headers[0] != "x-service-timestamp" {
			t.Errorf("%s: %q, headers %v", e.Type, e.Description, e.Headers)
		}
	}
}
