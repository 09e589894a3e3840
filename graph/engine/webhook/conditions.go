package webhook

import (
	"context"
	"errors"
	"slices"

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
