package content

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbpage "github.com/storefront-go/storefront/ent/db/page"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// pageEdit is a change of one page.
type pageEdit = change.Edit[*db.Page, *db.PageUpdate]

// pages describes how pages change. They have no events.
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
	done := &model.PagePayload{}
	err := m.Commit(ctx, xid.Page, func(ctx context.Context) (*change.Record, error) {
		if err := m.roomForPage(ctx); err != nil {
			return nil, err
		}
		var err error
		if done.Page, err = m.insertPage(ctx, in); err != nil {
			return nil, err
		}
		return m.pages().Created(done.Page, "page.create", ""), nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// roomForPage refuses a page above the limit.
func (m Mutation) roomForPage(ctx context.Context) error {
	return m.Room(ctx, limit.Pages, ent.Primary, func(pick func(*sql.Selector), ids any) error {
		return m.Client(ctx).Page.Query().Modify(pick).Scan(ctx, ids)
	})
}

// insertPage writes the row. A duplicate key leaves the transaction usable, so another handle can
// be tried.
func (m Mutation) insertPage(ctx context.Context, in model.PageCreateInput) (*db.Page, error) {
	id := xid.New()
	if err := m.sole(ctx, id, in.Kind); err != nil {
		return nil, err
	}
	save := func(handle string) (*db.Page, error) { return m.newPage(ctx, id, handle, in).Save(ctx) }
	if in.Handle == nil {
		return core.FirstFree(core.Slug(in.Title, "page"), xid.Page.Format(id), core.MaxHandle, save)
	}
	p, err := save(*in.Handle)
	if ent.IsDuplicate(err) {
		return nil, handleTaken()
	}
	return p, err
}

func (m Mutation) newPage(ctx context.Context, id xid.ID, handle string, in model.PageCreateInput) *db.PageCreate {
	return m.Client(ctx).Page.Create().SetID(id).SetTitle(in.Title).SetHandle(handle).SetBody(in.Body).
		SetStatus(state.PageDraft).SetNillableKind(in.Kind).SetNillableSeoDescription(in.SeoDescription).
		SetVersion(1).SetUpdatedAt(id.Time())
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

// changePage runs edit on the page if it has the expected version.
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
