package storefront

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/fulfillment"
	"github.com/storefront-go/storefront/ent/db/invoice"
	dborder "github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/db/paymenthold"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
)

// ShopperOrder is an order as its shopper sees it.
type ShopperOrder struct {
	*db.Order
	Lines   []*db.OrderLine
	Parcels []*db.Fulfillment
	// Invoices are the invoices and credit notes, oldest first.
	Invoices []*db.Invoice
	// Downloads are the files of the lines.
	Downloads []sales.Download
	// Instructions say how to pay, "" for nothing.
	Instructions string
	// Held says that the order's items are reserved for an online payment.
	Held bool
	// PayBy is the last day on which a bank transfer is in time, zero for none.
	PayBy time.Time
	// PlacedOn is when the order was placed, in the store's time zone.
	PlacedOn time.Time
}

// Order returns an order of the viewer's store. The viewer is a [viewer.Shopper].
func (s Storefront) Order(ctx context.Context, id xid.ID) (*ShopperOrder, error) {
	o, err := core.Only(s.Client(ctx).Order.Query().Where(dborder.ID(id)).Load(ctx))
	if err != nil {
		return nil, core.Explain("order", err)
	}
	b := &ShopperOrder{Order: o}
	if b.Lines, err = s.lines(ctx, o); err != nil {
		return nil, core.Explain("order", err)
	}
	if b.Downloads, err = sales.Downloads(ctx, s.Client(ctx), o, b.Lines); err != nil {
		return nil, core.Explain("order", err)
	}
	if b.Parcels, err = s.Client(ctx).Fulfillment.Query().Where(fulfillment.OrderID(id)).Load(ctx); err != nil {
		return nil, core.Explain("order", err)
	}
	if b.Invoices, err = s.Client(ctx).Invoice.Query().Where(invoice.OrderID(id)).Load(ctx); err != nil {
		return nil, core.Explain("order", err)
	}
	slices.SortFunc(b.Invoices, func(x, y *db.Invoice) int { return x.ID.Compare(y.ID) })
	slices.SortFunc(b.Parcels, func(x, y *db.Fulfillment) int { return x.ID.Compare(y.ID) })
	if b.Instructions, err = s.instructions(ctx, o); err == nil {
		err = s.times(ctx, b)
	}
	return b, core.Explain("order", err)
}

func (s Storefront) times(ctx context.Context, b *ShopperOrder) error {
	store, err := s.CurrentStore(ctx)
	if err != nil {
		return err
	}
	zone, err := zoneOf(store)
	if err != nil {
		return err
	}
	b.PlacedOn = b.PlacedAt.Time().In(zone)
	if b.PaymentMethod == nil || !sales.Awaits(b.Order) {
		return nil
	}
	rows, err := s.Client(ctx).PaymentHold.Query().Where(paymenthold.ID(b.ID)).Load(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	b.Held = b.PaymentMethod.Online()
	if due := sales.DueAt(b.Order, rows[0]); due != nil && *b.PaymentMethod == state.PaymentTransfer {
		b.PayBy, err = sales.LastDay(*due, store)
	}
	return err
}

// Zone returns the time zone of the viewer's store.
func (s Storefront) Zone(ctx context.Context) (*time.Location, error) {
	store, err := s.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	return zoneOf(store)
}

func zoneOf(store *db.Store) (*time.Location, error) {
	zone, err := time.LoadLocation(store.Timezone)
	if err != nil {
		return nil, fmt.Errorf("time zone %s: %w", store.Timezone, err)
	}
	return zone, nil
}

func (s Storefront) lines(ctx context.Context, o *db.Order) ([]*db.OrderLine, error) {
	lines, err := lineset.Of(o)
	if err != nil || lines != nil {
		return lines, err
	}
	lines, err = s.Client(ctx).OrderLine.Query().Where(orderline.OrderID(o.ID)).Load(ctx)
	slices.SortFunc(lines, func(x, y *db.OrderLine) int { return x.Position - y.Position })
	return lines, err
}

// instructions returns the merchant's current instructions for the order's payment method.
func (s Storefront) instructions(ctx context.Context, o *db.Order) (string, error) {
	if o.PaymentMethod == nil {
		return "", nil
	}
	rows, err := s.Client(ctx).PaymentSettings.Query().Load(ctx)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	methods, err := rows[0].Methods.List()
	if err != nil {
		return "", err
	}
	for _, m := range methods {
		if m.Kind == *o.PaymentMethod {
			return m.Instructions, nil
		}
	}
	return "", nil
}

// Destinations returns the countries that the store's shipping zones name, and whether it ships to
// all others too.
func (s Storefront) Destinations(ctx context.Context) (countries []string, all bool, err error) {
	const elsewhere = "*" // as graph/domain/selling stores it
	rows, err := s.Client(ctx).ShippingCountry.Query().Load(ctx)
	if err != nil {
		return nil, false, core.Explain("shipping zone", err)
	}
	for _, row := range rows {
		if row.Country == elsewhere {
			all = true
			continue
		}
		countries = append(countries, row.Country)
	}
	return countries, all, nil
}
