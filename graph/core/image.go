package core

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph/engine/images"
)

// LoadImages loads the uploaded images of products and of their loaded variants, unless the GraphQL
// field that ctx resolves selects neither.
func (c *Core) LoadImages(ctx context.Context, products ...*db.Product) error {
	if !Selects(ctx, "images") && !Selects(ctx, "image") {
		return nil
	}
	return c.LoadAllImages(ctx, products...)
}

// LoadAllImages is [Core.LoadImages] regardless of the selected fields.
func (c *Core) LoadAllImages(ctx context.Context, products ...*db.Product) error {
	origin := ""
	for _, p := range products {
		if p.ImagesCount == 0 || origin != "" {
			continue
		}
		var err error
		if origin, err = c.StoreURL(ctx); err != nil {
			return err
		}
	}
	return images.Load(ctx, c.Client(ctx), origin, products...)
}
