package teststore

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/cartline"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/download"
	"github.com/storefront-go/storefront/ent/db/fulfillment"
	"github.com/storefront-go/storefront/ent/db/imported"
	"github.com/storefront-go/storefront/ent/db/note"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	dbpayment "github.com/storefront-go/storefront/ent/db/payment"
	"github.com/storefront-go/storefront/ent/db/paymenthold"
	"github.com/storefront-go/storefront/ent/db/paymentrefund"
	"github.com/storefront-go/storefront/ent/db/paymentsession"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/rollup"
	"github.com/storefront-go/storefront/graph/model"
)

const resetBatch = 100

// TestStoreReset removes the orders of a test store first, then customers, then products, so that
// no remaining order names a customer who is gone.
func (m Mutation) TestStoreReset(ctx context.Context) (*model.TestStoreResetPayload, error) {
	return core.Commit(ctx, m.Core, xid.Store, func(ctx context.Context) (
		*model.TestStoreResetPayload, *change.Record, error,
	) {
		s, err := m.hold(ctx)
		if err != nil {
			return nil, nil, err
		}
		done := &model.TestStoreResetPayload{}
		for _, step := range []func(context.Context) (int, error){
			m.dropOrders, m.dropCustomers, m.dropProducts, m.forgetImports,
		} {
			n, err := step(ctx)
			if err != nil {
				return nil, nil, err
			}
			done.Removed += n
			if done.More = n == resetBatch; done.More {
				break
			}
		}
		return done, &change.Record{Action: "store.reset", Kind: xid.Store, ID: s.ID,
			Detail: strconv.Itoa(done.Removed) + " removed"}, nil
	})
}

// dropOrders deletes some orders with everything that belongs to them, including their carts.
func (m Mutation) dropOrders(ctx context.Context) (int, error) {
	c := m.Client(ctx)
	rows, err := c.Order.Query().Order(db.Asc(order.FieldID)).Limit(resetBatch).All(ctx)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	var ids, carts []xid.ID
	var sales []rollup.Sale
	for _, o := range rows {
		ids, sales = append(ids, o.ID), append(sales, rollup.Sale{Store: o.StoreID, Order: o.ID})
		core.Opt(o.CartID, func(id xid.ID) { carts = append(carts, id) })
	}
	for _, remove := range []func(context.Context) (int, error){
		c.Order.Delete().Where(order.IDIn(ids...)).Exec,
		c.PaymentHold.Delete().Where(paymenthold.IDIn(ids...)).Exec,
		c.OrderLine.Delete().Where(orderline.OrderIDIn(ids...)).Exec,
		c.Download.Delete().Where(download.OrderIDIn(ids...)).Exec,
		c.Note.Delete().Where(note.OrderIDIn(ids...)).Exec,
		c.Fulfillment.Delete().Where(fulfillment.OrderIDIn(ids...)).Exec,
		c.Payment.Delete().Where(dbpayment.OrderIDIn(ids...)).Exec,
		c.PaymentSession.Delete().Where(paymentsession.OrderIDIn(ids...)).Exec,
		c.PaymentRefund.Delete().Where(paymentrefund.OrderIDIn(ids...)).Exec,
		c.Cart.Delete().Where(cart.IDIn(carts...)).Exec,
		c.CartLine.Delete().Where(cartline.CartIDIn(carts...)).Exec,
	} {
		if _, err := remove(ctx); err != nil {
			return 0, fmt.Errorf("remove orders: %w", err)
		}
	}
	if err := m.dropInvoices(ctx, ids); err != nil {
		return 0, err
	}
	// It emits no event.
	return len(rows), rollup.Mark(ctx, m.Store, sales...)
}

// dropInvoices deletes the invoices of some orders, which the schema allows nobody else.
func (m Mutation) dropInvoices(ctx context.Context, orders []xid.ID) error {
	args := []any{viewer.From(ctx).Store}
	for _, id := range orders {
		args = append(args, id)
	}
	_, err := m.Client(ctx).ExecContext(ctx, "DELETE FROM invoices WHERE store_id = ? AND order_id IN (?"+
		strings.Repeat(", ?", len(orders)-1)+")", args...)
	return fault.Wrap("remove invoices", err)
}

func (m Mutation) dropCustomers(ctx context.Context) (int, error) {
	c := m.Client(ctx)
	ids, err := c.Customer.Query().Order(db.Asc(customer.FieldID)).Limit(resetBatch).IDs(ctx)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	_, err = c.Customer.Delete().Where(customer.IDIn(ids...)).Exec(ctx)
	return len(ids), fault.Wrap("remove customers", err)
}

// dropProducts deletes some products as staff do: listings, images and collections follow.
func (m Mutation) dropProducts(ctx context.Context) (int, error) {
	rows, err := m.Client(ctx).Product.Query().Order(db.Asc("id")).Limit(resetBatch).All(ctx)
	if err != nil {
		return 0, err
	}
	for _, p := range rows {
		if _, err := (catalog.Mutation{Resolver: m.catalog}).ProductDelete(ctx, p.PublicID(), p.Version); err != nil {
			return 0, fmt.Errorf("remove a product: %w", err)
		}
	}
	return len(rows), nil
}

// forgetImports lets an import bring the same rows again, which are all gone. Its records are not
// shown to people, but may outnumber the rest.
func (m Mutation) forgetImports(ctx context.Context) (int, error) {
	c := m.Client(ctx)
	ids, err := c.Imported.Query().Order(db.Asc(imported.FieldID)).Limit(resetBatch).IDs(ctx)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	_, err = c.Imported.Delete().Where(imported.IDIn(ids...)).Exec(ctx)
	return len(ids), fault.Wrap("forget imports", err)
}

// TestStoreFill adds samples to an empty test store, with the operations that staff use: all of
// them, or none.
func (m Mutation) TestStoreFill(ctx context.Context) (*model.StorePayload, error) {
	return core.Commit(ctx, m.Core, xid.Store, func(ctx context.Context) (*model.StorePayload, *change.Record, error) {
		s, err := m.hold(ctx)
		if err != nil {
			return nil, nil, err
		}
		if err := m.empty(ctx); err != nil {
			return nil, nil, err
		}
		f := &filling{Mutation: m, currency: s.Currency}
		for _, step := range []func(context.Context) error{f.createProducts, f.createCustomers, f.createOrders} {
			if err := step(ctx); err != nil {
				return nil, nil, err
			}
		}
		return &model.StorePayload{Store: m.ShownStore(s)},
			&change.Record{Action: "store.fill", Kind: xid.Store, ID: s.ID}, nil
	})
}

func (m Mutation) empty(ctx context.Context) error {
	c := m.Client(ctx)
	for _, exists := range []func(context.Context) (bool, error){
		c.Product.Query().Exist, c.Customer.Query().Exist, c.Order.Query().Exist,
	} {
		found, err := exists(ctx)
		if err != nil {
			return err
		}
		if found {
			return fault.State(fault.InvalidTransition, "The store is not empty. Reset it first.")
		}
	}
	return nil
}
