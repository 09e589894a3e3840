package rest_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// epoch is the time of the fixture.
var epoch = micros.Of(time.Date(2026, 3, 1, 9, 30, 0, 451_000, time.UTC))

// fixed returns the n-th id of the fixture, the same in every run. Ids of one kind differ by n;
// those of different kinds may be equal.
func fixed(n int) xid.ID {
	id := xid.First(epoch.Add(time.Duration(n) * time.Minute))
	id[15] = byte(n)
	return id
}

// shop is one merchant and their credentials.
type shop struct {
	t     testing.TB
	store *ent.Store
	ctx   context.Context // as the operator
	id    xid.ID
	all   string // a key with every scope
}

// shopRow holds optional values of a store.
type shopRow struct {
	ID     xid.ID
	Handle string
	Legacy bool
	Test   bool
	Status state.StoreStatus
}

func newShop(t testing.TB, s *ent.Store, row shopRow) *shop {
	t.Helper()
	if row.ID.IsNil() {
		row.ID = xid.New()
	}
	row.Handle = cmp.Or(row.Handle, "shop-"+strings.ToLower(rand.Text()[:10]))
	m := &shop{t: t, store: s, id: row.ID, ctx: viewer.Operator(t.Context(), row.ID)}
	m.tx(func(ctx context.Context, c *db.Client) error {
		if _, err := c.StoreHandle.Create().SetID(row.Handle).SetStoreID(row.ID).Save(ctx); err != nil {
			return err
		}
		_, err := c.Store.Create().SetID(row.ID).SetHandle(row.Handle).SetName("Test shop").SetCurrency("EUR").
			SetTimezone("Europe/Berlin").SetLegacy(row.Legacy).SetTest(row.Test).
			SetStatus(cmp.Or(row.Status, state.StoreOpen)).
			SetUpdatedAt(epoch).Save(ctx)
		return err
	})
	m.all = m.key(keyRow{Scopes: scope.Full()})
	return m
}

// tx writes in the shop.
func (m *shop) tx(f func(ctx context.Context, c *db.Client) error) {
	m.t.Helper()
	err := m.store.InTx(m.ctx, func(ctx context.Context) error { return f(ctx, m.store.DB(ctx)) })
	if err != nil {
		m.t.Fatal(err)
	}
}

// keyRow holds optional values of an API key.
type keyRow struct {
	ID      xid.ID
	Name    string
	Scopes  scope.Set
	Lineage xid.ID
	Slot    int
	Expires *micros.Time
	Revoked *micros.Time
	// Networks are the allowed networks, separated by spaces.
	Networks string
}

// key creates an API key and returns the credential.
func (m *shop) key(row keyRow) string {
	m.t.Helper()
	if row.ID.IsNil() {
		row.ID = xid.New()
	}
	if row.Lineage.IsNil() {
		row.Lineage = row.ID
	}
	secret := apikey.Mint(apikey.Key)
	m.tx(func(ctx context.Context, c *db.Client) error {
		_, err := c.Credential.Create().SetID(digest.Sum(secret.Hash())).SetStoreID(m.id).SetCredentialID(row.ID).
			SetKind(string(apikey.Key)).Save(ctx)
		if err != nil {
			return err
		}
		_, err = c.APIKey.Create().SetID(row.ID).SetLineageID(row.Lineage).SetSlot(cmp.Or(row.Slot, 1)).
			SetName(cmp.Or(row.Name, "Test key")).SetHint("sfk_...test").SetScopes(row.Scopes.String()).
			SetNillableExpiresAt(row.Expires).SetNillableRevokedAt(row.Revoked).
			SetNetworks(row.Networks).Save(ctx)
		return err
	})
	return secret.Reveal()
}

// keyOf creates a key with the scopes.
func (m *shop) keyOf(scopes ...string) string { return m.key(keyRow{Scopes: scope.Of(scopes...)}) }

// stock inserts products with given ids and their times.
func (m *shop) stock(ids ...xid.ID) {
	m.t.Helper()
	for len(ids) > 0 {
		n := min(len(ids), 200)
		m.tx(func(ctx context.Context, c *db.Client) error {
			for _, id := range ids[:n] {
				_, err := c.Product.Create().SetID(id).SetTitle("Product").SetHandle("p-" + id.String()).
					SetStatus(state.ProductDraft).SetPriceMinor(100).SetCurrency("EUR").SetTags(document.NewTags(nil)).
					SetUpdatedAt(id.Time()).Save(ctx)
				if err != nil {
					return err
				}
			}
			return nil
		})
		ids = ids[n:]
	}
}

// furnish fills the shop with the rows of the golden files.
func (m *shop) furnish() {
	m.t.Helper()
	m.tx(func(ctx context.Context, c *db.Client) error {
		if err := furnishProducts(ctx, c); err != nil {
			return err
		}
		if err := furnishCustomers(ctx, c); err != nil {
			return err
		}
		if err := furnishWebhooks(ctx, c, m.id); err != nil {
			return err
		}
		if err := furnishExports(ctx, c, m.id); err != nil {
			return err
		}
		if err := furnishImports(ctx, c, m.id); err != nil {
			return err
		}
		if err := furnishThemes(ctx, c, m.id); err != nil {
			return err
		}
		if err := c.Store.Update().AddNextNumber(1000).Exec(ctx); err != nil { // past those of the orders
			return err
		}
		return furnishOrders(ctx, c)
	})
}

func furnishWebhooks(ctx context.Context, c *db.Client, store xid.ID) error {
	err := c.WebhookEndpoint.Create().SetID(fixed(1)).SetURL("https://hooks.example.com/?a=1&b=<2>").
		SetEvents("order.created order.paid").
		SetDescription("Warehouse \"1\"").SetStatus(state.EndpointSuspended).SetStoppedAt(epoch.Add(48 * time.Hour)).
		SetStoppedReason(state.StoppedByFailure).SetSecret([]byte("sealed")).SetSecretHint("9xY=").SetVersion(2).
		SetUpdatedAt(epoch.Add(48 * time.Hour)).Exec(ctx)
	if err != nil {
		return err
	}
	err = c.WebhookEndpoint.Create().SetID(fixed(2)).SetURL("https://hooks.example.com/").SetEvents("product.updated").
		SetStatus(state.EndpointActive).SetSecret([]byte("sealed")).SetSecretHint("1aB=").
		SetUpdatedAt(fixed(2).Time()).Exec(ctx)
	if err != nil {
		return err
	}
	err = c.WebhookQueue.Create().SetID(fixed(1)).SetBucket(bucket.Of(store)).SetDueAt(micros.Max).
		SetFailingSince(epoch.Add(24 * time.Hour)).
		SetLastSuccessAt(epoch.Add(23 * time.Hour)).SetLastError("500 Internal Server Error").Exec(ctx)
	if err != nil {
		return err
	}
	return c.WebhookQueue.Create().SetID(fixed(2)).SetBucket(bucket.Of(store)).SetDueAt(micros.Max).Exec(ctx)
}

func furnishProducts(ctx context.Context, c *db.Client) error {
	_, err := c.Product.Create().SetID(fixed(1)).SetTitle(`Blue "mug" & <saucer> 😀`).SetHandle("blue-mug").
		SetDescription("Stoneware,\n350 ml.").SetStatus(state.ProductActive).SetPriceMinor(1450).
		SetCompareAtPriceMinor(9007199254740991).SetCurrency("EUR").SetSku("MUG-1").SetVendor("Kiln & Co").
		SetProductType("Tableware").SetTags(document.NewTags([]string{"kitchen", "blau ß"})).
		SetInventoryQuantity(2147483647).
		SetImageURL("https://images.example.com/mug.jpg?w=1&h=2").SetPublishedAt(epoch.Add(time.Hour)).SetVersion(3).
		SetUpdatedAt(epoch.Add(time.Hour)).Save(ctx)
	if err != nil {
		return err
	}
	_, err = c.Product.Create().SetID(fixed(2)).SetTitle("Tea bowl").
		SetHandle("tea-bowl").SetStatus(state.ProductDraft).
		SetPriceMinor(0).SetCurrency("JPY").SetTags(document.NewTags(nil)).
		SetUpdatedAt(epoch.Add(2 * time.Minute)).Save(ctx)
	if err != nil {
		return err
	}
	_, err = c.Product.Create().SetID(fixed(3)).SetTitle("Old jug").
		SetHandle("old-jug").SetStatus(state.ProductArchived).
		SetPriceMinor(900).SetCurrency("EUR").SetSku("JUG-1").SetTags(document.NewTags(nil)).SetInventoryQuantity(0).
		SetUpdatedAt(epoch.Add(3 * time.Minute)).Save(ctx)
	return err
}

// home is the address of the fixture's customer.
func home() document.Address {
	return document.NewAddress(&document.AddressFields{Name: new("Ada Example"), Line1: "Ringstraße 1", City: "Wien",
		PostalCode: new("1010"), Country: "AT"})
}

func furnishCustomers(ctx context.Context, c *db.Client) error {
	_, err := c.Customer.Create().SetID(fixed(1)).SetEmail("ada@example.com").
		SetFirstName("Ada").SetLastName("Example").
		SetStatus(state.CustomerActive).SetLocale("de-AT").SetEmailMarketing(state.EmailSubscribed).
		SetDefaultAddress(home()).SetAddresses(document.NewAddresses([]document.AddressFields{
		{Line1: "Ringstraße 1", City: "Wien", Country: "AT"},
	})).
		SetTags(document.NewTags([]string{"newsletter"})).SetNote("Rings twice.").
		SetOrdersCount(1).SetTotalSpentMinor(3970).
		SetLastOrderAt(epoch).SetVersion(2).SetUpdatedAt(epoch.Add(time.Hour)).Save(ctx)
	if err != nil {
		return err
	}
	_, err = c.Customer.Create().SetID(fixed(2)).SetStatus(state.CustomerRedacted).
		SetEmailMarketing(state.EmailUnsubscribed).
		SetAddresses(document.NewAddresses(nil)).SetTags(document.NewTags(nil)).SetVersion(7).
		SetUpdatedAt(epoch.Add(2 * time.Minute)).Save(ctx)
	return err
}

func furnishOrders(ctx context.Context, c *db.Client) error {
	_, err := c.Order.Create().SetID(fixed(1)).SetNumber(1001).SetStatus(state.OrderOpen).
		SetFinancialStatus(state.FinancialPaid).SetFulfillmentStatus(state.FulfillmentUnfulfilled).SetCurrency("EUR").
		SetSubtotalMinor(2900).SetDiscountMinor(0).SetShippingMinor(490).SetTaxMinor(580).SetTotalMinor(3970).
		SetPaidMinor(3970).SetRefundedMinor(0).SetCustomerID(fixed(1)).SetEmail("ada@example.com").
		SetShippingAddress(home()).SetTags(document.NewTags([]string{"gift"})).
		SetSource("dashboard").SetPlacedAt(epoch).
		SetPaidAt(epoch.Add(time.Minute)).SetVersion(2).SetUpdatedAt(epoch.Add(2 * time.Minute)).Save(ctx)
	if err != nil {
		return err
	}
	for i, title := range []string{"Blue mug", "Saucer"} {
		_, err = c.OrderLine.Create().SetID(fixed(10 + i)).SetOrderID(fixed(1)).
			SetPosition(i + 1).SetProductID(fixed(1)).
			SetTitle(title).SetQuantity(1).SetUnitPriceMinor(1450).SetDiscountMinor(0).
			SetTaxMinor(290).SetTotalMinor(1740).Save(ctx)
		if err != nil {
			return err
		}
	}
	_, err = c.Order.Create().SetID(fixed(2)).SetNumber(1002).SetStatus(state.OrderCancelled).
		SetFinancialStatus(state.FinancialVoided).SetFulfillmentStatus(state.FulfillmentUnfulfilled).SetCurrency("EUR").
		SetSubtotalMinor(0).SetDiscountMinor(0).SetShippingMinor(0).SetTaxMinor(0).SetTotalMinor(0).SetPaidMinor(0).
		SetRefundedMinor(0).SetTags(document.NewTags(nil)).SetSource("import").SetPlacedAt(epoch).
		SetCancelledAt(epoch.Add(time.Hour)).SetVersion(2).SetUpdatedAt(epoch.Add(time.Hour)).Save(ctx)
	return err
}
