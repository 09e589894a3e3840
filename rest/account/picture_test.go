package account_test

import (
	"context"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
	"github.com/storefront-go/storefront/rest/account"
)

// Only members of a store see the external images of its products, drafts included, and can make
// the service fetch them.
func TestPictureOfPerson(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		asked := 0
		host := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 2, 1)))
		}))
		t.Cleanup(host.Close)
		blobs, err := blob.Open(t.Context(), "", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { blobs.Close() })
		w := serve(t, s, "http://127.0.0.1:8080", func(_ *account.Config, c *rest.Config) {
			c.Core.Images, c.Blobs = graphtest.NewImageKeeper(t, s, blobs, host), blobs
			c.Core.Use(c.Core.Engines)
		})
		shop, other := w.shop("ada@example.com"), w.shop("bob@example.com")
		ids := []string{}
		for _, address := range []*string{new(host.URL + "/a.png"), nil} {
			w.in(shop, func(ctx context.Context) error {
				p, err := w.core.Mutation().ProductCreate(ctx,
					model.ProductCreateInput{Title: "Mug", PriceMinor: 1, Currency: "EUR", ImageURL: address})
				if err == nil {
					ids = append(ids, p.Product.PublicID())
				}
				return err
			})
		}
		w.join(shop, "support@example.com", viewer.Support)
		mug, bare := ids[0], ids[1]
		for _, tc := range []struct {
			who, store, product string
			status              int
		}{
			{who: "", store: shop.PublicID(), product: mug, status: 401},
			{who: "bob", store: shop.PublicID(), product: mug, status: 404},
			{who: "bob", store: other.PublicID(), product: mug, status: 404},
			{who: "ada", store: shop.PublicID(), product: bare, status: 404},
			{who: "ada", store: shop.PublicID(), product: "prod_x", status: 404},
			{who: "ada", store: shop.PublicID(), product: mug, status: 200},
			{who: "support", store: shop.Handle, product: mug, status: 200},
		} {
			cookie := ""
			if tc.who != "" {
				cookie = w.signIn(tc.who + "@example.com")
			}
			a := w.send(http.MethodGet, "/dashboard/pictures/"+tc.store+"/"+tc.product+"?v=1", "", "Cookie", cookie)
			if a.status != tc.status || (asked > 0) != (tc.status == http.StatusOK) {
				t.Errorf("%+v: %d, asked %d times\n%.200s", tc, a.status, asked, a.body)
			}
			for name, want := range map[string]string{
				"Content-Type": "image/png", "Cache-Control": "private, max-age=86400",
				"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
				"Content-Security-Policy": "default-src 'none'; sandbox",
			} {
				if got := a.header.Get(name); a.status == 200 && got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		}
		if asked != 1 {
			t.Errorf("fetched %d times", asked)
		}
		ada := w.signIn("ada@example.com")
		if a := w.post("/dashboard/pictures/"+shop.Handle+"/"+mug, nil, "Cookie", ada); a.status != 405 {
			t.Errorf("a post: %d", a.status)
		}
	})
}

// Only members of a store see its uploaded images, drafts included.
func TestImageOfPerson(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := serve(t, s, "http://127.0.0.1:8080", func(_ *account.Config, c *rest.Config) {
			c.Blobs = c.Core.Images.Blobs
		})
		shop := w.shop("ada@example.com")
		w.shop("bob@example.com")
		var img *db.ProductImage
		w.in(shop, func(ctx context.Context) error {
			p := graphtest.NewProduct(t, ctx, w.core, graphtest.Mug())
			img = graphtest.NewImage(t, ctx, w.core, p, 400, 300).Image
			return nil
		})
		small, own := images.File(img, 320), images.File(img, 400)
		for _, tc := range []struct {
			who, file string
			status    int
		}{
			{who: "", file: small, status: 401}, {who: "bob", file: small, status: 404},
			{who: "ada", file: small, status: 200}, {who: "ada", file: own, status: 200},
			{who: "ada", file: "x.png", status: 404},
		} {
			cookie := ""
			if tc.who != "" {
				cookie = w.signIn(tc.who + "@example.com")
			}
			path := "/dashboard/pictures/" + shop.PublicID() + "/" + img.PublicID() + "/" + tc.file
			a := w.send(http.MethodGet, path, "", "Cookie", cookie)
			if a.status != tc.status {
				t.Errorf("%+v: %d\n%.200s", tc, a.status, a.body)
			}
			for name, want := range map[string]string{
				"Content-Type": "image/png", "Cache-Control": "private, max-age=31536000, immutable",
				"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
				"Content-Security-Policy": "default-src 'none'; sandbox",
			} {
				if got := a.header.Get(name); a.status == 200 && got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		}
	})
}

// Only people who may read the orders of a store see the files of its returns.
func TestReturnFileOfPerson(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := serve(t, s, "http://127.0.0.1:8080", func(_ *account.Config, c *rest.Config) {
			c.Blobs = c.Core.Images.Blobs
		})
		shop, other := w.shop("ada@example.com"), w.shop("bob@example.com")
		w.join(shop, "support@example.com", viewer.Support)
		w.join(shop, "developer@example.com", viewer.Developer)
		var row *model.Return
		w.in(shop, func(ctx context.Context) error {
			m, o := w.core.Mutation(), graphtest.NewOrder(t, ctx, w.core, graphtest.CustomLine("Mug", 1, 1000))
			p, err := m.OrderReturnCreate(ctx, o.PublicID(), model.ReturnInput{Lines: []*model.ReturnLineInput{
				{LineItemID: o.Lines[0].PublicID(), Quantity: 1, Reason: state.ReasonNone}}})
			if err != nil {
				return err
			}
			row = p.Return
			_, err = m.OrderReturnApprove(ctx, row.PublicID(), row.Version,
				model.ReturnApproveInput{Label: new("JVBERi0xLjcK")}) // %PDF-1.7
			return err
		})
		for _, tc := range []struct {
			who, store, file string
			status           int
		}{
			{who: "", store: shop.PublicID(), file: "0", status: 401},
			{who: "bob", store: shop.PublicID(), file: "0", status: 404},
			{who: "bob", store: other.PublicID(), file: "0", status: 404},
			{who: "developer", store: shop.PublicID(), file: "0", status: 403},
			{who: "ada", store: shop.PublicID(), file: "1", status: 404},
			{who: "ada", store: shop.PublicID(), file: "0", status: 200},
			{who: "support", store: shop.PublicID(), file: "0", status: 200},
		} {
			cookie := ""
			if tc.who != "" {
				cookie = w.signIn(tc.who + "@example.com")
			}
			path := "/dashboard/returns/" + tc.store + "/" + row.PublicID() + "/" + tc.file
			a := w.send(http.MethodGet, path, "", "Cookie", cookie)
			if a.status != tc.status || a.status == 200 && (a.body != "%PDF-1.7\n" ||
				a.header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" ||
				!strings.HasPrefix(a.header.Get("Cache-Control"), "private")) {
				t.Errorf("%+v: %d %v\n%.200s", tc, a.status, a.header, a.body)
			}
		}
	})
}
