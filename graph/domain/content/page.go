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
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/markdown"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Pages lists the pages of the store, newest first.
func (q Query) Pages(ctx context.Context, first *int, after *string) (*model.PageConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*db.Page]{
		Name: "pages", At: func(p *db.Page) page.Position { return core.ByID(p.ID) },
		Read: core.ReadNewest(ent.Primary, q.Client(ctx).Page.Query, core.Self[*db.Page]),
	}, first, after)
}

// Page returns one page of the viewer's store.
func (q Query) Page(ctx context.Context, id string) (*db.Page, error) {
	return core.Get(ctx, xid.Page, id, q.pageRow)
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
		err = core.Invalid("kind", fault.Taken, "The store already has a page of this kind: "+other[0].Title+".")
	}
	return err
}

func handleTaken() error {
	return core.Invalid("handle", fault.Taken, "Another page has this handle.")
}

type pageEdit = change.Edit[*db.Page, *db.PageUpdate]

func (r *Resolver) pages() *change.Versioned[*db.Page, *db.PageUpdate] {
	return &change.Versioned[*db.Page, *db.PageUpdate]{
		Kind: xid.Page,
		Load: r.pageRow,
		Head: func(p *db.Page) change.Head {
			return change.Head{Store: p.StoreID, ID: p.ID, Version: &p.Version, UpdatedAt: &p.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.PageUpdate {
			return r.Client(ctx).Page.Update().Where(dbpage.ID(id), dbpage.Version(version))
		},
		Delete: func(ctx context.Context, id xid.ID, version int64) (int, error) {
			return r.Client(ctx).Page.Delete().Where(dbpage.ID(id), dbpage.Version(version)).Exec(ctx)
		},
		Taken:   handleTaken,
		Handles: &change.Handles[*db.Page]{Store: r.Store, Of: func(row *db.Page) string { return row.Handle }},
	}
}

// PageCreate creates a draft. Without a given handle, it derives a unique one from the title; a
// given handle that is taken is refused.
func (m Mutation) PageCreate(ctx context.Context, in model.PageCreateInput) (*model.PagePayload, error) {
	c := &core.Check{}
	c.Line("title", in.Title, limit.Line)
	core.Opt(in.Handle, func(s string) { c.Handle("handle", s, limit.Handle) })
	core.Opt(in.SeoDescription, func(s string) { c.Line("seo_description", s, limit.SEODescription) })
	checkBody(c, in.Body)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.Page, func(ctx context.Context) (*model.PagePayload, *change.Record, error) {
		if err := m.Room(ctx, limit.Pages, ent.Primary, core.FindIn(ctx, m.Client(ctx).Page.Query())); err != nil {
			return nil, nil, err
		}
		p, err := m.insertPage(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return &model.PagePayload{Page: p}, m.pages().Created(p, "page.create", ""), nil
	})
}

// insertPage writes the row. A duplicate key leaves the transaction usable, so another handle can
// be tried.
func (m Mutation) insertPage(ctx context.Context, in model.PageCreateInput) (*db.Page, error) {
	id := xid.New()
	if err := m.sole(ctx, id, in.Kind); err != nil {
		return nil, err
	}
	save := func(handle string) (*db.Page, error) {
		return m.Client(ctx).Page.Create().SetID(id).SetTitle(in.Title).SetHandle(handle).SetBody(in.Body).
			SetStatus(state.PageDraft).SetNillableKind(in.Kind).SetNillableSeoDescription(in.SeoDescription).
			SetVersion(1).SetUpdatedAt(id.Time()).Save(ctx)
	}
	if in.Handle == nil {
		return core.FirstFree(core.Slug(in.Title, "page"), xid.Page.Format(id), core.MaxHandle, save)
	}
	p, err := save(*in.Handle)
	if ent.IsDuplicate(err) {
		return nil, handleTaken()
	}
	return p, err
}

// PageUpdate changes the given members.
func (m Mutation) PageUpdate(ctx context.Context, id string, expectedVersion int64,
	in model.PageUpdateInput,
) (*model.PagePayload, error) {
	c := &core.Check{}
	core.NotNull(c, "title", in.Title, func(s string) { c.Line("title", s, limit.Line) })
	core.NotNull(c, "handle", in.Handle, func(s string) { c.Handle("handle", s, limit.Handle) })
	core.Opt(in.SeoDescription.Value(), func(s string) { c.Line("seo_description", s, limit.SEODescription) })
	core.NotNull(c, "body", in.Body, func(s string) { checkBody(c, s) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changePage(ctx, id, expectedVersion, "page.update", func(ctx context.Context, e *pageEdit) error {
		p, u := e.Row, e.Update
		core.MemberOf(&e.Changed, in.Title, "title", &p.Title, u.SetTitle)
		core.MemberOf(&e.Changed, in.Handle, "handle", &p.Handle, u.SetHandle)
		core.MemberOf(&e.Changed, in.Body, "body", &p.Body, u.SetBody)
		core.MemberOpt(&e.Changed, in.SeoDescription, "seo_description", &p.SeoDescription, u.SetSeoDescription,
			u.ClearSeoDescription)
		core.MemberOpt(&e.Changed, in.Kind, "kind", &p.Kind, u.SetKind, u.ClearKind)
		return m.sole(ctx, p.ID, p.Kind)
	})
}

// PagePublish publishes a draft.
func (m Mutation) PagePublish(ctx context.Context, id string, expectedVersion int64) (*model.PagePayload, error) {
	return m.changePage(ctx, id, expectedVersion, "page.publish", func(_ context.Context, e *pageEdit) error {
		if err := core.CheckTransition("page", e.Row.Status, state.PagePublished, state.PageDraft); err != nil {
			return err
		}
		core.Replace(&e.Changed, new(state.PagePublished), "status", &e.Row.Status, e.Update.SetStatus)
		e.Row.PublishedAt = &e.Now
		e.Update.SetPublishedAt(e.Now)
		return nil
	})
}

// PageUnpublish turns a published page into a draft.
func (m Mutation) PageUnpublish(ctx context.Context, id string, expectedVersion int64) (*model.PagePayload, error) {
	return m.changePage(ctx, id, expectedVersion, "page.unpublish", func(_ context.Context, e *pageEdit) error {
		if err := core.CheckTransition("page", e.Row.Status, state.PageDraft, state.PagePublished); err != nil {
			return err
		}
		core.Replace(&e.Changed, new(state.PageDraft), "status", &e.Row.Status, e.Update.SetStatus)
		e.Row.PublishedAt = nil
		e.Update.ClearPublishedAt()
		return nil
	})
}

func (m Mutation) changePage(ctx context.Context, id string, expected int64, action string,
	edit func(context.Context, *pageEdit) error,
) (*model.PagePayload, error) {
	p, err := core.Change(ctx, m.Core, m.pages(), id, expected, action, func(ctx context.Context, e *pageEdit) error {
		if err := m.BumpStorefrontRevision(ctx); err != nil {
			return err
		}
		return edit(ctx, e)
	})
	if err != nil {
		return nil, err
	}
	return &model.PagePayload{Page: p}, nil
}

// PageDelete deletes a page. Menus omit links to it from then on.
func (m Mutation) PageDelete(ctx context.Context, id string, expectedVersion int64) (*model.PageDeletePayload, error) {
	err := core.Remove(ctx, m.Core, m.pages(), id, expectedVersion, "page.delete",
		func(ctx context.Context, _ *db.Page) error { return m.BumpStorefrontRevision(ctx) })
	if err != nil {
		return nil, err
	}
	return &model.PageDeletePayload{DeletedID: &id}, nil
}
