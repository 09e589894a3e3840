package appearance

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/marketplacetheme"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/engine/task"
	"github.com/storefront-go/storefront/graph/model"
)

// InstallTask counts an installation of a marketplace theme, whose row has no owner.
const InstallTask task.Kind = "marketplace.installed"

type installed struct {
	Theme []byte `json:"theme"`
}

// CountInstall runs an [InstallTask].
func (r *Resolver) CountInstall(ctx context.Context, t task.Task) error {
	var what installed
	if err := t.Read(&what); err != nil {
		return err
	}
	return r.Client(ctx).MarketplaceTheme.Update().Where(marketplacetheme.ID(xid.ID(what.Theme))).
		AddInstallsCount(1).Exec(ctx)
}

// countInstall adds a task to count an installation of a marketplace theme, and returns the theme.
// It fails unless the theme is published and free.
func (m Mutation) countInstall(ctx context.Context, id xid.ID) (*db.MarketplaceTheme, error) {
	l, err := m.listing(m.Store.Aside(ctx), id, ent.NoLock)
	if err != nil {
		return nil, err
	}
	switch {
	case l.Status != state.ListingPublished:
		return nil, core.ErrNoRow
	case l.PriceMinor != 0:
		return nil, fault.State(fault.ThemeNotFree, "This theme is not free, and paid themes are not supported yet.")
	}
	store, err := rule.Stamp(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := m.Tasks.Put(ctx, InstallTask, store, ent.NoOwner, installed{id[:]}); err != nil {
		return nil, err
	}
	l.InstallsCount++
	return l, nil
}

// MarketplaceThemeSubmit submits a theme of the store to the marketplace in its present state;
// later changes of the theme do not affect the submission. The theme and its files stay locked
// until the submission that refers to them is committed. The submission has no owner, so if its row
// may be on another shard, it is a separate transaction.
func (m Mutation) MarketplaceThemeSubmit(ctx context.Context, in model.MarketplaceThemeSubmitInput,
) (*model.MarketplaceSubmissionPayload, error) {
	c := &core.Check{}
	checkSubmission(c, &in)
	if err := c.Err(); err != nil {
		return nil, err
	}
	var row *db.MarketplaceTheme
	err := m.withTheme(ctx, in.ThemeID, func(ctx context.Context, s *db.Store, t *db.Theme,
	) (_ *change.Record, err error) {
		if t.Status != state.ThemeInactive {
			return nil, notReady(t)
		}
		if row != nil && m.Store.Sharded() {
			return nil, nil // already committed by an earlier run of this function
		}
		row, err = m.submit(m.Store.Aside(ctx), s, t, in)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return &model.MarketplaceSubmissionPayload{Submission: m.submission(row)}, nil
}

// checkSubmission checks a submission and sorts its categories.
func checkSubmission(c *core.Check, in *model.MarketplaceThemeSubmitInput) {
	core.Opt(in.Slug, func(s string) { c.Handle("slug", s, core.MaxHandle) })
	core.Opt(in.Name, func(s string) { c.Line("name", s, limit.Line) })
	core.Opt(in.Tagline, func(s string) { c.Line("tagline", s, limit.Line) })
	core.Opt(in.Author, func(s string) { c.Line("author", s, limit.Line) })
	c.Amount("price_minor", in.PriceMinor)
	core.Opt(in.Currency, func(s string) { in.Currency = new(c.Currency("currency", s)) })
	if len(in.Categories) > limit.Categories {
		c.Add("categories", fault.TooLong, "There are more than "+strconv.Itoa(limit.Categories)+" categories.")
		return
	}
	for i, s := range in.Categories {
		c.Label("categories/"+strconv.Itoa(i), "category", s, limit.Category)
	}
	in.Categories = slices.Compact(slices.Sorted(slices.Values(in.Categories)))
}

// submit writes a new submission in one transaction with the task for the store's audit log.
func (m Mutation) submit(ctx context.Context, s *db.Store, t *db.Theme, in model.MarketplaceThemeSubmitInput,
) (*db.MarketplaceTheme, error) {
	return core.Commit(ctx, m.Core, xid.MarketplaceTheme, func(ctx context.Context) (
		*db.MarketplaceTheme, *change.Record, error,
	) {
		row, err := m.createListing(ctx, s, t, in)
		if err != nil {
			return nil, nil, err
		}
		return row, nil, m.auditListing(ctx, row, "marketplace_theme.submit", row.Slug)
	})
}

func (m Mutation) createListing(ctx context.Context, s *db.Store, t *db.Theme, in model.MarketplaceThemeSubmitInput,
) (*db.MarketplaceTheme, error) {
	id, name := xid.New(), cmp.Or(core.Deref(in.Name), t.Name)
	create := func(slug string) (*db.MarketplaceTheme, error) {
		return m.Client(ctx).MarketplaceTheme.Create().SetID(id).SetSubmitterID(s.ID).SetSlug(slug).SetName(name).
			SetNillableTagline(in.Tagline).SetAuthor(cmp.Or(core.Deref(in.Author), core.Deref(t.Author), s.Name)).
			SetThemeVersion(cmp.Or(core.Deref(t.ThemeVersion), install.FirstVersion)).
			SetPriceMinor(in.PriceMinor).SetCurrency(cmp.Or(core.Deref(in.Currency), s.Currency)).
			SetCategories(strings.Join(in.Categories, " ")).SetNillablePreview(t.Preview).
			SetStatus(state.ListingSubmitted).SetChecksum(t.Checksum).SetUpdatedAt(id.Time()).Save(ctx)
	}
	var (
		row *db.MarketplaceTheme
		err error
	)
	if in.Slug == nil {
		row, err = core.FirstFree(core.Slug(name, "theme"), xid.MarketplaceTheme.Format(id), core.MaxHandle, create)
	} else if row, err = create(*in.Slug); ent.IsDuplicate(err) {
		return nil, core.Invalid("slug", fault.Taken, "Another theme in the marketplace has this handle.")
	}
	return row, fault.Wrap("submit theme", err)
}

// auditListing records a change of a marketplace theme in the audit log of the viewer's store. The
// theme itself has no owner, no version and no events.
func (m Mutation) auditListing(ctx context.Context, row *db.MarketplaceTheme, action, detail string) error {
	return audit.WriteBehind(ctx, m.Tasks, ent.NoOwner, action, xid.MarketplaceTheme, row.ID, detail)
}

type listingMove struct {
	action string
	to     state.ListingStatus
	from   []state.ListingStatus
	// mine means that only the submitting store may make the transition; for others the theme does
	// not exist.
	mine bool
	// others means that staff of the submitting store may not make the transition.
	others bool
	set    func(*db.MarketplaceTheme, *db.MarketplaceThemeUpdate)
}

// moveListing makes a transition. Of concurrent calls, one succeeds.
func (m Mutation) moveListing(ctx context.Context, id string, move listingMove,
) (*model.MarketplaceSubmissionPayload, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	uid, err := core.ParseID(xid.MarketplaceTheme, id)
	if err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.MarketplaceTheme, func(ctx context.Context) (
		*model.MarketplaceSubmissionPayload, *change.Record, error,
	) {
		row, err := m.listing(ctx, uid, ent.ForUpdate)
		if err != nil {
			return nil, nil, err
		}
		shown := m.submission(row)
		own := shown.Own(ctx)
		if move.mine && !own {
			return nil, nil, core.ErrNoRow
		}
		if move.others && own && v.IsPerson() {
			return nil, nil, fault.New(fault.Forbidden, "A submission must be reviewed by staff of another store.")
		}
		if err := m.moveTo(ctx, row, move); err != nil {
			return nil, nil, err
		}
		return &model.MarketplaceSubmissionPayload{Submission: shown}, nil,
			m.auditListing(ctx, row, move.action, string(move.to))
	})
}

func (m Mutation) moveTo(ctx context.Context, row *db.MarketplaceTheme, move listingMove) error {
	if err := core.CheckTransition("theme of the marketplace", row.Status, move.to, move.from...); err != nil {
		return err
	}
	update := m.Client(ctx).MarketplaceTheme.Update().
		Where(marketplacetheme.ID(row.ID), marketplacetheme.StatusEQ(row.Status))
	row.Status, row.UpdatedAt = move.to, change.UpdateTime(ctx, row.UpdatedAt)
	if move.set != nil {
		move.set(row, update)
	}
	n, err := update.SetStatus(row.Status).SetUpdatedAt(row.UpdatedAt).Save(ctx)
	if err == nil && n == 0 {
		return fault.State(fault.InvalidTransition, "The marketplace theme was changed in the meantime.")
	}
	return fault.Wrap("change theme of the marketplace", err)
}

// MarketplaceThemeReview approves or rejects a submission. Only reviewers may call it, and nobody
// may approve a submission of their own store.
func (m Mutation) MarketplaceThemeReview(ctx context.Context, id string, verdict state.ReviewVerdict, note *string,
) (*model.MarketplaceSubmissionPayload, error) {
	if err := m.reviewer(ctx); err != nil {
		return nil, core.Explain("store", err)
	}
	c := &core.Check{}
	core.Opt(note, func(s string) { c.Long("note", s, limit.ReviewNote) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	move := listingMove{action: "marketplace_theme.review", to: state.ListingRejected,
		from: []state.ListingStatus{state.ListingSubmitted}}
	if verdict == state.ReviewApprove {
		move.to, move.others = state.ListingApproved, true
	}
	move.set = func(row *db.MarketplaceTheme, u *db.MarketplaceThemeUpdate) {
		row.ReviewNote = note
		u.SetNillableReviewNote(note)
	}
	return m.moveListing(ctx, id, move)
}

// MarketplaceThemePublish publishes an approved or unlisted theme to all stores.
func (m Mutation) MarketplaceThemePublish(ctx context.Context, id string) (*model.MarketplaceSubmissionPayload, error) {
	return m.moveListing(ctx, id,
		listingMove{action: "marketplace_theme.publish", mine: true, to: state.ListingPublished,
			from: []state.ListingStatus{state.ListingApproved, state.ListingUnlisted},
			set: func(row *db.MarketplaceTheme, u *db.MarketplaceThemeUpdate) {
				row.PublishedAt = new(row.UpdatedAt)
				u.SetPublishedAt(row.UpdatedAt)
			}})
}

// MarketplaceThemeUnlist removes a published theme from the marketplace. Stores that installed it
// keep it.
func (m Mutation) MarketplaceThemeUnlist(ctx context.Context, id string) (*model.MarketplaceSubmissionPayload, error) {
	return m.moveListing(ctx, id, listingMove{action: "marketplace_theme.unlist", mine: true, to: state.ListingUnlisted,
		from: []state.ListingStatus{state.ListingPublished}})
}
