package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

const day = 24 * time.Hour

// The kinds of rows, which chance keeps apart.
const (
	ofProduct uint64 = iota
	ofCustomer
	ofOrder
)

// rand returns the chance of one row: the same on every start, whatever was
// made before.
func (s *seeder) rand(kind uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(s.seed, kind<<32|uint64(i)))
}

// base is the time that all others are counted from: the store's own.
func (s *seeder) base() micros.Time { return s.store.ID.Time() }

// Where product i ends: one in eight stays a draft, one in eight is archived
// once it was sold.
func draft(i int) bool    { return i%8 == 6 }
func archived(i int) bool { return i%8 == 3 }

// sellable are the indexes of the products that orders take.
func (s *seeder) sellable() (list []int) {
	for i := range s.goods {
		if !draft(i) {
			list = append(list, i)
		}
	}
	return list
}

// products makes every product, or none when they are there already.
func (s *seeder) products(ctx context.Context) error {
	n, err := s.Core.Store.DB(ctx).Product.Query().Count(ctx)
	if err != nil || n > 0 {
		return err
	}
	return s.Core.Store.InTx(ctx, func(ctx context.Context) error {
		for i := range s.goods {
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
	r, g := s.rand(ofProduct, i), s.goods[i]
	in := model.ProductCreateInput{
		Title: g.title, PriceMinor: g.price, Currency: s.currency,
		Sku: new(fmt.Sprintf("%s-%03d", s.currency, i+1)), Vendor: &g.vendor, ProductType: &g.kind,
		Tags: []string{g.kind}, CreatedAt: new(s.base().Add(-95*day + time.Duration(i)*2*time.Hour)),
	}
	if i%3 != 1 {
		in.Description = new(g.title + "\n\n" + g.vendor + " · " + g.kind)
	}
	if i%6 == 0 {
		in.CompareAtPriceMinor = new(g.price + g.price/5)
		in.Tags = append(in.Tags, "sale")
	}
	if r.IntN(4) == 0 {
		in.Tags = append(in.Tags, "new")
	}
	return in
}

// stock sets the inventory, after all sales: some products are tracked,
// and some of these are sold out. Then what is no longer sold is archived.
func (s *seeder) stock(ctx context.Context, rows []*db.Product) error {
	for i, p := range rows {
		id, version := xid.Product.Format(p.ID), p.Version
		if i%3 != 2 {
			quantity := int64(3 + s.rand(ofProduct, i).IntN(200))
			if i%9 == 4 {
				quantity = 0
			}
			counted, err := s.ProductUpdate(ctx, id, version, model.ProductUpdateInput{
				InventoryQuantity: model.Some(quantity),
			})
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

// rows reads the products in the order of the plan.
func (s *seeder) rows(ctx context.Context) ([]*db.Product, error) {
	return s.Core.Store.DB(ctx).Product.Query().Order(db.Asc(product.FieldID)).Limit(len(s.goods)).All(ctx)
}
