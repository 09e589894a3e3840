// Package graphtest sets up all operations, with fixtures, for the tests of other packages.
package graphtest

import (
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/domain"
	"github.com/storefront-go/storefront/graph/engine/export"
	"github.com/storefront-go/storefront/graph/engine/factor"
	pic "github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/theme/sample"
)

// API is {api_host} in tests.
const API = "https://api.test"

// noServer is an address on which no server listens. Tests of payments start their own.
const noServer = "http://127.0.0.1:1"

// Config returns a complete configuration over s, with blobs in a temporary folder and engines that
// are not running. Every store reviews the marketplace.
func Config(t testing.TB, s *ent.Store, ring *keyring.Ring) graph.Config {
	t.Helper()
	return config(t, s, ring, nil)
}

func config(t testing.TB, s *ent.Store, ring *keyring.Ring, samples []sample.Sample) graph.Config {
	t.Helper()
	blobs := Must[*blob.Store](t)(blob.Open(t.Context(), "", t.TempDir()))
	t.Cleanup(func() {
		if err := blobs.Close(); err != nil {
			t.Error(err)
		}
	})
	hooks := Must[*webhook.Engine](t)(webhook.New(webhook.Config{Store: s, Vault: webhook.NewVault(ring)}))
	exports := Must[*export.Engine](t)(export.New(export.Config{Store: s, Blobs: blobs,
		StoreOrigin: func(handle string) string { return core.OriginOf(API, hostOf(handle)) }}))
	themes := Must[*install.Keeper](t)(install.New(install.Config{Store: s, Blobs: blobs, Samples: samples}))
	pictures := Must[*pic.Keeper](t)(pic.New(pic.Config{Store: s, Blobs: blobs}))
	factors := Must[*factor.Keeper](t)(factor.New(factor.Config{Store: s, Ring: ring, APIHost: API}))
	domains := Must[*domain.Engine](t)(domain.New(domain.Config{Store: s, Ring: ring, HostOf: hostOf,
		Reserved: []string{"localhost"}, ServiceMail: "notices@service.example"}))
	return graph.Config{
		Config: core.Config{Store: s, Pages: page.New(ring), APIHost: API, HostOf: hostOf},
		Engines: graph.Engines{Keys: apikey.NewKeeper(s), Factors: factors, Links: link.New(ring), Webhooks: hooks,
			Exports: exports, Themes: themes, Images: pictures, Domains: domains,
			Payments: payment.NewDesk(ring, payment.NewStripe(noServer))},
		Reviewer: func(*db.Store) bool { return true }, TestPayments: true,
	}
}

func hostOf(handle string) string { return handle + ".localhost" }
