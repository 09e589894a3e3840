package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/pricechange"
	"github.com/storefront-go/storefront/ent/db/scheduledprice"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// maxPast bounds the rows of the history that one change of a product reads, the newest first.
const maxPast = 50 * limit.Variants

// repricing follows the prices of a product through an edit, whatever it changes.
type repricing struct {
	Mutation
	now    micros.Time
	stored []*db.Variant // the rows before the edit
	before []priced      // in their order
	next   micros.Time   // when the price was to change next
}

// priced is a variant before an edit.
type priced struct {
	id    xid.ID
	terms variants.Terms
	price variants.Price
}

// reprice begins before the edit.
func (m Mutation) reprice(e *productEdit) *repricing {
	p := e.Row
	r := &repricing{Mutation: m, now: e.Now, stored: p.Variants, next: variants.NextPrice(p, 0)}
	for _, v := range variants.Of(p) {
		r.before = append(r.before, priced{v.ID, variants.TermsOf(p, v), variants.PriceAt(v, e.Now)})
	}
	return r
}

// finish sets the prices of the edited product and of its variants. After the product it writes the
// variants, the history and the schedule.
func (r *repricing) finish(ctx context.Context, e *productEdit) error {
	p := e.Row
	ended := r.ended(p)
	if ent.Writes(ctx, ent.SalePrices) {
		if err := r.setPrices(ctx, e, ended); err != nil {
			return err
		}
	}
	before := e.Then
	e.Then = func(ctx context.Context) error {
		if before != nil {
			if err := before(ctx); err != nil {
				return err
			}
		}
		if err := r.storeVariants(ctx, p.ID, r.stored, p.Variants); err != nil {
			return err
		}
		for some := range slices.Chunk(ended, variantsAtOnce) {
			if err := r.insert(ctx, some); err != nil {
				return err
			}
		}
		return r.schedule(ctx, p)
	}
	return nil
}

// ended returns the rows of the history for the terms that the edit ends.
func (r *repricing) ended(p *db.Product) (rows []*db.PriceChange) {
	of := byID(variants.Of(p))
	for _, was := range r.before {
		if v := of[was.id]; v != nil && was.terms.Equal(variants.TermsOf(p, v)) {
			continue
		}
		t := was.terms
		rows = append(rows, &db.PriceChange{ID: xid.At(r.now), ProductID: p.ID, VariantID: was.id, Offered: t.Offered,
			PriceMinor: t.PriceMinor, CompareAtPriceMinor: t.Compare, SalePriceMinor: t.SaleMinor,
			SaleStartsAt: t.Starts, SaleEndsAt: t.Ends})
	}
	return rows
}

// insert is plain SQL, because a statement builder would cost more than the rows. They are below
// [ent.MaxLater].
func (r *repricing) insert(ctx context.Context, rows []*db.PriceChange) error {
	const columns = "store_id, product_id, variant_id, id, offered, price_minor, compare_at_price_minor, " +
		"sale_price_minor, sale_starts_at, sale_ends_at"
	const row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	store, args := viewer.From(ctx).Store, make([]any, 0, 10*len(rows))
	for _, c := range rows {
		args = append(args, store, c.ProductID, c.VariantID, c.ID, c.Offered, c.PriceMinor, c.CompareAtPriceMinor,
			c.SalePriceMinor, c.SaleStartsAt, c.SaleEndsAt)
	}
	_, err := r.Client(ctx).ExecContext(ent.Later(ctx), "INSERT INTO price_changes ("+columns+") VALUES "+row+
		strings.Repeat(", "+row, len(rows)-1), args...)
	return fault.Wrap("write the price history", err)
}

// setPrices sets the columns that hold what shoppers pay, and names the member that shows them.
func (r *repricing) setPrices(ctx context.Context, e *productEdit, ended []*db.PriceChange) error {
	p := e.Row
	list := slices.Clone(variants.Of(p))
	all, differ := make([][]variants.Price, len(list)), false
	var past map[xid.ID][]variants.Past
	before := make(map[xid.ID]*priced, len(r.before))
	for i := range r.before {
		before[r.before[i].id] = &r.before[i]
	}
	for i, v := range list {
		c := variants.Change{Now: r.now, Terms: variants.TermsOf(p, v)}
		if was := before[v.ID]; was != nil && was.terms.Offered {
			c.Was = &was.price
		}
		var err error
		all[i], err = c.Steps(func() ([]variants.Past, error) {
			if past == nil {
				past, err = r.past(ctx, p.ID, ended)
			}
			return past[v.ID], err
		})
		if err != nil {
			return err
		}
		doc := variants.Stored(all[i], variants.Price{PriceMinor: v.PriceMinor, CompareAtMinor: v.CompareAtPriceMinor})
		if string(doc) != string(v.Prices) {
			next := *v
			next.Prices, list[i], differ = doc, &next, true
		}
	}
	if p.Options != nil {
		p.Variants = list
	}
	doc := variants.Stored(variants.Summarize(all), variants.Price{PriceMinor: p.PriceMinor,
		CompareAtMinor: p.CompareAtPriceMinor, HighestMinor: p.MaxPriceMinor})
	var changed []string
	core.MemberDoc(&changed, doc, true, variantsMember, &p.Prices, e.Update.SetPrices, e.Update.ClearPrices)
	if (differ || len(changed) > 0) && !slices.Contains(e.Changed, variantsMember) {
		e.Changed = append(e.Changed, variantsMember)
	}
	return nil
}

// past reads the terms that ended in the reference period, by variant, and adds those that end now.
func (r *repricing) past(
	ctx context.Context, product xid.ID, ended []*db.PriceChange,
) (map[xid.ID][]variants.Past, error) {
	q := r.Client(ctx).PriceChange.Query().Where(pricechange.ProductID(product),
		pricechange.IDGT(xid.First(r.now.Add(-variants.ReferencePeriod)))).
		Order(pricechange.ByID(sql.OrderDesc())).Limit(maxPast)
	q.Modify(ent.ForceIndex(ent.Primary))
	rows, err := q.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the price history: %w", err)
	}
	slices.Reverse(rows)
	past := map[xid.ID][]variants.Past{}
	for _, c := range append(rows, ended...) {
		past[c.VariantID] = append(past[c.VariantID], variants.PastOf(c))
	}
	return past, nil
}

// schedule notes when the price changes next, if that differs.
func (r *repricing) schedule(ctx context.Context, p *db.Product) error {
	next := variants.NextPrice(p, 0)
	if next == r.next {
		return nil
	}
	if r.next < micros.Max {
		if err := r.unschedule(ctx, p.ID); err != nil {
			return err
		}
	}
	if next == micros.Max {
		return nil
	}
	return fault.Wrap("schedule a price", r.Client(ctx).ScheduledPrice.Create().SetID(p.ID).
		SetBucket(bucket.Of(viewer.From(ctx).Store)).SetDueAt(next).Exec(ctx))
}

func (r *Resolver) unschedule(ctx context.Context, product xid.ID) error {
	_, err := r.Client(ctx).ScheduledPrice.Delete().Where(scheduledprice.ID(product)).Exec(ctx)
	return fault.Wrap("unschedule a price", err)
}

// dropPrices removes the history and the schedule of a deleted product.
func (m Mutation) dropPrices(ctx context.Context, product xid.ID) error {
	_, err := m.Client(ctx).PriceChange.Delete().Where(pricechange.ProductID(product)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("remove the price history: %w", err)
	}
	return m.unschedule(ctx, product)
}
