package graphtest_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// The test configuration is complete.
func TestConfig(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ring, err := keyring.Parse(strings.Repeat("k", keyring.MinSecret))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := graph.New(graphtest.Config(t, s, ring)); err != nil {
			t.Error(err)
		}
	})
}
