package webhook

import (
	"context"
	"errors"
	"slices"

	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
)

// conditions reads the stored conditions of an endpoint. Those that cannot be read hold
// of everything: an event too many is better than one that is missed.
func conditions(text *string) filter.Set {
	if text == nil {
		return nil
	}
	set, _ := filter.Parse(*text)
	return set
}

// sift notes on events which of the endpoints that subscribed to them refuse them by
// their conditions.
func (d *dispatcher) sift(ctx context.Context, batch []*entry, subs []*subscriber) error {
	subs = slices.DeleteFunc(slices.Clone(subs), func(s *subscriber) bool { return len(s.filters) == 0 })
	for _, p := range batch {
		var seen [2]*filter.Event // as the store gets it, and as apps do
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
				if seen[as], err = d.look(ctx, p, s.owner != nil); err != nil {
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

// look reads an event as a receiver gets it. One that cannot be read meets all
// conditions.
func (d *dispatcher) look(ctx context.Context, p *entry, byApp bool) (*filter.Event, error) {
	body := p.body
	if body == nil {
		var err error
		switch body, err = d.body(ctx, p.store, p.event); {
		case errors.Is(err, errGone):
			return new(filter.Event), nil
		case err != nil:
			return nil, err
		}
	}
	body, err := d.Veil(p.store, p.kind, body)
	if err == nil && byApp {
		body, err = veiled(p.kind, body)
	}
	var e *filter.Event
	if err == nil {
		e, err = filter.Read(body)
	}
	if err != nil {
		d.Logger.ErrorContext(ctx, "webhooks: the conditions of endpoints cannot be judged", "error", err)
		return new(filter.Event), nil
	}
	return e, nil
}
