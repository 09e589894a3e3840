package demo

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// orderBatch is how many orders one transaction creates: enough to make commits cheap, and few
// enough to stay far below its deadline.
const orderBatch = 50

// span is how far back orders reach.
const span = 60 * day

type sale struct {
	products []*db.Product
	buyers   []*db.Customer
	sellable []int
	all      []scenario
}

func (s *seeder) orders(ctx context.Context) (err error) {
	var from sale
	if from.products, err = s.rows(ctx); err != nil {
		return err
	}
	if from.buyers, err = s.buyers(ctx); err != nil {
		return err
	}
	from.sellable, from.all = s.sellable(), scenarios()
	n, err := s.Core.Store.DB(ctx).Order.Query().Count(ctx)
	if err != nil {
		return err
	}
	for ; n < s.Orders; n += orderBatch {
		to := min(n+orderBatch, s.Orders)
		err := s.each(ctx, n, to, "order", func(ctx context.Context, i int) error { return s.order(ctx, from, i) })
		if err != nil {
			return err
		}
		s.Logger.Log(ctx, s.level(n+orderBatch), "demo orders", "name", s.Name, "made", to, "of", s.Orders)
	}
	return nil
}

// level is info after every 1000 orders of a large demo, so that people see its progress.
func (s *seeder) level(made int) slog.Level {
	if s.Orders > 2000 && made%1000 == 0 {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

func (s *seeder) order(ctx context.Context, from sale, i int) error {
	r := s.rand(ofOrder, i)
	way := choose(from.all, i, s.Orders, r)
	made, err := s.OrderCreate(ctx, s.draft(r, from, i, way))
	if err != nil {
		return err
	}
	t := &trip{seeder: s, order: made.Order, r: r}
	return t.run(ctx, way)
}

// draft returns the order as the customer placed it.
func (s *seeder) draft(r *rand.Rand, from sale, i int, way scenario) model.OrderCreateInput {
	in := model.OrderCreateInput{
		ShippingMinor: s.Shipping[r.IntN(len(s.Shipping))],
		Source:        []string{"online_store", "online_store", "online_store", "dashboard", "phone"}[r.IntN(5)],
		PlacedAt:      new(s.placed(r, i)),
	}
	for range 1 + r.IntN(3) {
		in.Lines = append(in.Lines, s.line(r, from))
	}
	if way.goods == partSent {
		in.Lines[0].Quantity++ // so that some of it can stay unshipped
	}
	if way == (scenario{paid, sent, completed}) && r.IntN(20) == 0 {
		s.free(&in, from)
	}
	if n := r.IntN(len(from.buyers) + 12); n < len(from.buyers) {
		in.CustomerID = new(xid.Customer.Format(from.buyers[n].ID))
	} else {
		in.Email = new(fmt.Sprintf("passer-by.%d@mail.example", i+1))
	}
	if p := s.shop.People[r.IntN(len(s.shop.People))]; r.IntN(8) > 0 {
		in.ShippingAddress = p.address(r, r.IntN(len(p.First)), r.IntN(len(p.Last)))
		if r.IntN(3) > 0 {
			in.BillingAddress = in.ShippingAddress
		}
	}
	if r.IntN(6) == 0 {
		in.Tags = []string{"gift"}
	}
	return in
}

// line is a line with a product or, rarely, a custom item.
func (s *seeder) line(r *rand.Rand, from sale) *model.OrderLineInput {
	l := &model.OrderLineInput{Quantity: 1 + int64(r.IntN(3)*r.IntN(2))}
	price := s.Goods[0].Price / 20
	if r.IntN(20) == 0 {
		l.Title, l.UnitPriceMinor = &s.Goods[len(s.Goods)-1].Title, &price
	} else {
		n := from.sellable[r.IntN(len(from.sellable))]
		price = of(l, from.products[n], r.IntN)
	}
	gross := l.Quantity * price
	if r.IntN(5) == 0 {
		l.DiscountMinor = gross / 10
	}
	l.TaxMinor = (gross - l.DiscountMinor) * s.TaxPercent / 100
	return l
}

// free makes the order free: nothing is left to pay.
func (s *seeder) free(in *model.OrderCreateInput, from sale) {
	present := &model.OrderLineInput{Quantity: 1}
	present.DiscountMinor = of(present, from.products[from.sellable[0]], func(int) int { return 0 })
	in.ShippingMinor, in.Lines = 0, []*model.OrderLineInput{present}
}

// of makes l a line of a product, or of one of its variants, and returns the price.
func of(l *model.OrderLineInput, p *db.Product, chance func(n int) int) (price int64) {
	l.ProductID = new(p.PublicID())
	if p.Options == nil {
		return p.PriceMinor
	}
	v := p.Variants[chance(len(p.Variants))]
	l.VariantID = new(v.PublicID())
	return v.PriceMinor
}

// placed spreads the orders over the last 60 days, in order.
func (s *seeder) placed(r *rand.Rand, i int) micros.Time {
	step := span / time.Duration(s.Orders)
	return s.base().Add(-span + time.Duration(i)*step + time.Duration(r.Int64N(max(int64(step)*9/10, 1))))
}

func (s *seeder) finish(ctx context.Context) error {
	return s.Core.Store.InTx(ctx, func(ctx context.Context) error {
		rows, err := s.rows(ctx)
		if err != nil {
			return err
		}
		if err := s.stock(ctx, rows); err != nil {
			return err
		}
		buyers, err := s.buyers(ctx)
		if err != nil {
			return err
		}
		if err := s.part(ctx, buyers); err != nil {
			return err
		}
		n, err := s.Core.Store.DB(ctx).Store.Update().Where(store.ID(s.store.ID)).
			SetDemo(true).AddVersion(1).SetUpdatedAt(micros.Now()).Save(ctx)
		if err == nil && n != 1 {
			err = fmt.Errorf("marked %d stores", n)
		}
		return err
	})
}
