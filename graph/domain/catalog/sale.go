package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

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
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	// duePrices is how many due products are read at once.
	duePrices = 50
	// priceLease is when a product is due again that was not written.
	priceLease = 10 * time.Second
)

// ProductSaleSet sets the sale of a product, or ends it.
func (m Mutation) ProductSaleSet(
	ctx context.Context, id string, expectedVersion int64, sale *model.SaleInput,
) (*model.ProductPayload, error) {
	if sale == nil {
		sale = &model.SaleInput{}
	} else if err := checkSale(sale); err != nil {
		return nil, err
	}
	return m.changeProduct(ctx, id, expectedVersion, "product.sale_set",
		func(ctx context.Context, e *productEdit) error {
			if len(sale.Prices) > 0 && !ent.Writes(ctx, ent.SalePrices) {
				return fault.State(fault.InvalidTransition,
					"Sales are available once the upgrade is finished (storefront migrate finalize).")
			}
			return putOnSale(e, sale)
		})
}

func checkSale(sale *model.SaleInput) error {
	c := &core.Check{}
	switch n := len(sale.Prices); {
	case n == 0:
		c.Add("prices", fault.TooShort, "A sale needs the price of at least one variant.")
	case n > limit.Variants:
		c.Add("prices", fault.TooLong, "A product can have at most "+strconv.Itoa(limit.Variants)+" variants.")
	}
	for i, s := range sale.Prices {
		c.Amount("prices/"+strconv.Itoa(i)+"/price_minor", s.PriceMinor)
	}
	if sale.StartsAt != nil && sale.EndsAt != nil && *sale.EndsAt <= *sale.StartsAt {
		c.Add("ends_at", fault.OutOfRange, "The sale must end after it starts.")
	}
	return c.Err()
}

// putOnSale replaces the sale of a product.
func putOnSale(e *productEdit, sale *model.SaleInput) error {
	p, u := e.Row, e.Update
	rows, err := salePrices(p, sale)
	if err != nil {
		return err
	}
	var own *int64
	differ := false
	if p.Options == nil {
		own = rows[0].SalePriceMinor
	} else {
		differ = !slices.EqualFunc(p.Variants, rows, alike)
		p.Variants = rows
	}
	var changed []string
	core.MemberOpt(&changed, core.Given(own), variantsMember, &p.SalePriceMinor, u.SetSalePriceMinor,
		u.ClearSalePriceMinor)
	core.MemberOpt(&changed, core.Given(sale.StartsAt), variantsMember, &p.SaleStartsAt, u.SetSaleStartsAt,
		u.ClearSaleStartsAt)
	core.MemberOpt(&changed, core.Given(sale.EndsAt), variantsMember, &p.SaleEndsAt, u.SetSaleEndsAt, u.ClearSaleEndsAt)
	if differ || len(changed) > 0 {
		e.Changed = []string{variantsMember}
	}
	return nil
}

// salePrices returns the variants of a product with the prices of a sale.
func salePrices(p *db.Product, sale *model.SaleInput) ([]*db.Variant, error) {
	c := &core.Check{}
	rows := core.Map(variants.Of(p), func(v *db.Variant) *db.Variant {
		next := *v
		next.SalePriceMinor = nil
		return &next
	})
	of := byID(rows)
	for i, s := range sale.Prices {
		at := "prices/" + strconv.Itoa(i)
		named, err := xid.Variant.Parse(s.VariantID)
		switch v := of[named]; {
		case err != nil || v == nil:
			c.Add(at+"/variant_id", fault.UnknownValue, "The product does not have this variant.")
		case s.PriceMinor >= v.PriceMinor:
			c.Add(at+"/price_minor", fault.OutOfRange, "The sale price must be below the price.")
		default:
			v.SalePriceMinor = &s.PriceMinor
		}
	}
	return rows, c.Err()
}

// ChangePrices writes the products whose sale has begun or ended, and returns their number. Shoppers
// see and pay the new price already; this orders lists by it and emits events. It is safe to run in
// several processes.
func (r *Resolver) ChangePrices(ctx context.Context) (int, error) {
	return r.Store.SumShards(ctx, r.changeDue)
}

// changeDue is [Resolver.ChangePrices] on one shard.
func (r *Resolver) changeDue(ctx context.Context) (total int, failed error) {
	q := r.Store.Seek(ctx).ScheduledPrice.Query().Where(scheduledprice.BucketIn(bucket.All()...))
	q.Modify(lease.Due(duePrices))
	rows, err := q.Load(viewer.Everywhere(ctx))
	if err != nil {
		return 0, fmt.Errorf("read the due prices: %w", err)
	}
	queue := lease.Queue{Store: r.Store, Table: scheduledprice.Table, Owner: scheduledprice.FieldStoreID,
		Tries: scheduledprice.FieldTries}
	for _, row := range rows {
		ctx := viewer.Operator(ctx, row.StoreID)
		mine, err := queue.Claim(ctx, row.StoreID, row.ID, row.Tries, priceLease)
		if err == nil && mine {
			total++
			err = r.changePrice(ctx, row.ID)
		}
		if err != nil && !fault.IsState(err, fault.VersionMismatch) {
			failed = errors.Join(failed, fmt.Errorf("change the price of %s: %w", xid.Product.Format(row.ID), err))
		}
	}
	return total, failed
}

// changePrice edits nothing, so that only what follows from the time changes.
func (r *Resolver) changePrice(ctx context.Context, id xid.ID) error {
	return r.Commit(ctx, xid.Product, func(ctx context.Context) (*change.Record, error) {
		p, err := r.ProductRow(ctx, id)
		if errors.Is(err, core.ErrNoRow) {
			return nil, r.unschedule(ctx, id)
		}
		if err != nil {
			return nil, err
		}
		return r.products().Apply(ctx, p, "", func(ctx context.Context, e *productEdit) error {
			m := Mutation{r}
			return m.indexed(ctx, e, m.list, func(context.Context, *productEdit) error { return nil })
		})
	})
}

// PriceHistory lists the former prices of a product and of its variants, newest first.
func (f ProductFields) PriceHistory(
	ctx context.Context, p *db.Product, first *int, after *string,
) (*model.PriceChangeConnection, error) {
	return core.Connect(ctx, f.Core, core.List[*model.PriceChange]{
		Name: "price changes", Filters: []string{"product", p.PublicID()},
		At: func(c *model.PriceChange) page.Position { return core.ByID(c.ID) },
		Read: core.ReadNewest(ent.Primary, func() *db.PriceChangeQuery {
			return f.Client(ctx).PriceChange.Query().Where(pricechange.ProductID(p.ID))
		}, func(c *db.PriceChange) *model.PriceChange { return &model.PriceChange{PriceChange: c} }),
	}, first, after)
}

// CurrentPrice returns what shoppers pay now: with options, the lowest price of the variants.
func (ProductFields) CurrentPrice(_ context.Context, p *db.Product) (*variants.Price, error) {
	return new(variants.LowestAt(p, micros.Now())), nil
}

// CurrentPrice returns what shoppers pay now.
func (VariantFields) CurrentPrice(_ context.Context, v *db.Variant) (*variants.Price, error) {
	return new(variants.PriceAt(v, micros.Now())), nil
}
