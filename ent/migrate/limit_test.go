package migrate_test

import (
	"fmt"
	"testing"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql/schema"

	tables "github.com/storefront-go/storefront/ent/db/migrate"
	"github.com/storefront-go/storefront/ent/limit"
)

// Every text that passes the checks fits into its column on MySQL; SQLite stores texts of any
// length.
func TestColumnsHoldTheirLimits(t *testing.T) {
	columns := map[string]*schema.Column{}
	for _, table := range tables.Tables {
		for _, c := range table.Columns {
			columns[table.Name+" "+c.Name] = c
		}
	}
	for name, points := range map[string]int{
		"products title": limit.Line, "products vendor": limit.Line, "products product_type": limit.Line,
		"products sku": limit.Line, "order_lines sku": limit.Line, "order_lines title": limit.Line,
		"customers first_name": limit.Line, "customers last_name": limit.Line, "customers phone": limit.Label,
		"customers email": limit.Email, "users email": limit.Email, "orders email": limit.Email,
		"stores name": limit.Line, "users name": limit.Line, "apps name": limit.Line, "apps developer": limit.Line,
		"api_keys name": limit.Line, "staff_tokens name": limit.Line, "themes name": limit.Line,
		"themes author": limit.Line, "marketplace_themes name": limit.Line, "marketplace_themes tagline": limit.Line,
		"payments method": limit.Label, "payments reference": limit.Line, "fulfillments carrier": limit.Line,
		"fulfillments tracking_number": limit.Line, "webhook_endpoints description": limit.Line,
		"shipping_zones name": limit.Line,
	} {
		if c := columns[name]; c == nil || codePoints(t, c) < points {
			t.Errorf("the column of %s is too short for %d characters", name, points)
		}
	}
	for name, bytes := range map[string]int{
		"products handle": limit.Handle, "stores handle": limit.StoreHandle, "stores timezone": limit.Timezone,
		"customers locale": limit.Locale, "themes theme_version": limit.Version, "orders source": limit.Source,
		"marketplace_themes slug": limit.Handle, "discounts code": limit.Code,
		"domains host": limit.Host, "domain_hosts host": limit.Host, "stores domain": limit.Host,
	} {
		if c := columns[name]; c == nil || width(c) < bytes {
			t.Errorf("the column of %s is too short for %d bytes", name, bytes)
		}
	}
}

// width returns the n of varbinary(n), or 0.
func width(c *schema.Column) (n int) {
	_, _ = fmt.Sscanf(c.SchemaType[dialect.MySQL], "varbinary(%d)", &n)
	return n
}

// codePoints returns the number of code points that a column holds.
func codePoints(t *testing.T, c *schema.Column) int {
	t.Helper()
	switch n := width(c); {
	case n > 0:
		// An email address is limited in bytes, of which there are at least as many as characters.
		return n / limit.Bytes(1)
	case c.SchemaType[dialect.MySQL] == "mediumtext":
		return 1<<24 - 1
	case c.SchemaType[dialect.MySQL] == "" && c.Size == 0:
		return 255 // ent's default: varchar(255)
	}
	return int(c.Size)
}
