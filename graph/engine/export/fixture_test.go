package export

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// bench is a database, a blob store and one stopped engine.
type bench struct {
	t     testing.TB
	store *ent.Store
	blobs *blob.Store
	*Engine
}

func newBench(t testing.TB, s *ent.Store) *bench {
	t.Helper()
	blobs, err := blob.Open(t.Context(), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	b := &bench{t: t, store: s, blobs: blobs}
	b.Engine = b.engine()
	return b
}

// engine returns an engine as another process has it, with short parts.
func (b *bench) engine() *Engine {
	b.t.Helper()
	e, err := New(Config{Store: b.store, Blobs: b.blobs, Poll: 5 * time.Millisecond,
		StoreOrigin: func(handle string) string { return "https://" + handle + ".test" }})
	if err != nil {
		b.t.Fatal(err)
	}
	e.partSize = 40_000
	return e
}

// start runs an engine until the end of the test.
func (b *bench) start(e *Engine) {
	e.Start(b.t.Context())
	b.t.Cleanup(func() { e.Stop(context.Background()) })
}

// shop creates an open store and returns a context of its operator.
func (b *bench) shop() context.Context {
	b.t.Helper()
	id := xid.New()
	ctx := viewer.Operator(b.t.Context(), id)
	b.must(b.store.InTx(ctx, func(ctx context.Context) error {
		return b.store.DB(ctx).Store.Create().SetID(id).SetHandle("shop-" + id.String()).SetName("Shop").
			SetCurrency("EUR").SetTimezone("UTC").SetUpdatedAt(id.Time()).Exec(ctx)
	}))
	return ctx
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// texts are texts that are difficult for file formats.
var texts = []string{"Enamel mug", "=1+1", "+49 30 1", "-5", "@home", "a,b", `say "hi"`, "two\nlines", "'=1", "''-x",
	"'n Sync", "tab\there", "Ünïcødé ☕", " space ", "\ttab first", "1e5", "=HYPERLINK(\"x\",\"y\")"}

// orders creates n orders at different times up to now, the i-th with i%4 lines.
func (b *bench) orders(ctx context.Context, n int) {
	b.t.Helper()
	c, now := b.store.DB, micros.Now()
	for from := 0; from < n; from += 200 {
		b.must(b.store.InTx(ctx, func(ctx context.Context) error {
			var orders []*db.OrderCreate
			var lines []*db.OrderLineCreate
			for i := from; i < min(from+200, n); i++ {
				id := xid.At(now - micros.Time(n-i)*1000)
				o := c(ctx).Order.Create().SetID(id).SetNumber(int64(1001 + i)).
					SetStatus([]state.OrderStatus{state.OrderOpen, state.OrderCompleted}[i%2]).
					SetFinancialStatus(state.FinancialPending).SetFulfillmentStatus(state.FulfillmentUnfulfilled).
					SetCurrency("EUR").SetSubtotalMinor(int64(i)).SetDiscountMinor(0).SetShippingMinor(0).
					SetTaxMinor(0).SetTotalMinor(int64(i)).SetPaidMinor(0).SetRefundedMinor(0).
					SetTags(document.NewTags([]string{"a", texts[i%len(texts)]}[:i%3])).SetSource(texts[i%len(texts)]).
					SetPlacedAt(id.Time()).SetUpdatedAt(id.Time())
				if i%5 == 0 {
					o.SetEmail("=a@b.example").SetCustomerID(xid.New())
					o.SetShippingAddress(document.NewAddress(&document.AddressFields{Name: &texts[i%len(texts)],
						Line1: texts[(i+1)%len(texts)], City: `"`, Country: "DE"}))
				}
				orders = append(orders, o)
				for p := range i % 4 {
					lines = append(lines,
						c(ctx).OrderLine.Create().SetOrderID(id).SetPosition(p).SetTitle(texts[(i+p)%len(texts)]).
							SetQuantity(int64(p+1)).SetUnitPriceMinor(100).SetDiscountMinor(0).SetTaxMinor(0).
							SetTotalMinor(int64(100*(p+1))))
				}
			}
			if err := c(ctx).Order.CreateBulk(orders...).Exec(ctx); err != nil || len(lines) == 0 {
				return err
			}
			return c(ctx).OrderLine.CreateBulk(lines...).Exec(ctx)
		}))
	}
}

func (b *bench) products(ctx context.Context, n int) {
	b.t.Helper()
	b.must(b.store.InTx(ctx, func(ctx context.Context) error {
		rows := make([]*db.ProductCreate, n)
		for i := range rows {
			text := texts[i%len(texts)]
			rows[i] = b.store.DB(ctx).Product.Create().SetTitle(text).SetHandle(fmt.Sprintf("p-%d", i)).
				SetStatus([]state.ProductStatus{state.ProductDraft, state.ProductActive}[i%2]).
				SetPriceMinor(rand.Int64N(1e6)).SetCurrency("EUR").SetTags(document.NewTags(nil)).
				SetUpdatedAt(micros.Now())
			if i%3 > 0 {
				rows[i].SetDescription(text + "\r\n" + text).SetSku(text)
			}
		}
		return b.store.DB(ctx).Product.CreateBulk(rows...).Exec(ctx)
	}))
}

// image gives the first product an image.
func (b *bench) image(ctx context.Context) {
	b.t.Helper()
	b.must(b.store.InTx(ctx, func(ctx context.Context) error {
		c := b.store.DB(ctx)
		rows, err := c.Product.Query().Order(db.Asc("id")).Limit(1).All(ctx)
		if err != nil {
			return err
		}
		err = c.ProductImage.Create().SetProductID(rows[0].ID).SetPosition(1).SetObjectID(xid.New()).
			SetContentType("image/png").SetWidth(40).SetHeight(30).SetSizeBytes(9).Exec(ctx)
		if err != nil {
			return err
		}
		return c.Product.Update().Where(product.ID(rows[0].ID)).SetImagesCount(1).Exec(ctx)
	}))
}

// variants gives the first n products two sizes.
func (b *bench) variants(ctx context.Context, n int) {
	b.t.Helper()
	b.must(b.store.InTx(ctx, func(ctx context.Context) error {
		c := b.store.DB(ctx)
		rows, err := c.Product.Query().Order(db.Asc("id")).Limit(n).All(ctx)
		if err != nil {
			return err
		}
		for _, p := range rows {
			options := document.NewOptions([]document.Option{{Name: "Size", Values: []string{"S", "=M"}}})
			if err := c.Product.Update().Where(product.ID(p.ID)).SetOptions(options).Exec(ctx); err != nil {
				return err
			}
			for i, text := range []string{"S", "=M"} {
				one := document.NewTags([]string{text})
				err := c.Variant.Create().SetProductID(p.ID).SetPosition(2 - i).SetOptions(one).SetTitle(text).
					SetCombination(variants.Combination(one)).SetPriceMinor(int64(i)).Exec(ctx)
				if err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

func (b *bench) customers(ctx context.Context, n int) {
	b.t.Helper()
	b.must(b.store.InTx(ctx, func(ctx context.Context) error {
		rows := make([]*db.CustomerCreate, n)
		for i := range rows {
			text := texts[i%len(texts)]
			a := document.AddressFields{Name: &text, Line1: text, City: "Köln", Country: "DE", Phone: new("+49 1")}
			rows[i] = b.store.DB(ctx).Customer.Create().SetEmail(fmt.Sprintf("c%d@example.com", i)).SetFirstName(text).
				SetStatus(state.CustomerActive).SetEmailMarketing(state.EmailSubscribed).
				SetAddresses(document.NewAddresses([]document.AddressFields{a})).
				SetDefaultAddress(document.NewAddress(&a)).SetTags(document.NewTags(nil)).SetUpdatedAt(micros.Now())
		}
		return b.store.DB(ctx).Customer.CreateBulk(rows...).Exec(ctx)
	}))
}

// ask creates a job.
func (b *bench) ask(
	ctx context.Context, kind state.ExportKind, format state.ExportFormat, zip state.ExportCompression,
	edit ...func(*db.ExportCreate),
) xid.ID {
	b.t.Helper()
	id := xid.New()
	b.must(b.store.InTx(ctx, func(ctx context.Context) error {
		row := b.store.DB(ctx).Export.Create().SetID(id).SetBucket(bucket.Of(viewer.From(ctx).Store)).SetKind(kind).
			SetFormat(format).SetCompression(zip).SetStatus(state.ExportQueued).SetRequesterType(viewer.System).
			SetRequesterID(xid.Nil).SetRequesterName("operator").SetDueAt(id.Time()).SetUpdatedAt(id.Time())
		for _, f := range edit {
			f(row)
		}
		return row.Exec(ctx)
	}))
	return id
}

// row reads a job.
func (b *bench) row(ctx context.Context, id xid.ID) *db.Export {
	b.t.Helper()
	row, err := b.store.DB(ctx).Export.Query().Where(dbexport.ID(id)).Only(ctx)
	b.must(err)
	return row
}

// edit changes a job without the engine.
func (b *bench) edit(ctx context.Context, id xid.ID, f func(*db.ExportUpdate)) {
	b.t.Helper()
	b.must(b.store.InTx(ctx, func(ctx context.Context) error {
		u := b.store.DB(ctx).Export.Update().Where(dbexport.ID(id))
		f(u)
		_, err := u.Save(ctx)
		return err
	}))
}

// wait polls until the job has one of the states.
func (b *bench) wait(ctx context.Context, id xid.ID, states ...state.ExportStatus) *db.Export {
	b.t.Helper()
	for ctx.Err() == nil {
		row := b.row(ctx, id)
		if slices.Contains(states, row.Status) {
			return row
		}
		pause(ctx)
	}
	b.t.Fatal("the job has not come to an end")
	return nil
}

// pause lets others work.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(2 * time.Millisecond):
	}
}

// file reads the whole file of a job.
func (b *bench) file(ctx context.Context, id xid.ID) []byte {
	b.t.Helper()
	f, err := b.Open(ctx, viewer.From(ctx).Store, id)
	b.must(err)
	defer f.Close()
	all, err := io.ReadAll(f)
	b.must(err)
	if int64(len(all)) != f.Size {
		b.t.Fatalf("the file has %d bytes, not %d", len(all), f.Size)
	}
	return all
}

// each runs f on every engine.
func each(t *testing.T, f func(t *testing.T, b *bench)) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) { f(t, newBench(t, s)) })
}
