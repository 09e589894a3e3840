package baseline

import (
	"strings"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/cartline"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/paymentsettings"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/shippingcountry"
	"github.com/storefront-go/storefront/ent/db/shippingzone"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/db/taxsettings"
)

// placeTexts are the statements that place a cart of three lines, by bank transfer and for
// a customer who is known, in their order; letter for letter the service's.
type placeTexts struct {
	takeNumbers, readNumber string // in a transaction of their own, for many orders

	cart, store, lines, products string
	taxes, countries, zone       string
	methods                      string
	countNews                    string // in a transaction of its own
	customer                     string

	endCart     string // the first of the transaction
	insertOrder string
	takeStock   string // once for each line
	countOrder  string
}

// The statements of the transaction that are the same on both engines.
const (
	insertHold   = "INSERT INTO `payment_holds` (`store_id`, `bucket`, `due_at`, `id`) VALUES (?, ?, ?, ?)"
	insertNotice = "INSERT INTO `notifications` (`store_id`, `level`, `title`, `body`, `resource_type`, " +
		"`resource_id`, `id`) VALUES (?, ?, ?, ?, ?, ?, ?)"

	// placedColumns are what an order is inserted with, in the order of [orderRow.placedArgs].
	placedColumns = "`store_id`, `version`, `event_sequence`, `updated_at`, `number`, `status`, " +
		"`financial_status`, `fulfillment_status`, `currency`, `subtotal_minor`, `discount_minor`, " +
		"`shipping_minor`, `tax_minor`, `total_minor`, `paid_minor`, `refunded_minor`, `customer_id`, `email`, " +
		"`billing_address`, `shipping_address`, `notes_count`, `tags`, `source`, `placed_at`, " +
		"`included_tax_minor`, `cart_id`, `shipping_method`, `payment_method`, `language`, `line_set`, " +
		"`line_set_version`, `id`"
)

// countingNews counts an order among those that the store's people are told of. SQLite's text
// takes one argument more, the last.
func countingNews(engine string) string {
	const insert = "INSERT INTO allowances (id, full_at) VALUES (?, ?) "
	const next = "CASE WHEN full_at > ? THEN full_at WHEN full_at > ? THEN full_at + ? ELSE ? END"
	if engine == dialect.MySQL {
		return insert + "ON DUPLICATE KEY UPDATE full_at = " + next
	}
	return insert + "ON CONFLICT (id) DO UPDATE SET full_at = " + next + " WHERE full_at <= ?"
}

// reading is a query of whole rows of a table.
func reading(table string, names []string, hint, where string) string {
	return "SELECT " + columns(names) + " FROM `" + table + "`" + hint + " WHERE " + where + " AND `" + table +
		"`.`store_id` = ?"
}

func placing(engine string) placeTexts {
	primary := func(table string) string { return ent.IndexHint(engine, table, ent.Primary) }
	numbered := make([]string, len(store.Columns))
	for i, c := range store.Columns {
		numbered[i] = "`stores`.`" + c + "`"
	}
	const ofStore = " FROM `stores` WHERE `stores`.`id` = ? AND `stores`.`id` = ?"
	const touched = "version = version + 1, updated_at = CASE WHEN updated_at > ? THEN updated_at + ? ELSE ? END"
	return placeTexts{
		takeNumbers: "UPDATE `stores` SET `next_number` = COALESCE(`stores`.`next_number`, 0) + ? WHERE " +
			"`stores`.`id` = ? AND `stores`.`id` = ?",
		readNumber: "SELECT " + strings.Join(numbered, ", ") + ofStore + " LIMIT 2",
		cart:       reading(cart.Table, cart.Columns, "", "(`carts`.`token` = ? AND `carts`.`expires_at` > ?)"),
		store:      "SELECT " + columns(store.Columns) + ofStore,
		lines:      reading(cartline.Table, cartline.Columns, "", "`cart_lines`.`cart_id` = ?"),
		products:   reading(product.Table, product.Columns, primary(product.Table), "`products`.`id` IN (?, ?, ?)"),
		taxes:      reading(taxsettings.Table, taxsettings.Columns, "", "`tax_settings`.`id` = ?"),
		countries: reading(shippingcountry.Table, shippingcountry.Columns, primary(shippingcountry.Table),
			"`shipping_countries`.`country` IN (?, ?)"),
		zone:        reading(shippingzone.Table, shippingzone.Columns, "", "`shipping_zones`.`id` = ?"),
		methods:     reading(paymentsettings.Table, paymentsettings.Columns, "", "`payment_settings`.`id` = ?"),
		countNews:   countingNews(engine),
		customer:    reading(customer.Table, customer.Columns, "", "`customers`.`email` = ?"),
		insertOrder: "INSERT INTO `orders` (" + placedColumns + ") VALUES (?" + strings.Repeat(", ?", 31) + ")",
		takeStock: "UPDATE products SET " + touched + ", inventory_quantity = inventory_quantity + ? WHERE " +
			"store_id = ? AND id = ? AND options IS NULL AND inventory_quantity >= ?",
		countOrder: "UPDATE customers SET " + touched + ", orders_count = orders_count + 1, last_order_at = CASE " +
			"WHEN last_order_at >= ? THEN last_order_at ELSE ? END WHERE store_id = ? AND id = ? AND status <> ?",
		endCart: "UPDATE `carts` SET `note` = NULL, `email` = NULL, `phone` = NULL, `address` = NULL, " +
			"`country` = NULL, `region` = NULL, `expires_at` = ?, `version` = ?, `updated_at` = ?, `order_id` = ? " +
			"WHERE ((`carts`.`id` = ? AND `carts`.`version` = ?) AND `carts`.`order_id` IS NULL) AND " +
			"`carts`.`store_id` = ?",
	}
}

// list is all of them, as one order of three lines runs them.
func (t placeTexts) list(mark string) []string {
	return []string{t.cart, t.store, t.lines, t.products, t.taxes, t.countries, t.zone, t.methods, t.countNews,
		t.customer, t.endCart, t.insertOrder, t.takeStock, t.takeStock, t.takeStock, t.countOrder, mark,
		insertHold, insertNotice, insertAudit, insertEvent, insertOutbox}
}
