package endpoint_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// TestConditionsOnMembers: a condition on a member that no payload of the events has is refused,
// whatever the event. One that an endpoint already has stays.
func TestConditionsOnMembers(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		create := func(field string, events ...string) (*model.WebhookEndpointPayload, error) {
			in := graphtest.Receiver(events...)
			in.Filters = filter.Set{{Field: field, Exists: new(true)}}
			return p.Mutation().WebhookEndpointCreate(p.Ctx, in)
		}
		for _, e := range event.All() {
			id := "object.id"
			if e.Type == event.InventoryChanged {
				id = "object.variant_id"
			}
			if _, err := create(id, string(e.Type)); err != nil {
				t.Errorf("%s has an id: %v", e.Type, err)
			}
			if _, err := create("object.statsu", string(e.Type)); !misspelt(err) {
				t.Errorf("%s has no statsu: %v", e.Type, err)
			}
		}
		for _, tc := range []struct {
			field, events string
			ok            bool
		}{
			{"object.shipping_address.country", "order.paid", true},
			{"object.shipping_address.contry", "order.paid", false},
			{"object.status.deeper", "order.paid", false},
			{"object.paid_at", "order.paid", true},
			{"object.line_items.title", "order.paid", false}, // no path leads into a list
			{"object.vendor", "order.paid", false},
			{"object.vendor", "order.paid product.updated", true},
			{"object.default_address.city", "customer.created", true},
			{"object.body", "order.note_added", true},
			{"object.total_minor", "order.note_added", false},
			{"object.error.code", "export.failed", true},
		} {
			_, err := create(tc.field, strings.Fields(tc.events)...)
			if tc.ok && err != nil || !tc.ok && !misspelt(err) {
				t.Errorf("%s of %s: %v", tc.field, tc.events, err)
			}
		}
		checkKept(t, p)
	})
}

func misspelt(err error) bool {
	return strings.Join(fieldsOf(err), " ") == "#/filters/0/field unknown_value"
}

// checkKept changes an endpoint with a condition that an earlier release accepted.
func checkKept(t *testing.T, p *graphtest.Shop) {
	e := p.NewEndpoint(t, p.Ctx, "order.paid")
	old := filter.Set{{Field: "object.statsu", In: []string{"open"}}}
	p.WriteRows(t, func(ctx context.Context, c *db.Client) error {
		return c.WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).SetFilters(old.Text()).Exec(ctx)
	})
	version := int64(1)
	change := func(in model.WebhookEndpointUpdateInput) error {
		changed, err := p.Mutation().WebhookEndpointUpdate(p.Ctx, xid.WebhookEndpoint.Format(e.ID), version, in)
		if err == nil {
			version = changed.WebhookEndpoint.Version
		}
		return err
	}
	for what, in := range map[string]model.WebhookEndpointUpdateInput{
		"another member": {Description: model.Some("a")},
		"the same":       {Filters: model.Given[[]*filter.Condition](old)},
		"other events":   {Events: model.Given([]string{"order.created"})},
	} {
		if err := change(in); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	added := append(slices.Clone(old), &filter.Condition{Field: "object.vendor", In: []string{"x"}})
	err := change(model.WebhookEndpointUpdateInput{Filters: model.Given[[]*filter.Condition](added)})
	if got := strings.Join(fieldsOf(err), " "); got != "#/filters/1/field unknown_value" {
		t.Errorf("another one: %v", err)
	}
	right := filter.Set{{Field: "object.status", In: []string{"open"}}}
	if err := change(model.WebhookEndpointUpdateInput{Filters: model.Given[[]*filter.Condition](right)}); err != nil {
		t.Error(err)
	}
	if err := change(model.WebhookEndpointUpdateInput{Events: model.Given([]string{"export.completed"})}); err != nil {
		t.Errorf("exports have a status, too: %v", err)
	}
	if err := change(model.WebhookEndpointUpdateInput{Events: model.Given([]string{"customer.redacted"})}); err != nil {
		t.Errorf("and so have customers: %v", err)
	}
	err = change(model.WebhookEndpointUpdateInput{Events: model.Given([]string{"app.grant_revoked"})})
	if !misspelt(err) {
		t.Errorf("grants have none: %v", err)
	}
}
