package importer

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// sourceImport is the source of imported orders whose file has none.
const sourceImport = "import"

// decodeOrder reads an order in the form of an export.
func decodeOrder(e *entry, line []byte) ([]string, error) {
	r, err := object(line)
	if err != nil {
		return nil, err
	}
	in := &sales.ImportedOrder{Sums: map[string]*int64{}, Input: model.OrderCreateInput{
		Email: r.String("email"), ShippingMinor: core.Deref(r.Int("shipping_minor")),
		BillingAddress:  readAddress(r.Object("billing_address")),
		ShippingAddress: readAddress(r.Object("shipping_address")),
		Tags:            r.Strings("tags"), Source: sourceImport, PlacedAt: r.Time("placed_at"),
		ExternalNumber: r.String("external_number"), CustomFields: r.JSON(core.CustomFieldsMember)}}
	core.Opt(r.String("source"), func(s string) { in.Input.Source = s })
	number := r.Int("number")
	if in.Input.ExternalNumber == nil && number != nil {
		in.Input.ExternalNumber = new(strconv.FormatInt(*number, 10))
	}
	core.Opt(r.String("id"), func(text string) {
		if id, err := xid.Order.Parse(text); err == nil {
			in.ID = &id
		}
	})
	for _, name := range []string{"customer_id", "created_at", "updated_at"} {
		r.String(name) // computed, or of the other store
	}
	for _, name := range []string{"version", "notes_count"} {
		r.Int(name)
	}
	for _, name := range []string{"subtotal_minor", "discount_minor", "tax_minor", "total_minor"} {
		in.Sums[name] = r.Int(name)
	}
	readHistory(r, in)
	readLines(r, in)
	more := readTaxes(r, in)
	if faults := append(r.Fields(), more...); len(faults) > 0 {
		return nil, fault.Invalid(faults...)
	}
	e.order = in
	return nil, nil
}

// readHistory reads what happened to an order.
func readHistory(r *wire.Reader, in *sales.ImportedOrder) {
	in.Currency = core.Deref(r.String("currency"))
	in.Status = state.OrderStatus(core.Deref(r.String("status")))
	in.Financial = state.FinancialStatus(core.Deref(r.String("financial_status")))
	in.Fulfillment = state.FulfillmentStatus(core.Deref(r.String("fulfillment_status")))
	in.PaidMinor, in.RefundedMinor = r.Int("paid_minor"), r.Int("refunded_minor")
	in.PaidAt, in.FulfilledAt = r.Time("paid_at"), r.Time("fulfilled_at")
	in.CancelledAt, in.CompletedAt = r.Time("cancelled_at"), r.Time("completed_at")
	in.Method, in.Reference = r.String("payment_method"), r.String("payment_reference")
	in.IncludedTaxMinor = r.Int("included_tax_minor")
	in.DiscountCode, in.ShippingMethod = r.String("discount_code"), r.String("shipping_method")
	in.VATID, in.TaxRelief = r.String("vat_id"), (*state.TaxRelief)(r.String("tax_relief"))
	in.Note = r.String("note")
}

// readLines reads the lines of an order. They are linked to the products of the store by their SKU, so
// their ids in another store are ignored.
func readLines(r *wire.Reader, in *sales.ImportedOrder) {
	for _, l := range array(r, "line_items") {
		l.String("product_id")
		l.String("variant_id")
		in.Input.Lines = append(in.Input.Lines, &model.OrderLineInput{Title: l.String("title"), Sku: l.String("sku"),
			Quantity: core.Deref(l.Int("quantity")), UnitPriceMinor: l.Int("unit_price_minor"),
			DiscountMinor: core.Deref(l.Int("discount_minor")), TaxMinor: core.Deref(l.Int("tax_minor"))})
		in.Lines = append(in.Lines, sales.ImportedLine{ID: core.Deref(l.String("id")),
			Fulfilled: l.Int("fulfilled_quantity"), Refunded: core.Deref(l.Int("refunded_quantity")),
			TotalMinor: l.Int("total_minor"), Options: l.Strings("options"),
			RequiresShipping: l.Bool("requires_shipping")})
	}
}

// readTaxes reads the parts of the taxes of an order.
func readTaxes(r *wire.Reader, in *sales.ImportedOrder) (faults []fault.Field) {
	c := &core.Check{}
	for i, t := range array(r, "taxes") {
		at := "taxes/" + strconv.Itoa(i) + "/"
		tax := document.OrderTax{Name: core.Deref(t.String("name")), Rate: core.Deref(t.String("rate")),
			Included: core.Deref(t.Bool("included")), BaseMinor: core.Deref(t.Int("base_minor")),
			AmountMinor: core.Deref(t.Int("amount_minor")), Lines: []document.OrderTaxLine{}}
		c.Line(at+"name", tax.Name, limit.Line)
		if _, ok := document.ParsePercent(tax.Rate); !ok {
			c.Add(at+"rate", fault.InvalidFormat, "The rate is a percentage, such as 8.875.")
		}
		c.Amount(at+"base_minor", tax.BaseMinor)
		c.Amount(at+"amount_minor", tax.AmountMinor)
		for _, l := range array(t, "lines") {
			part := document.OrderTaxLine{LineID: l.String("line_item_id"), BaseMinor: core.Deref(l.Int("base_minor")),
				AmountMinor: core.Deref(l.Int("amount_minor"))}
			of := func(l sales.ImportedLine) bool { return l.ID == *part.LineID }
			if part.LineID != nil && !slices.ContainsFunc(in.Lines, of) {
				c.Add(at+"lines", fault.UnknownValue, "No line of the order has this id.")
			}
			c.Amount(at+"lines", part.BaseMinor)
			c.Amount(at+"lines", part.AmountMinor)
			tax.Lines = append(tax.Lines, part)
		}
		if in.Taxes = append(in.Taxes, tax); len(in.Taxes) > limit.Lines || len(tax.Lines) > limit.Lines+1 {
			c.Add("taxes", fault.TooLong, "The order has more taxes than lines are allowed.")
		}
	}
	if f, ok := errors.AsType[*fault.Error](c.Err()); ok {
		return f.Fields
	}
	return nil
}

func openOrders(ctx context.Context, r *Resolver, chunk []*entry) (*batch, error) {
	list := core.Map(chunk, func(e *entry) *sales.ImportedOrder { return e.order })
	b, err := sales.Mutation{Resolver: r.customers}.OrderBatch(ctx, list)
	return &batch{apply: func(ctx context.Context, e *entry) (catalog.ImportOutcome, error) {
		created, err := b.Apply(ctx, e.order)
		return outcomeOf(created, false), err
	}}, err
}
