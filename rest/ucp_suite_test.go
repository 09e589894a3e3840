package rest_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
)

// The suite of the protocol and a Python that has its packages.
var (
	suiteFolder = flag.String("ucp", "", "folder of the conformance suite of the protocol")
	suitePython = flag.String("python", "python3", "Python with the packages of the suite")
)

// refusedBySuite are the tests of the official suite that a shop does not pass, with the reason. The
// guide shop-api has them in words.
var refusedBySuite = func() map[string]string {
	const (
		addresses = "no look-up of addresses by email"
		merchant  = "only the merchant changes orders"
		hooks     = "no simulation of shipping"
		webhooks  = "no webhooks to programs"
	)
	return map[string]string{
		"BusinessLogicTest.test_multiple_discounts_accepted":               "one code per order",
		"CardCredentialTest.test_card_credential_payment":                  "no card numbers",
		"FulfillmentTest.test_free_shipping_for_specific_item":             "free shipping depends on the value alone",
		"FulfillmentTest.test_known_customer_multiple_addresses_selection": addresses,
		"FulfillmentTest.test_known_customer_one_address":                  addresses,
		"FulfillmentTest.test_known_user_existing_address_reuse":           addresses,
		"FulfillmentTest.test_new_user_new_address_persistence":            addresses,
		"InvalidInputTest.test_invalid_adjustment_status":                  merchant,
		"InvalidInputTest.test_malformed_adjustment_payload":               merchant,
		"OrderTest.test_order_adjustments":                                 merchant,
		"OrderTest.test_order_update":                                      merchant,
		"ProtocolTest.test_discovery":                                      "no handlers of other companies",
		"ProtocolTest.test_discovery_urls":                                 "needs the network",
		"SecurityTest.test_simulation_endpoint_correct_secret":             hooks,
		"SecurityTest.test_simulation_endpoint_incorrect_secret":           hooks,
		"SecurityTest.test_simulation_endpoint_missing_header":             hooks,
		"WebhookTest.test_webhook_event_stream":                            webhooks,
		"WebhookTest.test_webhook_order_address_known_customer":            webhooks,
		"WebhookTest.test_webhook_order_address_new_address":               webhooks,
	}
}()

// TestOfficialSuite runs the conformance suite of the protocol, whose folder .ci/ucp fetches, against a
// test store with the data of the suite.
func TestOfficialSuite(t *testing.T) {
	folder := *suiteFolder
	if folder == "" {
		return // .ci/ucp fetches it
	}
	server := florist(t, storetest.Open(t))
	files, err := filepath.Glob(filepath.Join(folder, "*_test.py"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", folder, err)
	}
	outcome := regexp.MustCompile(`(?m)^\[ +(OK|FAILED) +\] (\w+\.\w+)`)
	results := map[string]string{}
	for _, file := range files {
		run := exec.CommandContext(t.Context(), *suitePython, filepath.Base(file),
			"--server_url="+server, "--simulation_secret=none",
			"--conformance_input=test_data/flower_shop/conformance_input.json")
		run.Dir = folder
		out, _ := run.CombinedOutput() // the exit status follows from the lines
		for _, m := range outcome.FindAllStringSubmatch(string(out), -1) {
			results[m[2]] = m[1]
			if m[1] == "FAILED" && refusedBySuite[m[2]] == "" {
				t.Errorf("%s fails:\n%s", m[2], out)
			}
		}
	}
	passed := 0
	for _, name := range slices.Sorted(maps.Keys(results)) {
		if results[name] == "OK" {
			passed++
		}
		fmt.Printf("%-6s %s %s\n", results[name], name, refusedBySuite[name])
	}
	fmt.Printf("passed %d of %d\n", passed, len(results))
}

// florist serves a test store with the data of the suite, and returns its address.
func florist(t *testing.T, store *ent.Store) string {
	t.Helper()
	ring := graphtest.Must[*keyring.Ring](t)(keyring.Parse(strings.Repeat("hosts of stores ", 3)))
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := strings.Replace(listener.Addr().String(), "127.0.0.1", "localhost", 1)
	c := graphtest.Config(t, store, ring)
	c.APIHost, c.HostOf = "http://api.test", func(string) string { return host }
	core := graphtest.Must[*graph.Resolver](t)(graph.New(c))
	h := graphtest.Must[http.Handler](t)(rest.New(rest.Config{Core: core, Keys: c.Keys, Idem: idem.New(store, ring),
		APIHost: c.APIHost, Links: c.Links, IsAPI: func(string) bool { return false },
		HandleOf: func(string) (string, bool) { return "florist", true }}))
	m := newShop(t, store, shopRow{Handle: "florist", Test: true})
	m.bloom()
	s := &httptest.Server{Listener: listener, Config: &http.Server{Handler: h}}
	s.Start()
	t.Cleanup(s.Close)
	return "http://" + host
}

// bloom fills a shop with the data of the suite.
func (m *shop) bloom() {
	m.t.Helper()
	m.tx(func(ctx context.Context, c *db.Client) error {
		if err := c.Store.Update().SetCurrency("USD").SetLanguage(state.English).Exec(ctx); err != nil {
			return err
		}
		for i, p := range []struct {
			Ref          string
			Price, Stock int64
		}{{"bouquet_roses", 3500, 1000}, {"pot_ceramic", 1500, 2000}, {"bouquet_sunflowers", 2500, 500},
			{"bouquet_tulips", 3000, 1500}, {"orchid_white", 4500, 800}, {"gardenias", 2000, 0}} {
			id := fixed(i)
			err := c.Product.Create().SetID(id).SetTitle(p.Ref).SetHandle(strings.ReplaceAll(p.Ref, "_", "-")).
				SetExternalReference(p.Ref).SetStatus(state.ProductActive).SetPriceMinor(p.Price).SetCurrency("USD").
				SetTags(document.NewTags(nil)).SetInventoryQuantity(p.Stock).SetUpdatedAt(id.Time()).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	r := graphtest.NewCore(m.t, m.store).Mutation()
	m.zone("US", document.ShippingRate{ID: "exp-ship-us", Name: "Express Shipping (US)", PriceMinor: 1500})
	m.zone("*", document.ShippingRate{ID: "exp-ship-intl", Name: "International Express", PriceMinor: 2500})
	for _, d := range []model.DiscountInput{{Code: "10OFF", Kind: state.DiscountPercent, BasisPoints: new(int64(1000))},
		{Code: "WELCOME20", Kind: state.DiscountPercent, BasisPoints: new(int64(2000))},
		{Code: "FIXED500", Kind: state.DiscountAmount, AmountMinor: new(int64(500))}} {
		d.Active = true
		graphtest.Must[*model.DiscountPayload](m.t)(r.DiscountCreate(m.ctx, d))
	}
	graphtest.Must[*model.PaymentSettingsPayload](m.t)(r.PaymentSettingsUpdate(m.ctx, 0, model.PaymentSettingsInput{
		Methods: []*model.PaymentMethodInput{{Kind: state.PaymentTest, Name: "Test", Active: true}}}))
}

// zone creates a shipping zone with a rate beside the standard one. The suite expects its own ids of rates.
func (m *shop) zone(country string, express document.ShippingRate) {
	m.t.Helper()
	id := xid.New()
	express.Kind = state.ShippingDelivery
	rates := document.NewShippingRates([]document.ShippingRate{{ID: "std-ship", Name: "Standard Shipping",
		Kind: state.ShippingDelivery, PriceMinor: 500, FreeFromMinor: new(int64(10000))}, express})
	m.tx(func(ctx context.Context, c *db.Client) error {
		if err := c.ShippingCountry.Create().SetCountry(country).SetZoneID(id).Exec(ctx); err != nil {
			return err
		}
		return c.ShippingZone.Create().SetID(id).SetName(country).SetRates(rates).SetUpdatedAt(epoch).Exec(ctx)
	})
}
