package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	sold "github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

const day = 24 * time.Hour

// Kinds of rows, which have separate random sequences.
const (
	ofProduct uint64 = iota
	ofCustomer
	ofOrder
)

// rand returns the random source of one row: the same on every start, whatever was created before.
func (s *seeder) rand(kind uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(s.Seed, kind<<32|uint64(i)))
}

// base returns the time from which all others are counted: that of the store.
func (s *seeder) base() micros.Time { return s.store.ID.Time() }

// The final states of product i: one in eight stays a draft, and one in eight is archived.
func draft(i int) bool    { return i%8 == 6 }
func archived(i int) bool { return i%8 == 3 }

func (s *seeder) sellable() (list []int) {
	for i := range s.Goods {
		if !draft(i) {
			list = append(list, i)
		}
	}
	return list
}

func (s *seeder) products(ctx context.Context) error {
	n, err := s.Core.Store.DB(ctx).Product.Query().Count(ctx)
	if err != nil || n > 0 {
		return err
	}
	return s.Core.Store.InTx(ctx, func(ctx context.Context) error {
		for i := range s.Goods {
			made, err := s.ProductCreate(ctx, s.product(i))
			if err != nil {
				return err
			}
			if draft(i) {
				continue
			}
			id := xid.Product.Format(made.Product.ID)
			if _, err := s.ProductPublish(ctx, id, made.Product.Version); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *seeder) product(i int) model.ProductCreateInput {
	r, g := s.rand(ofProduct, i), s.Goods[i]
	in := model.ProductCreateInput{
		Title: g.Title, PriceMinor: g.Price, Currency: s.Currency,
		Sku: new(fmt.Sprintf("%s-%03d", s.Currency, i+1)), Vendor: &g.Vendor, ProductType: &g.Kind,
		Tags: []string{g.Kind}, CreatedAt: new(s.base().Add(-95*day + time.Duration(i)*2*time.Hour)),
	}
	if i%3 != 1 {
		in.Description = new(g.Title + "\n\n" + g.Vendor + " · " + g.Kind)
	}
	if i%6 == 0 {
		in.CompareAtPriceMinor = new(g.Price + g.Price/5)
		in.Tags = append(in.Tags, "sale")
	}
	if r.IntN(4) == 0 {
		in.Tags = append(in.Tags, "new")
	}
	if options := s.Choices[g.Kind]; options != nil {
		s.offer(&in, options)
	}
	return in
}

// offer gives a product options. The first combination has the product's price, each later value of
// the first option costs 5 % more, and the last combination does not exist.
func (s *seeder) offer(in *model.ProductCreateInput, options []document.Option) {
	combinations := [][]string{nil}
	for _, o := range options {
		in.Options = append(in.Options, &o)
		var longer [][]string
		for _, c := range combinations {
			for _, v := range o.Values {
				longer = append(longer, append(slices.Clone(c), v))
			}
		}
		combinations = longer
	}
	if len(options) > 1 {
		combinations = combinations[:len(combinations)-1]
	}
	for i, c := range combinations {
		v := &model.ProductVariantInput{Options: c, Sku: new(fmt.Sprintf("%s-%d", *in.Sku, i+1)),
			PriceMinor: in.PriceMinor + in.PriceMinor/20*int64(slices.Index(options[0].Values, c[0]))}
		if in.CompareAtPriceMinor != nil {
			v.CompareAtPriceMinor = new(v.PriceMinor + v.PriceMinor/5)
		}
		in.Variants = append(in.Variants, v)
	}
	in.Sku, in.CompareAtPriceMinor = nil, nil
}

// stock sets the inventory after all sales, with some products sold out, and archives products.
func (s *seeder) stock(ctx context.Context, rows []*db.Product) error {
	for i, p := range rows {
		id, version := xid.Product.Format(p.ID), p.Version
		if i%3 != 2 {
			quantity := int64(3 + s.rand(ofProduct, i).IntN(200))
			if i%9 == 4 {
				quantity = 0
			}
			counted, err := s.count(ctx, p, quantity)
			if err != nil {
				return err
			}
			version = counted.Product.Version
		}
		if archived(i) && p.Status == state.ProductActive {
			if _, err := s.ProductArchive(ctx, id, version); err != nil {
				return err
			}
		}
	}
	return nil
}

// count sets the stock of a product. With options it is spread over the variants, of which the
// second is sold out.
func (s *seeder) count(ctx context.Context, p *db.Product, quantity int64) (*model.ProductPayload, error) {
	if p.Options == nil {
		return s.ProductUpdate(ctx, p.PublicID(), p.Version,
			model.ProductUpdateInput{InventoryQuantity: model.Some(quantity)})
	}
	options, err := p.Options.List()
	if err != nil {
		return nil, err
	}
	var list []*document.Option
	for _, o := range options {
		list = append(list, &o)
	}
	variants := make([]*model.ProductVariantInput, len(p.Variants))
	for i, v := range p.Variants {
		texts, err := v.Options.List()
		if err != nil {
			return nil, err
		}
		pieces := quantity / int64(i+1)
		if i == 1 {
			pieces = 0
		}
		variants[i] = &model.ProductVariantInput{ID: new(v.PublicID()), Options: texts, PriceMinor: v.PriceMinor,
			CompareAtPriceMinor: v.CompareAtPriceMinor, Sku: v.Sku, InventoryQuantity: &pieces}
	}
	return s.ProductVariantsSet(ctx, p.PublicID(), p.Version, list, variants)
}

func (s *seeder) rows(ctx context.Context) ([]*db.Product, error) {
	c := s.Core.Store.DB(ctx)
	rows, err := c.Product.Query().Order(db.Asc(product.FieldID)).Limit(len(s.Goods)).All(ctx)
	if err != nil {
		return nil, err
	}
	return rows, sold.Load(ctx, c, rows...)
}
