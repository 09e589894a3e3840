package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
)

// conditions parses the stored filters of an endpoint. Unreadable filters match everything: an
// event too many is better than a missed one.
func conditions(text *string) filter.Set {
	if text == nil {
		return nil
	}
	set, _ := filter.Parse(*text)
	return set
}

// applyFilters records for each event which of its subscribed endpoints refuse it by their filters.
func (b *base) applyFilters(ctx context.Context, batch []*entry, subs []*subscriber) error {
	subs = slices.DeleteFunc(slices.Clone(subs), func(s *subscriber) bool { return len(s.filters) == 0 })
	for _, p := range batch {
		var seen [2]*filter.Event // as the store receives it, and as apps do
		for _, s := range subs {
			if s.Store != p.store || !s.types[p.kind] {
				continue
			}
			as := 0
			if s.owner != nil {
				as = 1
			}
			var err error
			if seen[as] == nil {
				if seen[as], err = b.readEvent(ctx, p, s.owner != nil); err != nil {
					return err
				}
			}
			if !s.filters.Match(seen[as]) {
				p.refused = append(p.refused, s)
			}
		}
	}
	return nil
}

// readEvent parses an event as a receiver gets it. An event that cannot be read matches all
// filters.
func (b *base) readEvent(ctx context.Context, p *entry, byApp bool) (*filter.Event, error) {
	body := p.body
	if body == nil {
		var err error
		switch body, err = b.eventBody(ctx, p.store, p.event); {
		case errors.Is(err, errGone):
			return new(filter.Event), nil
		case err != nil:
			return nil, err
		}
	}
	body, err := b.RedactEvent(p.store, p.kind, body)
	if err == nil && byApp {
		body, err = redactedForApp(p.kind, body)
	}
	var e *filter.Event
	if err == nil {
		e, err = filter.Read(body)
	}
	if err != nil {
		b.Logger.ErrorContext(ctx, "webhooks: cannot apply the filters of endpoints", "error", err)
		return new(filter.Event), nil
	}
	return e, nil
}

// redactedForApp returns the body of an event for an endpoint of an app. An app does not learn what
// other apps and people do in the store: the body of a grant's end names neither the app nor who
// consented, and that of another endpoint has only the origin of its URL, not its filters, selection or
// last error.
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
			object["selection"] = nil
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
