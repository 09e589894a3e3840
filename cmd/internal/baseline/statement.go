package baseline

import (
	"strconv"
	"strings"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/themeasset"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// texts are the statements of one engine, letter for letter the service's.
type texts struct {
	ordersHead, productsHead string
	ordersFrom, productsFrom string // with the index named
	order                    string
	assetsHead               string // to its limit
	mark                     string // for the search
	place                    placeTexts
}

func statements(engine string) texts {
	t := texts{
		ordersHead:   "SELECT " + columns(order.Columns) + " FROM ",
		productsHead: "SELECT " + columns(product.Columns) + " FROM ",
		ordersFrom:   "`orders`" + ent.IndexHint(engine, order.Table, ent.Primary),
		productsFrom: "`products`" + ent.IndexHint(engine, product.Table, ent.Primary),
	}
	t.mark = "INSERT INTO search_pendings (store_id, kind, id, since) VALUES (?, ?, ?, ?) " +
		"ON CONFLICT (store_id, kind, id) DO NOTHING"
	if engine == dialect.MySQL {
		t.mark = "INSERT INTO search_pendings (store_id, kind, id, since) VALUES (?, ?, ?, ?) " +
			"ON DUPLICATE KEY UPDATE since = since"
	}
	t.order = t.ordersHead + "`orders` WHERE `orders`.`id` = ? AND `orders`.`store_id` = ?"
	t.assetsHead, t.place = assets(engine), placing(engine)
	return t
}

// columns names a table's columns in the order in which the rows are scanned.
func columns(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("`" + n + "`")
	}
	return b.String()
}

// orders is a page of orders: after a position, or the first one.
func (t *texts) orders(after bool, limit int) string {
	return window(t.ordersHead+t.ordersFrom, "orders", after, limit)
}

// products is a page of products.
func (t *texts) products(after bool, limit int) string {
	return window(t.productsHead+t.productsFrom, "products", after, limit)
}

// assets is the first page of a theme's assets.
func (t *texts) assets(limit int) string { return t.assetsHead + strconv.Itoa(limit) }

func assets(engine string) string {
	return "SELECT " + columns(themeasset.Columns) + " FROM `theme_assets`" +
		ent.IndexHint(engine, themeasset.Table, "themeasset_store_id_theme_id_path") +
		" WHERE `theme_assets`.`theme_id` = ? AND `theme_assets`.`store_id` = ? ORDER BY `theme_assets`.`path` LIMIT "
}

func window(head, table string, after bool, limit int) string {
	where := " WHERE `" + table + "`.`store_id` = ?"
	if after {
		where = " WHERE `" + table + "`.`id` < ? AND `" + table + "`.`store_id` = ?"
	}
	return head + where + " ORDER BY `" + table + "`.`id` DESC LIMIT " + strconv.Itoa(limit)
}

// markArgs are the arguments with which a thing of a kind is marked for the search.
func markArgs(store xid.ID, kind string, id xid.ID) []any {
	return []any{store[:], kind, id[:], int64(micros.Now())}
}

// The statements of POST /products, in their order. Each runs on both engines.
const (
	insertClaim = "INSERT INTO idempotency_keys (store_id, id, key_hash, fingerprint, created_at, status, answer, " +
		"about_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

	insertProduct = "INSERT INTO `products` (`store_id`, `version`, `event_sequence`, `updated_at`, `title`, " +
		"`handle`, `status`, `price_minor`, `currency`, `sku`, `tags`, `requires_shipping`, `images_count`, `id`) " +
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	insertAudit = "INSERT INTO audit_log (store_id, id, actor_type, actor_id, actor_name, action, resource_type, " +
		"resource_id, detail, address, agent, request_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	insertEvent = "INSERT INTO events (store_id, id, type, resource_type, resource_id, sequence, body) VALUES " +
		"(?, ?, ?, ?, ?, ?, ?)"
	insertOutbox = "INSERT INTO outbox (store_id, id, bucket, generation) VALUES (?, ?, ?, 0)"

	updateAnswer = "UPDATE idempotency_keys SET status = ?, answer = ?, about_id = ? WHERE store_id = ? AND id = ?"

	// insertAnswered is the claim with its answer at once, of three inserts.
	insertAnswered = "INSERT INTO `idempotency_keys` (`store_id`, `key_hash`, `fingerprint`, `created_at`, `status`, " +
		"`answer`, `id`) VALUES (?, ?, ?, ?, ?, ?, ?)"
)

// The statements of the token endpoint's transaction, in their order: an exchange
// takes the code, a refresh rotates the token. SQLite's first one says more.
const (
	findGrant = "SELECT g.store_id, g.id, g.version, g.event_sequence, g.updated_at, g.app_store_id, g.app_id, " +
		"g.user_id, g.user_name, g.scopes, g.redirect_uri, g.code_challenge, g.code_expires_at, g.code_used_at, " +
		"g.refresh_hash, g.refresh_expires_at, g.expires_at, g.revoked_at, g.answer, g.answer_token, g.resource" +
		" FROM credentials c JOIN grants g ON g.store_id = c.store_id AND g.id = c.credential_id" +
		" WHERE c.hash = ? AND c.kind = ?"
	findClient = "SELECT a.store_id, a.id, a.client_id, a.name, a.developer, a.website, a.redirect_uris, a.scopes, " +
		"a.disabled_at, a.metadata_url FROM oauth_clients o JOIN apps a ON a.store_id = o.store_id AND a.id = o.app_id" +
		" WHERE o.client_id = ?"
	insertDirect = "INSERT INTO credentials (hash, store_id, credential_id, kind) VALUES (?, ?, ?, ?), (?, ?, ?, ?)"
	takeCode     = "UPDATE `grants` SET `code_used_at` = ?, `refresh_hash` = ?, `refresh_expires_at` = ? WHERE " +
		"((`grants`.`id` = ? AND `grants`.`revoked_at` IS NULL) AND `grants`.`code_used_at` IS NULL) AND " +
		"`grants`.`store_id` = ?"
	rotate = "UPDATE `grants` SET `refresh_hash` = ?, `refresh_expires_at` = ?, `answer` = ?, `answer_token` = ? " +
		"WHERE ((`grants`.`id` = ? AND `grants`.`revoked_at` IS NULL) AND `grants`.`refresh_hash` = ?) AND " +
		"`grants`.`store_id` = ?"
	insertAccess = "INSERT INTO `access_tokens` (`store_id`, `grant_id`, `hint`, `expires_at`, `id`) VALUES (?, ?, " +
		"?, ?, ?)"
)
