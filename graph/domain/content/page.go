package content

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbpage "github.com/storefront-go/storefront/ent/db/page"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/markdown"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Pages lists the pages of the store, newest first.
func (q Query) Pages(ctx context.Context, first *int, after *string) (*model.PageConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*db.Page]{
		Name: "pages", At: func(p *db.Page) page.Position { return core.ByID(p.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*db.Page, error) {
			query := q.Client(ctx).Page.Query()
			query.Modify(core.Window{After: after, Limit: limit, Index: ent.Primary}.Apply)
			return query.Load(ctx)
		},
	}, first, after)
}

// Page returns one page of the viewer's store.
func (q Query) Page(ctx context.Context, id string) (*db.Page, error) {
	uid, err := core.ParseID(xid.Page, id)
	if err != nil {
		return nil, err
	}
	p, err := q.pageRow(ctx, uid)
	return p, core.Explain("page", err)
}

// PagePreview returns the HTML of a body as the storefront renders it.
func (q Query) PagePreview(_ context.Context, body string) (string, error) {
	if body == "" {
		return "", nil
	}
	c := &core.Check{}
	html := checkBody(c, body)
	return html, c.Err()
}

// pageRow reads one page of the viewer's store.
func (r *Resolver) pageRow(ctx context.Context, id xid.ID) (*db.Page, error) {
	return core.Only(r.Client(ctx).Page.Query().Where(dbpage.ID(id)).Load(ctx))
}

// checkBody checks Markdown and its HTML, and returns the HTML.
func checkBody(c *core.Check, body string) string {
	c.Long("body", body, limit.PageBody)
	if c.Err() != nil { // a text that is too long is not rendered
		return ""
	}
	html, err := markdown.HTML(body, nil)
	if err != nil {
		c.Add("body", fault.TooLong, "The page is too large: "+err.Error()+".")
	}
	return html
}

// sole refuses a second page of a kind. Changes of pages run one after the other here, because they
// write the store's row first; the unique index enforces the rule as well.
func (r *Resolver) sole(ctx context.Context, id xid.ID, kind *state.PageKind) error {
	if kind == nil {
		return nil
	}
	other, err := r.Client(ctx).Page.Query().Where(dbpage.KindEQ(*kind), dbpage.IDNEQ(id)).Limit(1).Load(ctx)
	if err == nil && len(other) > 0 {
		err = fault.Invalid(fault.Field{Pointer: "#/kind", Code: fault.Taken,
			Detail: "The store already has a page of this kind: " + other[0].Title + "."})
	}
	return err
}

func handleTaken() error {
	return fault.Invalid(fault.Field{Pointer: "#/handle", Code: fault.Taken,
		Detail: "Another page has this handle."})
}
