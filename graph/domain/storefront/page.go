package storefront

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	dbpage "github.com/storefront-go/storefront/ent/db/page"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/images"
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
}

// Page returns the published page with the handle.
func (s Storefront) Page(ctx context.Context, handle string) (*Text, error) {
	p, err := s.publishedPage(ctx, handle)
	if err != nil {
		return nil, err
	}
	html, err := markdown.HTML(p.Body, func(address string) string {
		id := images.IDOf(address)
		return ExternalImageRoot + hex.EncodeToString(id[:]) + "/" + p.Handle
	})
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", p.PublicID(), err)
	}
	t := &Text{Title: p.Title, Handle: p.Handle, Description: orEmpty(p.SeoDescription), HTML: html}
	if p.Kind != nil {
		t.Kind = string(*p.Kind)
	}
	return t, nil
}

// publishedPage reads the published page with the handle.
func (s Storefront) publishedPage(ctx context.Context, handle string) (*db.Page, error) {
	p, err := core.Only(s.Client(ctx).Page.Query().
		Where(dbpage.Handle(handle), dbpage.StatusEQ(state.PagePublished)).Load(ctx))
	return p, core.Explain("page", err)
}

// termsHandles are the usual handles of withdrawal policies, which have no page kind, and of terms of
// sale that an earlier release saved without their kind.
var termsHandles = []string{"terms", "terms-of-service", "terms-and-conditions", "agb", "widerruf",
	"widerrufsbelehrung", "withdrawal", "returns", "refund-policy", "cgv", "condiciones"}

// Legal returns the title and handle of the published pages that have to be accessible where
// shoppers buy, as far as they exist.
func (s Storefront) Legal(ctx context.Context) ([]Text, error) {
	rows, err := s.Client(ctx).Page.Query().
		Where(dbpage.StatusEQ(state.PagePublished), dbpage.Or(
			dbpage.KindIn(state.PageImprint, state.PagePrivacy, state.PageShipping, state.PageTerms),
			dbpage.HandleIn(termsHandles...))).
		Select(dbpage.FieldID, dbpage.FieldTitle, dbpage.FieldHandle).All(ctx)
	if err != nil {
		return nil, core.Explain("page", err)
	}
	slices.SortFunc(rows, func(a, b *db.Page) int { return a.ID.Compare(b.ID) })
	list := make([]Text, len(rows))
	for i, p := range rows {
		list[i] = Text{Title: p.Title, Handle: p.Handle}
	}
	return list, nil
}
