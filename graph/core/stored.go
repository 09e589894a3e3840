package core

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/collection"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/discount"
	dbevent "github.com/storefront-go/storefront/ent/db/event"
	"github.com/storefront-go/storefront/ent/db/fulfillment"
	"github.com/storefront-go/storefront/ent/db/invoice"
	"github.com/storefront-go/storefront/ent/db/location"
	"github.com/storefront-go/storefront/ent/db/menus"
	"github.com/storefront-go/storefront/ent/db/note"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderreturn"
	"github.com/storefront-go/storefront/ent/db/page"
	"github.com/storefront-go/storefront/ent/db/payment"
	"github.com/storefront-go/storefront/ent/db/paymentsettings"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/shippingzone"
	"github.com/storefront-go/storefront/ent/db/taxsettings"
	"github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// smallWrite is the largest body of a write that passes at the limit of stored bytes, so that a
	// store at its limit can still sell, rename and delete.
	smallWrite = 4 << 10
	// fewestBytes is how many bytes this process takes before the first count of a store.
	fewestBytes = 16 << 20
	// storedBatch bounds the rows of each statement of a count.
	storedBatch = 1000
)

var stored = []struct {
	table   string
	columns []string
}{
	{cart.Table, []string{cart.FieldNote, cart.FieldAddress, cart.FieldBillingAddress, cart.FieldSession}},
	{collection.Table, []string{collection.FieldDescription, collection.FieldRule}},
	{customer.Table, []string{
		customer.FieldDefaultAddress, customer.FieldAddresses, customer.FieldTags, customer.FieldNote,
		customer.FieldCustomFields,
	}},
	{discount.Table, []string{discount.FieldCollections}},
	{dbevent.Table, []string{dbevent.FieldBody}},
	{fulfillment.Table, []string{fulfillment.FieldLines, fulfillment.FieldTrackingURL}},
	{invoice.Table, []string{invoice.FieldContent}},
	{location.Table, []string{location.FieldAddress}},
	{menus.Table, []string{menus.FieldContent}},
	{note.Table, []string{note.FieldBody}},
	{order.Table, []string{
		order.FieldBillingAddress, order.FieldShippingAddress, order.FieldTags, order.FieldLineSet, order.FieldTaxes,
		order.FieldCustomFields, order.FieldAllocations,
	}},
	{orderreturn.Table, []string{orderreturn.FieldLines, orderreturn.FieldNote, orderreturn.FieldAnswer,
		orderreturn.FieldName, orderreturn.FieldEmail}},
	{page.Table, []string{page.FieldBody}},
	{payment.Table, []string{payment.FieldLines}},
	{paymentsettings.Table, []string{paymentsettings.FieldMethods}},
	{product.Table, []string{
		product.FieldDescription, product.FieldTags, product.FieldImageURL, product.FieldOptions,
		product.FieldMaker, product.FieldVideos, product.FieldPrices,
		product.FieldCustomFields, product.FieldVariantCustomFields,
	}},
	{shippingzone.Table, []string{shippingzone.FieldRates}},
	{taxsettings.Table, []string{taxsettings.FieldRates, taxsettings.FieldCategories}},
	{theme.Table, []string{theme.FieldSettings, theme.FieldDraftSettings}},
	{variant.Table, []string{variant.FieldOptions, variant.FieldPrices, variant.FieldCustomFields}},
	{webhookendpoint.Table, []string{webhookendpoint.FieldHeaders}},
}

// BodyLeft counts the body of a write of the viewer's store, in bytes, and refuses it beyond the
// limit per minute or the limit of stored bytes.
//
// The stored bytes are an estimate, as in [Core.RowsLeft]: the columns are summed in the background
// whenever this process has taken a tenth of what was left.
func (c *Core) BodyLeft(ctx context.Context, n int64) error {
	if err := c.Written.Spend(ctx, c, n); err != nil {
		return err
	}
	most, err := c.limitOf(ctx, limit.StoredBytes)
	if err != nil {
		return err
	}
	of := rowsOf{viewer.From(ctx).Store, limit.StoredBytes}
	left, count := c.rows.take(of, most, n, min(fewestBytes, most/10))
	if count {
		go c.count(of, most, c.storedBytes) //nolint:gosec // it outlives the call
	}
	if !left && n > smallWrite {
		return Reached(limit.StoredBytes, most)
	}
	c.rows.add(of, n)
	return nil
}

func (c *Core) storedBytes(ctx context.Context) (sum int64, err error) {
	for _, of := range stored {
		var size strings.Builder
		for _, column := range of.columns {
			size.WriteString(" + COALESCE(OCTET_LENGTH(`" + column + "`), 0)")
		}
		query := fmt.Sprintf("SELECT MAX(id), COUNT(*), SUM(size) FROM (SELECT id, 0%s AS size FROM %s%s "+
			"WHERE store_id = ? AND id > ? ORDER BY id LIMIT %d) AS batch HAVING COUNT(*) > 0", size.String(), of.table,
			ent.IndexHint(c.Store.Dialect(), of.table, ent.Primary), storedBatch)
		last := xid.ID{}
		for n := storedBatch; n == storedBatch; {
			n = 0
			err := ent.Read(ctx, c.Client(ctx), func(rows *stdsql.Rows) error {
				var batch int64
				err := rows.Scan(&last, &n, &batch)
				sum += batch
				return err
			}, query, viewer.From(ctx).Store, last)
			if err != nil {
				return 0, fmt.Errorf("sum %s: %w", of.table, err)
			}
		}
	}
	return sum, nil
}
