package webhook

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/storefront-go/storefront/ent/event"
)

// redactedForApp returns the body of an event for an endpoint of an app. An app does not learn what
// other apps and people do in the store: the body of a grant's end names neither the app nor who
// consented, and that of another endpoint has only the origin of its URL, not its filters or last
// error.
func redactedForApp(kind event.Type, body []byte) ([]byte, error) {
	switch kind {
	case event.AppGrantRevoked:
		return withObject(body, func(object map[string]any) {
			object["app"], object["consented_by"] = nil, nil
		})
	case event.WebhookEndpointSuspended, event.WebhookEndpointFailing, event.WebhookEndpointRecovered:
		return withObject(body, func(object map[string]any) {
			object["url"] = originOf(object["url"])
			object["description"], object["last_error"], object["filters"] = nil, nil, []any{}
		})
	}
	return body, nil
}

// withObject returns a body with a changed object.
func withObject(body []byte, change func(object map[string]any)) ([]byte, error) {
	var envelope map[string]json.RawMessage
	var data struct {
		Object map[string]any `json:"object"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return nil, fmt.Errorf("read event: %w", err)
	}
	if err := json.Unmarshal(envelope["data"], &data); err != nil {
		return nil, fmt.Errorf("read event's object: %w", err)
	}
	if data.Object == nil {
		return body, nil
	}
	change(data.Object)
	var err error
	if envelope["data"], err = json.Marshal(data); err != nil {
		return nil, fmt.Errorf("write event's object: %w", err)
	}
	return json.Marshal(envelope)
}

// originOf returns scheme, host and port of an address.
func originOf(address any) string {
	text, _ := address.(string)
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String()
}
