package selection

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// typeOf returns the name of the GraphQL type of the object of an event, "" for an unknown event.
func typeOf(t event.Type) string {
	switch {
	case t == event.OrderNoteAdded:
		return "OrderNote"
	case event.OfReturn(t):
		return "Return"
	case t == event.InventoryChanged:
		return "InventoryLevel"
	}
	return map[xid.Kind]string{xid.Order: "Order", xid.Product: "Product", xid.Customer: "Customer",
		xid.Export: "Export", xid.Theme: "Theme", xid.WebhookEndpoint: "WebhookEndpoint",
		xid.Grant: "Grant"}[event.About(t)]
}

// Example returns an event's object of a type with all of its members and one element in each list
// of objects, nil for an unknown type.
func Example(t event.Type) []byte {
	switch typeOf(t) {
	case "OrderNote":
		return wire.AppendNote(nil, &db.Note{}, "")
	case "Return":
		return wire.AppendReturn(nil, &db.OrderReturn{Lines: document.NewReturnLines([]document.ReturnLine{{}})})
	case "InventoryLevel":
		return wire.AppendInventoryLevel(nil, &db.Product{}, &db.Variant{InventoryQuantity: new(int64(0))})
	case "Order":
		return order()
	case "Product":
		return product()
	case "Customer":
		return wire.AppendCustomer(nil, &db.Customer{DefaultAddress: address(), CustomFields: fields(),
			Addresses: document.NewAddresses([]document.AddressFields{{}})}, "")
	case "Export":
		why := ""
		return wire.AppendExport(nil, &db.Export{ErrorCode: &why, ErrorMessage: &why}, nil)
	case "Theme":
		return wire.AppendTheme(nil, &db.Theme{}, "", nil)
	case "WebhookEndpoint":
		filters := "[{}]" // their members depend on the condition
		return wire.AppendWebhookEndpoint(nil, &db.WebhookEndpoint{Filters: &filters}, &db.WebhookQueue{}, nil)
	case "Grant":
		return wire.AppendGrant(nil, &db.Grant{}, &db.App{})
	}
	return nil
}

func address() document.Address { return document.NewAddress(&document.AddressFields{}) }

func fields() document.CustomFields { return document.CustomFields("{}") }

func order() []byte {
	taxes := document.NewOrderTaxes([]document.OrderTax{{Lines: []document.OrderTaxLine{{}}}})
	o := &db.Order{BillingAddress: address(), ShippingAddress: address(), Taxes: taxes, CustomFields: fields()}
	return wire.AppendOrder(nil, o, 1, func(int) *db.OrderLine { return &db.OrderLine{} })
}

func product() []byte {
	p := &db.Product{Options: document.NewOptions([]document.Option{{}}), CustomFields: fields(),
		Maker: document.NewMaker(&document.MakerFields{Name: new("")})}
	p.Variants = []*db.Variant{{CustomFields: fields(), Prices: document.NewPrices([]document.PriceStep{{}})}}
	p.Images = []*db.ProductImage{{}}
	return wire.AppendProduct(nil, p)
}
