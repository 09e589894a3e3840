package corpus

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/xid"
)

// tables lists the columns that are set; the others have their defaults.
func (f *filler) tables() {
	f.all = map[string]*bulk{
		"store_handles": newBulk(f.conn, "store_handles", "handle", "store_id"),
		"stores": newBulk(f.conn, "stores", "id", "version", "event_sequence", "updated_at", "handle",
			"name", "currency", "timezone", "status", "next_number", "legacy", "demo"),
		"credentials": newBulk(f.conn, "credentials", "hash", "store_id", "credential_id", "kind"),
		"api_keys":    newBulk(f.conn, "api_keys", "store_id", "id", "lineage_id", "slot", "name", "hint", "scopes"),
		"products": newBulk(f.conn, "products", "store_id", "id", "version", "event_sequence", "updated_at",
			"title", "handle", "description", "status", "price_minor", "currency", "sku", "vendor", "product_type",
			"tags", "inventory_quantity", "image_url", "published_at"),
		"goods": newBulk(f.conn, "products", "store_id", "id", "version", "event_sequence", "updated_at",
			"title", "handle", "status", "price_minor", "max_price_minor", "currency", "sku", "vendor", "product_type",
			"tags", "inventory_quantity", "published_at", "options"),
		"variants": newBulk(f.conn, "variants", "store_id", "product_id", "id", "position", "options",
			"combination", "title", "price_minor", "inventory_quantity"),
		"customers": newBulk(f.conn, "customers", "store_id", "id", "version", "event_sequence", "updated_at", "email",
			"first_name", "last_name", "status", "email_marketing", "addresses", "tags"),
		"orders": newBulk(f.conn, "orders", "store_id", "id", "version", "event_sequence", "updated_at",
			"number", "status", "financial_status", "fulfillment_status", "currency", "subtotal_minor",
			"discount_minor", "shipping_minor", "tax_minor", "total_minor", "paid_minor", "refunded_minor",
			"customer_id", "email", "billing_address", "shipping_address", "notes_count", "tags", "source", "placed_at",
			"paid_at", "fulfilled_at", "completed_at", "line_set", "line_set_version"),
	}
}

// thing is a product or a customer as orders and lines quote it.
type thing struct {
	id   xid.ID
	name string
	code string // sku or email address
	unit int64
}

func (f *filler) products(ctx context.Context, store xid.ID, n int) ([]thing, error) {
	list := make([]thing, n)
	for i := range list {
		t := f.now.Add(-span - time.Minute + time.Duration(i)*time.Microsecond)
		p := thing{xid.At(t), fmt.Sprintf("Enamel mug %04d", i), fmt.Sprintf("MUG-%04d", i), int64(900 + i%400)}
		list[i] = p
		err := f.add(ctx, "products", store[:], p.id[:], 2, 3, int64(t), p.name, fmt.Sprintf("enamel-mug-%04d", i),
			"Steel with two coats of enamel.\nHolds 300 ml.", "active", p.unit, "EUR", p.code, "Tinsmith", "Kitchen",
			[]byte(`["kitchen","steel"]`), int64(i%90), "https://images.example/mug.jpg", int64(t))
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (f *filler) people(ctx context.Context, store xid.ID, n int) ([]thing, error) {
	list := make([]thing, n)
	for i := range list {
		t := f.now.Add(-span - time.Minute + time.Duration(i)*time.Microsecond)
		p := thing{id: xid.At(t), code: fmt.Sprintf("buyer-%d@example.com", i)}
		list[i] = p
		err := f.add(ctx, "customers", store[:], p.id[:], 1, 1, int64(t), p.code, "Ada", fmt.Sprintf("Buyer %d", i),
			"active", "subscribed", []byte("[]"), []byte("[]"))
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ids spreads n orders over the span, with ties of them in one microsecond at a third from the
// newest, and returns one from the middle of these.
func (f *filler) ids(n, ties int) (ids []xid.ID, tied xid.ID) {
	ids = make([]xid.ID, n)
	start, step := f.now.Add(-span), span/time.Duration(max(n, 1))
	from := max(n*2/3-ties, 0)
	for i := range ids {
		at := i
		if i >= from && i < from+ties {
			at = from
		}
		ids[i] = xid.At(start.Add(step * time.Duration(at)))
	}
	block := ids[from : from+ties]
	slices.SortFunc(block, xid.ID.Compare)
	if ties > 0 {
		tied = block[ties/2]
	}
	return ids, tied
}

const addressText = `{"name":"Ada Buyer","company":null,"line1":"12 Long Street","line2":null,"city":"Berlin",` +
	`"region":null,"postal_code":"10115","country":"DE","phone":"+49 30 1234567"}`

func (f *filler) orders(ctx context.Context, store xid.ID, ids []xid.ID, goods, people []thing) error {
	address, tags := []byte(addressText), []byte(`["web"]`)
	for i, id := range ids {
		who := people[f.rand.IntN(len(people))]
		a, b := goods[f.rand.IntN(len(goods))], goods[f.rand.IntN(len(goods))]
		subtotal := a.unit + 2*b.unit
		t := int64(id.Time())
		status, financial, fulfilment := "completed", "paid", "fulfilled"
		paid, paidAt, fulfilledAt, completedAt, billing := subtotal+490, any(t+1e6), any(t+2e6), any(t+3e6),
			any(address)
		if i%10 == 9 {
			status, financial, fulfilment = "open", "pending", "unfulfilled"
			paid, paidAt, fulfilledAt, completedAt, billing = 0, nil, nil, nil, nil
		}
		lines := []*db.OrderLine{line(id, 0, 1, a), line(id, 1, 2, b)}
		err := f.add(ctx, "orders", store[:], id[:], 4, 4, t+3e6, 1001+i, status, financial, fulfilment, "EUR",
			subtotal, 0, 490, 0, subtotal+490, paid, 0, who.id[:], who.code, billing, address, 0, tags, "web", t,
			paidAt, fulfilledAt, completedAt, lineset.Pack(id, lines), 4)
		if err != nil {
			return err
		}
	}
	return nil
}

func line(order xid.ID, position int, quantity int64, of thing) *db.OrderLine {
	return &db.OrderLine{ID: xid.At(order.Time()), Position: position, ProductID: &of.id, Title: of.name, Sku: &of.code,
		Quantity: quantity, UnitPriceMinor: of.unit, TotalMinor: quantity * of.unit, RequiresShipping: true}
}
