package core

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph/engine/images"
)

// LoadImages gives products their uploaded pictures, and the variants that were read theirs,
// unless the GraphQL field that ctx resolves asks for neither.
func (c *Core) LoadImages(ctx context.Context, products ...*db.Product) error {
	if !Selects(ctx, "images") && !Selects(ctx, "image") {
		return nil
	}
	return c.DrawImages(ctx, products...)
}

// DrawImages is [Core.LoadImages] for who shows them in any case.
func (c *Core) DrawImages(ctx context.Context, products ...*db.Product) error {
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
