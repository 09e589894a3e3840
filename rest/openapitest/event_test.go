package openapitest

import (
	"strings"
	"testing"
)

const delivery = `{"event_id":"evt_01kjynaea8e008000000000000","type":"product.updated","api_version":"v1",` +
	`"occurred_at":"2026-03-05T09:30:01.250000Z","store_id":"str_01kjynacbre008000000000000",` +
	`"resource":{"type":"product","id":"prod_01jgn7hq3zd5va9k4m8p2r6t0w","version":7},"sequence":4,` +
	`"changed_fields":["price_minor"],"data":{"object":` + product + `},"payload_omitted":false}`

func TestEventErr(t *testing.T) {
	v := New(t, document(t))
	with := func(part, other string) string { return strings.Replace(delivery, part, other, 1) }
	for _, tc := range []struct{ name, kind, body, want string }{
		{name: "good", kind: "product.updated", body: delivery},
		{name: "left out for its size", kind: "product.updated",
			body: with(`{"object":`+product+`},"payload_omitted":false`, `null,"payload_omitted":true`)},
		{name: "no changed fields", kind: "product.updated", body: with(`["price_minor"]`, "null")},
		{name: "another type", kind: "product.created", body: delivery, want: "/type"},
		{name: "an unknown type", kind: "product.eaten", body: delivery, want: "product.eaten"},
		{name: "another resource", kind: "product.updated", body: with(`{"type":"product"`, `{"type":"order"`),
			want: "/resource/type"},
		{name: "an unknown member", kind: "product.updated", body: with(`"sequence"`, `"number":1,"sequence"`),
			want: "number"},
		{name: "a missing member", kind: "product.updated", body: with(`"sequence":4,`, ""), want: "sequence"},
		{name: "an unknown member of the object", kind: "product.updated", body: with(`"title"`, `"cost":1,"title"`),
			want: "cost"},
		{name: "an unknown member of the data", kind: "product.updated",
			body: with(`{"object"`, `{"before":null,"object"`), want: "before"},
		{name: "data without an object", kind: "product.updated", body: with(`{"object":`+product+`}`, "{}"),
			want: "object"},
		{name: "no JSON", kind: "product.updated", body: "{", want: "body"},
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
