package graphtest

import (
	"crypto/x509"
	"net/http/httptest"
	"testing"

	"github.com/storefront-go/storefront/ent"
	pic "github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// NewImageKeeper returns an image keeper that may fetch from a TLS server on this machine.
func NewImageKeeper(t testing.TB, s *ent.Store, blobs *blob.Store, host *httptest.Server) *pic.Keeper {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(host.Certificate())
	k, err := pic.New(pic.Config{Store: s, Blobs: blobs, Egress: egress.Policy{AllowLoopback: true}, RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	return k
}
