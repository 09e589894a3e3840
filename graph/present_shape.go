package graph

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// shapes are the types whose root fields may be planned. A test compares each
// with the executor, value by value.
var shapes = map[string]func(ast.SelectionSet) encoder{
	"Order":              planned(orderShape),
	"OrderConnection":    planned(connectionShape(orderShape)),
	"Product":            planned(productShape),
	"ProductConnection":  planned(connectionShape(productShape)),
	"CustomerConnection": planned(connectionShape(customerShape)),
	"Customer":           planned(customerShape),
}

var orderShape = &shape[*model.Order]{
	name: "Order",
	leaves: map[string]func([]byte, *model.Order) []byte{
		"id":                ident(xid.Order, func(o *model.Order) xid.ID { return o.ID }),
		"number":            integer(func(o *model.Order) int64 { return o.Number }),
		"status":            enum(func(o *model.Order) string { return string(o.Status) }),
		"financialStatus":   enum(func(o *model.Order) string { return string(o.FinancialStatus) }),
		"fulfillmentStatus": enum(func(o *model.Order) string { return string(o.FulfillmentStatus) }),
		"currency":          text(func(o *model.Order) string { return o.Currency }),
		"subtotalMinor":     integer(func(o *model.Order) int64 { return o.SubtotalMinor }),
		"discountMinor":     integer(func(o *model.Order) int64 { return o.DiscountMinor }),
		"shippingMinor":     integer(func(o *model.Order) int64 { return o.ShippingMinor }),
		"taxMinor":          integer(func(o *model.Order) int64 { return o.TaxMinor }),
		"totalMinor":        integer(func(o *model.Order) int64 { return o.TotalMinor }),
		"paidMinor":         integer(func(o *model.Order) int64 { return o.PaidMinor }),
		"refundedMinor":     integer(func(o *model.Order) int64 { return o.RefundedMinor }),
		"customerId":        identOpt(xid.Customer, func(o *model.Order) *xid.ID { return o.CustomerID }),
		"email":             textOpt(func(o *model.Order) *string { return o.Email }),
		"notesCount":        integer(func(o *model.Order) int64 { return o.NotesCount }),
		"tags":              tags(func(o *model.Order) document.Tags { return o.Tags }),
		"source":            text(func(o *model.Order) string { return o.Source }),
		"placedAt":          moment(func(o *model.Order) micros.Time { return o.PlacedAt }),
		"paidAt":            momentOpt(func(o *model.Order) *micros.Time { return o.PaidAt }),
		"fulfilledAt":       momentOpt(func(o *model.Order) *micros.Time { return o.FulfilledAt }),
		"cancelledAt":       momentOpt(func(o *model.Order) *micros.Time { return o.CancelledAt }),
		"completedAt":       momentOpt(func(o *model.Order) *micros.Time { return o.CompletedAt }),
		"version":           integer(func(o *model.Order) int64 { return o.Version }),
		"createdAt":         moment(func(o *model.Order) micros.Time { return o.ID.Time() }),
		"updatedAt":         moment(func(o *model.Order) micros.Time { return o.UpdatedAt }),
	},
	objects: map[string]func(ast.SelectionSet) writer[*model.Order]{
		"billingAddress":  address(func(o *model.Order) document.Address { return o.BillingAddress }),
		"shippingAddress": address(func(o *model.Order) document.Address { return o.ShippingAddress }),
		"lineItems":       objects(lineShape, func(o *model.Order) []*model.LineItem { return o.Lines }),
	},
}

var lineShape = &shape[*model.LineItem]{
	name: "LineItem",
	leaves: map[string]func([]byte, *model.LineItem) []byte{
		"id":                ident(xid.OrderLine, func(l *model.LineItem) xid.ID { return l.ID }),
		"productId":         identOpt(xid.Product, func(l *model.LineItem) *xid.ID { return l.ProductID }),
		"title":             text(func(l *model.LineItem) string { return l.Title }),
		"sku":               textOpt(func(l *model.LineItem) *string { return l.Sku }),
		"quantity":          integer(func(l *model.LineItem) int64 { return l.Quantity }),
		"fulfilledQuantity": integer(func(l *model.LineItem) int64 { return l.FulfilledQuantity }),
		"refundedQuantity":  integer(func(l *model.LineItem) int64 { return l.RefundedQuantity }),
		"unitPriceMinor":    integer(func(l *model.LineItem) int64 { return l.UnitPriceMinor }),
		"discountMinor":     integer(func(l *model.LineItem) int64 { return l.DiscountMinor }),
		"taxMinor":          integer(func(l *model.LineItem) int64 { return l.TaxMinor }),
		"totalMinor":        integer(func(l *model.LineItem) int64 { return l.TotalMinor }),
	},
}

var productShape = &shape[*db.Product]{
	name: "Product",
	leaves: map[string]func([]byte, *db.Product) []byte{
		"id":                  ident(xid.Product, func(p *db.Product) xid.ID { return p.ID }),
		"title":               text(func(p *db.Product) string { return p.Title }),
		"handle":              text(func(p *db.Product) string { return p.Handle }),
		"description":         textOpt(func(p *db.Product) *string { return p.Description }),
		"status":              enum(func(p *db.Product) string { return string(p.Status) }),
		"priceMinor":          integer(func(p *db.Product) int64 { return p.PriceMinor }),
		"compareAtPriceMinor": integerOpt(func(p *db.Product) *int64 { return p.CompareAtPriceMinor }),
		"currency":            text(func(p *db.Product) string { return p.Currency }),
		"sku":                 textOpt(func(p *db.Product) *string { return p.Sku }),
		"vendor":              textOpt(func(p *db.Product) *string { return p.Vendor }),
		"productType":         textOpt(func(p *db.Product) *string { return p.ProductType }),
		"tags":                tags(func(p *db.Product) document.Tags { return p.Tags }),
		"inventoryQuantity":   integerOpt(func(p *db.Product) *int64 { return p.InventoryQuantity }),
		"imageUrl":            textOpt(func(p *db.Product) *string { return p.ImageURL }),
		"publishedAt":         momentOpt(func(p *db.Product) *micros.Time { return p.PublishedAt }),
		"version":             integer(func(p *db.Product) int64 { return p.Version }),
		"createdAt":           moment(func(p *db.Product) micros.Time { return p.ID.Time() }),
		"updatedAt":           moment(func(p *db.Product) micros.Time { return p.UpdatedAt }),
	},
}

var customerShape = &shape[*model.Customer]{
	name: "Customer",
	leaves: map[string]func([]byte, *model.Customer) []byte{
		"id":              ident(xid.Customer, func(c *model.Customer) xid.ID { return c.ID }),
		"email":           textOpt(func(c *model.Customer) *string { return c.Email }),
		"phone":           textOpt(func(c *model.Customer) *string { return c.Phone }),
		"firstName":       textOpt(func(c *model.Customer) *string { return c.FirstName }),
		"lastName":        textOpt(func(c *model.Customer) *string { return c.LastName }),
		"displayName":     text(func(c *model.Customer) string { return c.DisplayName() }),
		"status":          enum(func(c *model.Customer) string { return string(c.Status) }),
		"locale":          textOpt(func(c *model.Customer) *string { return c.Locale }),
		"emailMarketing":  enum(func(c *model.Customer) string { return string(c.EmailMarketing) }),
		"tags":            tags(func(c *model.Customer) document.Tags { return c.Tags }),
		"note":            textOpt(func(c *model.Customer) *string { return c.Note }),
		"ordersCount":     integer(func(c *model.Customer) int64 { return c.OrdersCount }),
		"totalSpentMinor": integer(func(c *model.Customer) int64 { return c.TotalSpentMinor }),
		"currency":        text(func(c *model.Customer) string { return c.Currency }),
		"lastOrderAt":     momentOpt(func(c *model.Customer) *micros.Time { return c.LastOrderAt }),
		"version":         integer(func(c *model.Customer) int64 { return c.Version }),
		"createdAt":       moment(func(c *model.Customer) micros.Time { return c.ID.Time() }),
		"updatedAt":       moment(func(c *model.Customer) micros.Time { return c.UpdatedAt }),
	},
	objects: map[string]func(ast.SelectionSet) writer[*model.Customer]{
		"defaultAddress": address(func(c *model.Customer) document.Address { return c.DefaultAddress }),
		"addresses":      addresses(func(c *model.Customer) document.Addresses { return c.Addresses }),
	},
}

var pageShape = &shape[*model.PageInfo]{
	name: "PageInfo",
	leaves: map[string]func([]byte, *model.PageInfo) []byte{
		"hasNextPage":     func(b []byte, p *model.PageInfo) []byte { return strconv.AppendBool(b, p.HasNextPage) },
		"hasPreviousPage": func(b []byte, p *model.PageInfo) []byte { return strconv.AppendBool(b, p.HasPreviousPage) },
		"startCursor":     textOpt(func(p *model.PageInfo) *string { return p.StartCursor }),
		"endCursor":       textOpt(func(p *model.PageInfo) *string { return p.EndCursor }),
	},
}

// connectionShape is a page of a type.
func connectionShape[N any](node *shape[N]) *shape[*model.Connection[N]] {
	edge := &shape[*model.Edge[N]]{
		name: node.name + "Edge",
		leaves: map[string]func([]byte, *model.Edge[N]) []byte{
			"cursor": text(func(e *model.Edge[N]) string { return e.Cursor }),
		},
		objects: map[string]func(ast.SelectionSet) writer[*model.Edge[N]]{
			"node": object(node, func(e *model.Edge[N]) N { return e.Node }),
		},
	}
	return &shape[*model.Connection[N]]{
		name: node.name + "Connection",
		objects: map[string]func(ast.SelectionSet) writer[*model.Connection[N]]{
			"nodes":    objects(node, func(c *model.Connection[N]) []N { return c.Nodes }),
			"edges":    objects(edge, (*model.Connection[N]).Edges),
			"pageInfo": object(pageShape, (*model.Connection[N]).PageInfo),
		},
	}
}
