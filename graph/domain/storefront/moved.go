package storefront

import (
	"context"
	"errors"
	"strings"

	dbcollection "github.com/storefront-go/storefront/ent/db/collection"
	"github.com/storefront-go/storefront/ent/db/formerhandle"
	dbpage "github.com/storefront-go/storefront/ent/db/page"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
)

// Moved returns the current path of a product, a collection or a page, given a path with a former
// handle. It returns "" if nothing that visitors can see had it.
func (s Storefront) Moved(ctx context.Context, path string) (string, error) {
	for _, root := range []struct {
		path string
		kind xid.Kind
		find func(ctx context.Context, id xid.ID) (handle string, err error)
	}{
		{ProductRoot, xid.Product, s.productHandle},
		{CollectionRoot, xid.Collection, s.collectionHandle},
		{PageRoot, xid.Page, s.pageHandle},
	} {
		handle, ok := strings.CutPrefix(path, root.path)
		if !ok {
			continue
		}
		former, err := core.Only(s.Client(ctx).FormerHandle.Query().
			Where(formerhandle.KindEQ(root.kind), formerhandle.Handle(handle)).Load(ctx))
		if err == nil {
			handle, err = root.find(ctx, former.ResourceID)
		}
		switch {
		case errors.Is(err, core.ErrNoRow):
			return "", nil
		case err != nil:
			return "", core.Explain("former handle", err)
		}
		return root.path + handle, nil
	}
	return "", nil
}

func (s Storefront) productHandle(ctx context.Context, id xid.ID) (string, error) {
	p, err := core.Only(s.Client(ctx).Product.Query().
		Where(product.ID(id), product.StatusEQ(state.ProductActive)).Load(ctx))
	if err != nil {
		return "", err
	}
	return p.Handle, nil
}

func (s Storefront) collectionHandle(ctx context.Context, id xid.ID) (string, error) {
	c, err := core.Only(s.Client(ctx).Collection.Query().
		Where(dbcollection.ID(id), dbcollection.Gone(false)).Load(ctx))
	if err != nil {
		return "", err
	}
	return c.Handle, nil
}

func (s Storefront) pageHandle(ctx context.Context, id xid.ID) (string, error) {
	p, err := core.Only(s.Client(ctx).Page.Query().
		Where(dbpage.ID(id), dbpage.StatusEQ(state.PagePublished)).Load(ctx))
	if err != nil {
		return "", err
	}
	return p.Handle, nil
}
