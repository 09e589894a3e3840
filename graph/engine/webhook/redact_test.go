package webhook

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/event"
)

func TestRedactedForApp(t *testing.T) {
	for _, tc := range []struct {
		name   string
		kind   event.Type
		object string
		secret []string
		want   string
	}{
		{name: "a grant", kind: event.AppGrantRevoked,
			object: `{"id":"gra_1","app":{"id":"app_1","name":"Rival"},"scopes":["orders.read"],` +
				`"consented_by":{"id":"usr_1","name":"Olive"}}`,
			secret: []string{"app_1", "Rival", "usr_1", "Olive"},
			want:   `{"app":null,"consented_by":null,"id":"gra_1","scopes":["orders.read"]}`},
		{name: "an endpoint", kind: event.WebhookEndpointSuspended,
			object: `{"id":"whe_1","url":"https://u:p@rival.example:8443/hook/s3cret?k=v#f","description":"Of Rival",` +
				`"last_error":"dial rival","filters":[{"field":"object.of_rival","exists":true}],"status":"suspended"}`,
			secret: []string{"s3cret", "k=v", "u:p", "Rival", "dial", "of_rival"},
			want: `{"description":null,"filters":[],"id":"whe_1","last_error":null,"selection":null,"status":"suspended",` +
				`"url":"https://rival.example:8443/"}`},
		{name: "an unreadable address", kind: event.WebhookEndpointSuspended,
			object: `{"url":"https://%zz/s3cret"}`, secret: []string{"s3cret"}, want: `{"description":null,"filters":[],"last_error":null,"selection":null,"url":""}`},
		{name: "anything else", kind: event.OrderPaid, object: `{"url":"https://x/y", "app": 1}`,
			want: `{"url":"https://x/y", "app": 1}`},
		{name: "nothing", kind: event.AppGrantRevoked, object: "null", want: "null"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := redactedForApp(tc.kind, []byte(`{"event_id":"evt_1","sequence":9007199254740993,"data":{"object":`+tc.object+`}}`))
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range tc.secret {
				if strings.Contains(string(got), secret) {
					t.Errorf("%q shows: %s", secret, got)
				}
			}
			var body struct {
				Sequence json.Number
				Data     struct{ Object json.RawMessage }
			}
			if err := json.Unmarshal(got, &body); err != nil || string(body.Data.Object) != tc.want ||
				body.Sequence != "9007199254740993" {
				t.Errorf("%s, %v, want %s", got, err, tc.want)
			}
		})
	}
	omitted := []byte(`{"event_id":"evt_1","data":null,"payload_omitted":true}`)
	if got, err := redactedForApp(event.AppGrantRevoked, omitted); err != nil || string(got) != string(omitted) {
		t.Errorf("without an object: %s, %v", got, err)
	}
}
