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

// shot is a picture of the plan: of which product, in which colours.
type shot struct {
	product int
	scheme  scheme
}

// shots are one of each product, and two more of each fifth in other colours; of a small
// demo, which is to start at once, no more than it has orders.
func (s *seeder) shots() (list []shot) {
	for i := range s.goods {
		list = append(list, shot{i, s.schemes[i%len(s.schemes)]})
		if i%5 == 0 {
			list = append(list, shot{i, s.schemes[(i+1)%len(s.schemes)]}, shot{i, s.schemes[(i+3)%len(s.schemes)]})
		}
	}
	return list[:min(len(list), s.Orders)]
}

// drawings are the files that this process has drawn: each is drawn once, for however many
// databases.
var drawings sync.Map

// drawn is the file of a drawing.
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

// pictures draws the products, or none of them when they have pictures already. They are
// drawn and kept side by side, before the transaction that shows them begins.
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
			body, err := drawn(s.goods[shot.product].kind, shot.scheme)
			if err != nil {
				return err
			}
			kept[i] = s.Core.Pictures.Upload(ctx, body)
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
