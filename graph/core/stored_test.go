package core_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql/schema"

	"github.com/storefront-go/storefront/ent/db/migrate"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// notStored holds the long columns of a store's tables that do not count for [limit.StoredBytes],
// with what bounds them.
var notStored = map[string]string{
	"apps.redirect_uris":       "a store registers few apps",
	"attempts.response":        "deleted after days",
	"attempts.request":         "deleted after days",
	"delivery_logs.response":   "deleted after days",
	"delivery_logs.request":    "deleted after days",
	"domains.certificate":      "a store has ten domains",
	"exports.custom_columns":   "the names of at most 200 fields, and the job is deleted after days",
	"grants.redirect_uri":      "one of the app's",
	"idempotency_keys.answer":  "deleted after a day",
	"import_findings.detail":   "a job keeps 10,000 of them for a week",
	"import_images.url":        "an import queues 100,000 of them, each until it is fetched",
	"import_images.variants":   "an import queues 100,000 of them, each until it is fetched",
	"import_jobs.source_url":   "a store keeps fifty jobs",
	"import_jobs.mapping":      "a store keeps fifty jobs",
	"invoice_settings.seller":  "a store has one row, of texts with bounds",
	"mails.body":               "deleted once the email is sent, and stores send so many a day",
	"mails.html":               "deleted once the email is sent, and stores send so many a day",
	"mail_senders.private_key": "a store has one row",
	"notifications.body":       "written by the service",
	"order_lines.options":      "a copy of orders.line_set for the previous release",
	"order_texts.intro":        "a store has one for each email and language",
	"order_texts.closing":      "a store has one for each email and language",
	"reports.result":           "a store has twenty, with at most 1,000 rows in each list",
	"shopper_passkeys.data":    "a customer has ten, of one public key each",
	"staff.alerts":             "one choice for each topic",
	"staff.views":              "a person has fifty in a store",
	"theme_uploads.archive":    "deleted once the theme is processed",
}

// TestStoredColumns checks that each column with long values counts for the limit of stored bytes
// or is excused.
func TestStoredColumns(t *testing.T) {
	long := []string{"blob", "mediumblob", "mediumtext"}
	left := maps.Clone(notStored)
	for _, table := range migrate.Tables {
		if !slices.ContainsFunc(table.Columns, func(c *schema.Column) bool { return c.Name == "store_id" }) {
			continue
		}
		for _, c := range table.Columns {
			if !slices.Contains(long, c.SchemaType[dialect.MySQL]) {
				continue
			}
			name := table.Name + "." + c.Name
			if _, excused := notStored[name]; excused == core.Stored(table.Name, c.Name) {
				t.Errorf("%s: must be in stored or, with its bound, in notStored, but not in both", name)
			}
			delete(left, name)
		}
	}
	if len(left) > 0 {
		t.Errorf("no such columns: %v", left)
	}
}

// TestStoredBytes: a store whose texts, addresses, order lines and events approach the limit is
// warned. At the limit, long writes are refused and short ones pass, and after the texts are
// removed there is room again.
func TestStoredBytes(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		const most, long = 1 << 20, 100_000
		r.Limits[limit.StoredBytes] = most
		write := func(n int64) string { return graphtest.FaultOf(r.BodyLeft(ctx, n)) }
		fill := func(n int) {
			text := strings.Repeat("ü", n/2)
			for range 3 {
				graphtest.Must[*model.ProductPayload](t)(r.Mutation().ProductCreate(ctx,
					model.ProductCreateInput{Title: "Mug", PriceMinor: 1, Currency: "EUR", Description: &text}))
			}
			r.CountStored(ctx)
		}
		fill(long)
		if got := write(long); got != "" {
			t.Errorf("with room: %q", got)
		}
		warned := func() bool {
			list, err := r.Query().Notifications(ctx, nil, nil)
			return err == nil && len(list.Nodes) == 1 && strings.Contains(list.Nodes[0].Body, "stored_bytes")
		}
		fill(long)
		fill(long)
		if !warned() {
			t.Error("no warning")
		}
		fill(long)
		if long, short := write(long), write(1000); long != "limit_reached" || short != "" {
			t.Errorf("at the limit: a long write %q, a short one %q", long, short)
		}
		if err := r.Store.InTx(ctx, func(ctx context.Context) error {
			return r.Store.DB(ctx).Product.Update().ClearDescription().Exec(ctx)
		}); err != nil {
			t.Fatal(err)
		}
		r.CountStored(ctx)
		if got := write(long); got != "" {
			t.Errorf("with room again: %q", got)
		}
		if err := r.Store.InTx(ctx, func(ctx context.Context) error {
			return r.Store.DB(ctx).Menus.Create().SetID(viewer.From(ctx).Store).SetStoreID(viewer.From(ctx).Store).
				SetUpdatedAt(micros.Now()).SetContent(make(document.Menus, most)).Exec(ctx)
		}); err != nil {
			t.Fatal(err)
		}
		r.CountStored(ctx)
		if got := write(long); got != "limit_reached" {
			t.Errorf("with a large menu: %q", got)
		}
	})
}
