package event_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
)

func TestCatalogIsComplete(t *testing.T) {
	seen := map[event.Type]bool{}
	for _, e := range event.All() {
		t.Run(string(e.Type), func(t *testing.T) {
			if seen[e.Type] {
				t.Error("listed twice")
			}
			seen[e.Type] = true
			resource, _, ok := strings.Cut(string(e.Type), ".")
			gate := resource + "s"
			if e.Resource == xid.WebhookEndpoint {
				gate = "webhooks"
			}
			if e.Type == event.InventoryChanged { // of variants, which are parts of products
				resource, gate = "product", "inventory"
			}
			if e.Type == event.AppGrantRevoked { // about an app's grant, for staff who manage webhooks
				resource, gate = "grant", "webhooks"
			}
			if !ok || resource != e.Resource.Resource() {
				t.Errorf("is about %q", e.Resource.Resource())
			}
			if !slices.ContainsFunc(scope.All(), func(s scope.Scope) bool {
				return s.Name == e.Scope && s.Access == "read" && s.Resource == gate
			}) {
				t.Errorf("needs the scope %q", e.Scope)
			}
			if found, ok := event.Find(e.Type); !ok || found != e {
				t.Errorf("Find gives %v, %v", found, ok)
			}
		})
	}
	if _, ok := event.Find("order.eaten"); ok {
		t.Error("an unknown event was found")
	}
}
