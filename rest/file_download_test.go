package rest_test

import (
	"context"
	"encoding/base64"
	"html"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
)

// fileLink is a link to a file, and fileNote says how many downloads are left.
var (
	fileLink = regexp.MustCompile(`/orders/files/[^"]+`)
	fileNote = regexp.MustCompile(`Downloads left: (\d+)`)
)

// TestFileDownload: the buyer of a file gets a link to it once the order is paid, which counts, and
// loses it with the money.
func TestFileDownload(t *testing.T) {
	storetest.Each(t, func(t *testing.T, store *ent.Store) {
		var core *graph.Resolver
		s := newServer(t, store, underTest(t, store), func(c *rest.Config) { core, c.Links = c.Core, c.Core.Links })
		m := newShop(t, store, shopRow{Handle: "first"})
		song := selling(t, m, "en", 5)
		m.tx(func(ctx context.Context, c *db.Client) error {
			return c.Product.Update().SetRequiresShipping(false).Exec(ctx)
		})
		r := core.Mutation()
		put := func(name, text string) {
			t.Helper()
			graphtest.Must[*model.ProductFilesPayload](t)(r.ProductFileSet(m.ctx, model.ProductFileInput{
				ProductID: xid.Product.Format(song), VariantID: xid.Variant.Format(song), Filename: name,
				Content: base64.StdEncoding.EncodeToString([]byte(text))}))
		}
		put(`C:\songs/../Gruß "1".html`, "<script>alert(1)</script>")
		b := &shopper{t: t, s: s, host: "first.shops.test:8080"}
		b.ask(http.MethodPost, "/cart/add", adding(song, "1"))
		b.get("/checkout").fill("/checkout/details", "email", "ada@example.com")
		b.fill("/checkout/delivery").fill("/checkout/place").want(http.StatusOK, "/orders/")
		page := b.path
		linked := func() string { return html.UnescapeString(fileLink.FindString(b.get(page).body)) }
		if at := linked(); at != "" {
			t.Fatalf("an unpaid order links to %s", at)
		}
		all := graphtest.Must[[]*db.Order](t)(store.DB(m.ctx).Order.Query().All(m.ctx))
		o := graphtest.Must[*model.Order](t)(core.Query().Order(m.ctx, all[0].PublicID()))
		o = graphtest.Must[*model.OrderPayload](t)(r.OrderMarkPaid(m.ctx, o.PublicID(), o.Version, nil, nil)).Order
		first := linked()
		b.ask(http.MethodHead, first, "").want(http.StatusOK, first[:strings.IndexByte(first, '?')])
		b.get(first)
		for name, want := range map[string]string{"Content-Type": "application/octet-stream", "Accept-Ranges": "bytes",
			"Content-Disposition":    `attachment; filename*=utf-8''Gru%C3%9F%20%221%22.html`,
			"X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store",
			"Content-Security-Policy": "default-src 'none'; sandbox", "Referrer-Policy": "no-referrer"} {
			if got := b.header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if b.status != http.StatusOK || b.body != "<script>alert(1)</script>" {
			t.Fatalf("%d: %s", b.status, b.body)
		}
		left := func(want string) {
			t.Helper()
			if got := fileNote.FindStringSubmatch(b.get(page).body); got == nil || got[1] != want {
				t.Errorf("left %v, want %s", got, want)
			}
		}
		left("4")
		b.ask(http.MethodGet, first, "", "Range", "bytes=8-13")
		if b.status != http.StatusPartialContent || b.body != "alert(" {
			t.Errorf("a range: %d, %s", b.status, b.body)
		}
		left("4") // it continues a download
		put("new.txt", "the present one")
		if b.get(first); b.body != "the present one" {
			t.Errorf("after it was replaced: %s", b.body)
		}
		left("3")
		m.tx(func(ctx context.Context, c *db.Client) error {
			return c.Download.Update().SetUsed(4).SetLastAt(1).Exec(ctx)
		})
		var last [2]int
		var wg sync.WaitGroup
		for i := range last {
			wg.Go(func() {
				last[i] = (&shopper{t: t, s: s, host: b.host}).get(first).status
			})
		}
		if wg.Wait(); last[0]+last[1] != http.StatusOK+http.StatusForbidden {
			t.Errorf("two at once: %v", last)
		}
		left("0")
		if b.get(first); b.status != http.StatusForbidden || linked() != "" {
			t.Errorf("beyond the limit: %d, %s", b.status, b.body)
		}
		graphtest.Must[*model.OrderDownloadsPayload](t)(r.OrderDownloadsReset(m.ctx, o.PublicID()))
		for i, wrong := range []string{strings.Replace(first, "expires=1", "expires=2", 1), first + "x",
			strings.Replace(first, "order=", "order=x", 1), first[:strings.IndexByte(first, '?')]} {
			if b.get(wrong); b.status != http.StatusNotFound {
				t.Errorf("%d. %s: %d", i, wrong, b.status)
			}
		}
		newShop(t, store, shopRow{Handle: "second"})
		other := &shopper{t: t, s: s, host: "second.shops.test:8080"}
		if other.get(first); other.status != http.StatusNotFound {
			t.Errorf("at another store: %d", other.status)
		}
		line := strings.TrimPrefix(first[:strings.IndexByte(first, '?')], link.FileRoot)
		old := core.Links.Sign(link.FileRoot+line, 1, "store", xid.Store.Format(m.id), "order", o.PublicID())
		if b.get(old); b.status != http.StatusGone || !strings.Contains(b.body, "expired") {
			t.Errorf("an old link: %d, %s", b.status, b.body)
		}
		left("5")
		for name, edit := range map[string]struct{ spoil, repair func(u *db.OrderUpdate) }{
			"canceled": {func(u *db.OrderUpdate) { u.SetStatus(state.OrderCancelled) },
				func(u *db.OrderUpdate) { u.SetStatus(state.OrderOpen) }},
			"redacted": {func(u *db.OrderUpdate) { u.ClearEmail() },
				func(u *db.OrderUpdate) { u.SetEmail("ada@example.com") }},
			"unpaid": {func(u *db.OrderUpdate) { u.SetPaidMinor(0) },
				func(u *db.OrderUpdate) { u.SetPaidMinor(o.TotalMinor) }},
		} {
			set := func(edit func(*db.OrderUpdate)) {
				m.tx(func(ctx context.Context, c *db.Client) error {
					u := c.Order.Update()
					edit(u)
					return u.Exec(ctx)
				})
			}
			set(edit.spoil)
			if b.get(first); b.status != http.StatusNotFound || linked() != "" {
				t.Errorf("%s: %d", name, b.status)
			}
			set(edit.repair)
		}
		left("5")
		graphtest.Must[*model.OrderPayload](t)(r.OrderRefund(m.ctx, o.PublicID(), o.Version,
			model.RefundInput{AmountMinor: o.TotalMinor}))
		if b.get(first); b.status != http.StatusNotFound || linked() != "" {
			t.Errorf("after the refund: %d", b.status)
		}
		m.tx(func(ctx context.Context, c *db.Client) error {
			if err := c.Order.Update().SetFinancialStatus(state.FinancialPaid).Exec(ctx); err != nil {
				return err
			}
			return c.Store.Update().SetStatus(state.StoreClosed).Exec(ctx)
		})
		b.s = newServer(t, store, underTest(t, store), func(c *rest.Config) { c.Links = core.Links })
		if b.get(first); b.status != http.StatusNotFound || linked() != "" {
			t.Errorf("of a closed store: %d", b.status)
		}
	})
}
