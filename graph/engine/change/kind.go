package change

import (
	"strings"

	"github.com/storefront-go/storefront/ent/xid"
)

// KindName returns the name of a kind as it reads in a sentence.
func KindName(kind xid.Kind) string {
	if name, ok := kindNames[kind]; ok {
		return name
	}
	return strings.ReplaceAll(kind.Resource(), "_", " ")
}

// kindNames holds the names of kinds that events and audit rows do not use, or use under another
// name.
var kindNames = map[xid.Kind]string{
	xid.APIKey: "API key", xid.Attempt: "attempt", xid.Audit: "audit row", xid.Delivery: "delivery",
	xid.Event: "event", xid.Fulfillment: "fulfillment", xid.MarketplaceTheme: "marketplace theme",
	xid.OrderLine: "line item", xid.Payment: "payment", xid.ProductImage: "image", xid.Request: "request",
	xid.ShippingRate: "shipping rate", xid.ThemeAsset: "theme asset", xid.User: "person", xid.Variant: "variant",
}
