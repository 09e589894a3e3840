package baseline

import (
	"context"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/apikey"
	"github.com/storefront-go/storefront/graph/idem"
	"github.com/storefront-go/storefront/graph/keyring"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/page"
)

func TestCapture(t *testing.T) {
	for _, db := range []string{storetest.SQLite(t), storetest.MySQL(t)} {
		var on bool
		s, err := ent.Open(t.Context(), ent.Config{Database: db, Inspect: func(st ent.Statement) error {
			if on {
				t.Logf("%d %s", st.Args, st.Query)
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		_, store := storetest.Merchant(t, s)
		ring, _ := keyring.Parse("0123456789012345678901234567890123456789")
		g, err := graph.New(graph.Config{Store: s, Keys: apikey.NewKeeper(s), Pages: page.New(ring), HostOf: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		ctx := viewer.Operator(t.Context(), store.ID)
		on = true
		k := idem.New(s, ring)
		for range 2 {
			_, _, err = k.Run(ctx, idem.Claim{Key: "a"}, func(ctx context.Context) (idem.Answer, error) {
				_, err := g.Mutation().ProductCreate(viewer.WithRequest(ctx, "req_1"), model.ProductCreateInput{Title: "A", PriceMinor: 3, Currency: "EUR"})
				return idem.Answer{Status: 201, Body: []byte("x")}, err
			})
			if err != nil {
				t.Log(err)
			}
		}
		c, err := g.Query().Products(ctx, new(1), nil, nil)
		if err != nil {
			t.Log(err)
		} else {
			g.Query().Products(ctx, new(1), new(c.Sign(c.Nodes[0])), nil)
		}
		g.Query().Product(ctx, "prod_01h455vb4pex5vsknk084sn02q")
	}
}
