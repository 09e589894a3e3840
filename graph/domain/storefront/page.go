package storefront

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	dbcollection "github.com/storefront-go/storefront/ent/db/collection"
	"github.com/storefront-go/storefront/ent/db/formerhandle"
	dbpage "github.com/storefront-go/storefront/ent/db/page"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/markdown"
)

// PageRoot is where the host of a store serves its pages, each by handle.
const PageRoot = "/pages/"

// Text is a published page as the storefront shows it. An absent text is "".
type Text struct {
	Title  string
	Handle string
	Kind   string
	// Description is the description for search engines.
	Description string
	HTML        string
	// Markdown is the source of HTML.
	Markdown string
}

// Page returns the published page with the handle.
func (s Storefront) Page(ctx context.Context, handle string) (*Text, error) {
	p, err := s.publishedPage(ctx, handle)
	if err != nil {
		return nil, err
	}
	html, err := markdown.HTML(p.Body, func(address string) string { return ExternalImagePath(address, p.Handle) })
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", p.PublicID(), err)
	}
	return &Text{Title: p.Title, Handle: p.Handle, Kind: string(core.Deref(p.Kind)),
		Description: core.Deref(p.SeoDescription), HTML: html, Markdown: p.Body}, nil
}

func (s Storefront) publishedPage(ctx context.Context, handle string) (*db.Page, error) {
	p, err := core.Only(s.Client(ctx).Page.Query().
		Where(dbpage.Handle(handle), dbpage.StatusEQ(state.PagePublished)).Load(ctx))
	return p, core.Explain("page", err)
}

// termsHandles are the usual handles of withdrawal policies, which have no page kind, and of terms of
// sale that an earlier release saved without their kind.
var termsHandles = []string{"terms", "terms-of-service", "terms-and-conditions", "agb", "widerruf",
	"widerrufsbelehrung", "withdrawal", "returns", "refund-policy", "cgv", "condiciones"}

// Legal returns the title, handle and kind of the published pages that have to be accessible where
// shoppers buy, as far as they exist.
func (s Storefront) Legal(ctx context.Context) ([]Text, error) {
	rows, err := s.Client(ctx).Page.Query().
		Where(dbpage.StatusEQ(state.PagePublished), dbpage.Or(
			dbpage.KindIn(state.PageImprint, state.PagePrivacy, state.PageShipping, state.PageTerms),
			dbpage.HandleIn(termsHandles...))).
		Select(dbpage.FieldID, dbpage.FieldTitle, dbpage.FieldHandle, dbpage.FieldKind).All(ctx)
	if err != nil {
		return nil, core.Explain("page", err)
	}
	slices.SortFunc(rows, func(a, b *db.Page) int { return a.ID.Compare(b.ID) })
	return core.Map(rows, func(p *db.Page) Text {
		return Text{Title: p.Title, Handle: p.Handle, Kind: string(core.Deref(p.Kind))}
	}), nil
}

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
	return core.Deref(p).Handle, err
}

func (s Storefront) collectionHandle(ctx context.Context, id xid.ID) (string, error) {
	c, err := core.Only(s.Client(ctx).Collection.Query().
		Where(dbcollection.ID(id), dbcollection.Gone(false)).Load(ctx))
	return core.Deref(c).Handle, err
}

func (s Storefront) pageHandle(ctx context.Context, id xid.ID) (string, error) {
	p, err := core.Only(s.Client(ctx).Page.Query().
		Where(dbpage.ID(id), dbpage.StatusEQ(state.PagePublished)).Load(ctx))
	return core.Deref(p).Handle, err
}
