package demo

import (
	"bytes"
	"context"
	"image/png"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/model"
)

// shot is an image of the plan: of a product in a color scheme.
type shot struct {
	product int
	scheme  scheme
}

// shots returns an image of each product, and two more in other colors of every fifth. A small
// demo, which should start fast, has at most as many images as orders.
func (s *seeder) shots() (list []shot) {
	for i := range s.Goods {
		list = append(list, shot{i, s.Schemes[i%len(s.Schemes)]})
		if i%5 == 0 {
			list = append(list, shot{i, s.Schemes[(i+1)%len(s.Schemes)]}, shot{i, s.Schemes[(i+3)%len(s.Schemes)]})
		}
	}
	return list[:min(len(list), s.Orders)]
}

// drawings caches the drawn files, for all databases of this process.
var drawings sync.Map

func drawn(kind string, colours scheme) ([]byte, error) {
	type key struct {
		kind    string
		colours scheme
	}
	if body, ok := drawings.Load(key{kind, colours}); ok {
		return body.([]byte), nil
	}
	var body bytes.Buffer
	err := png.Encode(&body, drawing(kind, colours).flat())
	if err == nil {
		drawings.Store(key{kind, colours}, body.Bytes())
	}
	return body.Bytes(), err
}

// pictures adds images to the products, unless they have some. They are drawn and stored in
// parallel before the transaction that shows them.
func (s *seeder) pictures(ctx context.Context) error {
	c := s.Core.Store.DB(ctx)
	n, err := c.ProductImage.Query().Count(ctx)
	if err != nil || n > 0 {
		return err
	}
	rows, err := c.Product.Query().Order(db.Asc(product.FieldID)).All(ctx)
	if err != nil {
		return err
	}
	shots := s.shots()
	kept := make([]*images.Upload, len(shots))
	var group errgroup.Group
	group.SetLimit(4)
	for i, shot := range shots {
		group.Go(func() error {
			body, err := drawn(s.Goods[shot.product].Kind, shot.scheme)
			if err != nil {
				return err
			}
			kept[i] = s.Core.Images.Upload(ctx, body)
			return kept[i].Err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return s.Core.Store.InTx(ctx, func(ctx context.Context) error {
		for i, shot := range shots {
			_, err := s.ProductImageAdd(ctx, model.ProductImageAddInput{
				ProductID: xid.Product.Format(rows[shot.product].ID), Upload: kept[i],
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
