package appearance

import (
	"cmp"
	"context"
	"fmt"
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
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/engine/task"
	"github.com/storefront-go/storefront/graph/model"
)

// InstallTask counts an installation of a theme of the marketplace, which is nobody's.
const InstallTask task.Kind = "marketplace.installed"

// installed is what an [InstallTask] holds.
type installed struct {
	Theme []byte `json:"theme"`
}

// CountInstall is the effect of an [InstallTask].
func (r *Resolver) CountInstall(ctx context.Context, t task.Task) error {
	var what installed
	if err := t.Read(&what); err != nil {
		return err
	}
	return r.Client(ctx).MarketplaceTheme.Update().Where(marketplacetheme.ID(xid.ID(what.Theme))).
		AddInstallsCount(1).Exec(ctx)
}

// countInstall counts an installation of a theme of the marketplace behind the transaction
// of ctx, and returns the theme: it must be published and free.
func (m Mutation) countInstall(ctx context.Context, id xid.ID) (*db.MarketplaceTheme, error) {
	l, err := m.listing(m.Store.Aside(ctx), id, ent.NoLock)
	if err != nil {
		return nil, err
	}
	switch {
	case l.Status != state.ListingPublished:
		return nil, core.ErrNoRow
	case l.PriceMinor != 0:
		return nil, fault.State(fault.ThemeNotFree, "The theme has a price, and themes are not sold here yet.")
	}
	store, err := rule.Stamp(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := m.Tasks.Put(ctx, InstallTask, store, ent.Nobody, installed{id[:]}); err != nil {
		return nil, err
	}
	l.InstallsCount++
	return l, nil
}

// MarketplaceThemeSubmit offers a theme of the store to the marketplace, as it is
// now: later changes of the theme change nothing of what was submitted. The theme stays
// locked, and its files with it, until what refers to them is committed, which is of no
// store: where that may lie on another shard it is a transaction of its own.
func (m Mutation) MarketplaceThemeSubmit(ctx context.Context, in model.MarketplaceThemeSubmitInput,
) (*model.MarketplaceSubmissionPayload, error) {
	c := &core.Check{}
	checkSubmission(c, &in)
	if err := c.Err(); err != nil {
		return nil, err
	}
	var row *db.MarketplaceTheme
	err := m.withTheme(ctx, in.ThemeID, func(ctx context.Context, s *db.Store, t *db.Theme,
	) (_ *core.Record, err error) {
		if t.Status != state.ThemeInactive {
			return nil, notReady(t)
		}
		if row != nil && m.Store.Sharded() {
			return nil, nil // it was committed when this ran before
		}
		row, err = m.submit(m.Store.Aside(ctx), s, t, in)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return &model.MarketplaceSubmissionPayload{Submission: m.submission(row)}, nil
}

// checkSubmission judges what is submitted, and sorts its categories.
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
		checkCategory(c, "categories/"+strconv.Itoa(i), s)
	}
	in.Categories = slices.Compact(slices.Sorted(slices.Values(in.Categories)))
}

// checkCategory checks a word under which a theme is found.
func checkCategory(c *core.Check, name, word string) {
	switch {
	case word == "":
		c.Add(name, fault.TooShort, "The category is empty.")
	case len(word) > limit.Category:
		c.Add(name, fault.TooLong, "The category has more than "+strconv.Itoa(limit.Category)+" characters.")
	case strings.ContainsFunc(word, func(r rune) bool { return !core.HandleRune(r) }):
		c.Add(name, fault.InvalidFormat, "A category is made of a-z, 0-9 and -.")
	}
}

// submit writes a new theme of the marketplace, in one transaction with what tells the
// store's log.
func (m Mutation) submit(ctx context.Context, s *db.Store, t *db.Theme, in model.MarketplaceThemeSubmitInput,
) (row *db.MarketplaceTheme, err error) {
	err = m.Commit(ctx, xid.MarketplaceTheme, func(ctx context.Context) (_ *core.Record, err error) {
		if row, err = m.createListing(ctx, s, t, in); err != nil {
			return nil, err
		}
		return nil, m.auditListing(ctx, row, "marketplace_theme.submit", row.Slug)
	})
	if err != nil {
		return nil, err
	}
	return row, nil
}

// createListing writes a new theme of the marketplace under a name in addresses that is
// free.
func (m Mutation) createListing(ctx context.Context, s *db.Store, t *db.Theme, in model.MarketplaceThemeSubmitInput,
) (*db.MarketplaceTheme, error) {
	id, name := xid.New(), cmp.Or(deref(in.Name), t.Name)
	create := func(slug string) (*db.MarketplaceTheme, error) {
		return m.Client(ctx).MarketplaceTheme.Create().SetID(id).SetSubmitterID(s.ID).SetSlug(slug).SetName(name).
			SetNillableTagline(in.Tagline).SetAuthor(cmp.Or(deref(in.Author), deref(t.Author), s.Name)).
			SetThemeVersion(cmp.Or(deref(t.ThemeVersion), install.FirstVersion)).
			SetPriceMinor(in.PriceMinor).SetCurrency(cmp.Or(deref(in.Currency), s.Currency)).
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
		return nil, fault.Invalid(fault.Field{Pointer: "#/slug", Code: fault.Taken,
			Detail: "Another theme of the marketplace has this name in addresses."})
	}
	if err != nil {
		return nil, fmt.Errorf("submit theme: %w", err)
	}
	return row, nil
}

// auditListing notes a change of a theme of the marketplace in the log of the viewer's
// store. The theme is nobody's, and has neither a version nor events.
func (m Mutation) auditListing(ctx context.Context, row *db.MarketplaceTheme, action, detail string) error {
	return audit.WriteBehind(ctx, m.Tasks, ent.Nobody, action, xid.MarketplaceTheme, row.ID, detail)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// listingMove is one transition of a theme on its way to the marketplace.
type listingMove struct {
	action string
	to     state.ListingStatus
	from   []state.ListingStatus
	// mine says that only the store that submitted the theme may make it; for
	// others it does not exist.
	mine bool
	// others says that people of that store may not make it.
	others bool
	set    func(*db.MarketplaceTheme, *db.MarketplaceThemeUpdate)
}

// moveListing makes a transition, of those who try at once for one.
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
	var row *db.MarketplaceTheme
	err = m.Commit(ctx, xid.MarketplaceTheme, func(ctx context.Context) (_ *core.Record, err error) {
		if row, err = m.listing(ctx, uid, ent.ForUpdate); err != nil {
			return nil, err
		}
		own := m.submission(row).Own(ctx)
		if move.mine && !own {
			return nil, core.ErrNoRow
		}
		if move.others && own && v.IsPerson() {
			return nil, fault.New(fault.Forbidden, "What a store submitted is approved by people of another one.")
		}
		if err := m.moveTo(ctx, row, move); err != nil {
			return nil, err
		}
		return nil, m.auditListing(ctx, row, move.action, string(move.to))
	})
	if err != nil {
		return nil, err
	}
	return &model.MarketplaceSubmissionPayload{Submission: m.submission(row)}, nil
}

// moveTo writes a transition.
func (m Mutation) moveTo(ctx context.Context, row *db.MarketplaceTheme, move listingMove) error {
	if err := core.Allowed("theme of the marketplace", row.Status, move.to, move.from...); err != nil {
		return err
	}
	update := m.Client(ctx).MarketplaceTheme.Update().
		Where(marketplacetheme.ID(row.ID), marketplacetheme.StatusEQ(row.Status))
	row.Status, row.UpdatedAt = move.to, core.UpdateTime(ctx, row.UpdatedAt)
	if move.set != nil {
		move.set(row, update)
	}
	n, err := update.SetStatus(row.Status).SetUpdatedAt(row.UpdatedAt).Save(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("change theme of the marketplace: %w", err)
	case n == 0:
		return fault.State(fault.InvalidTransition, "The theme of the marketplace was changed meanwhile.")
	}
	return nil
}

// MarketplaceThemeReview approves or rejects what was submitted, by a reviewer of
// the marketplace. Nobody approves what their own store submitted.
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

// MarketplaceThemePublish shows what was approved, or was unlisted, to all stores.
func (m Mutation) MarketplaceThemePublish(ctx context.Context, id string) (*model.MarketplaceSubmissionPayload, error) {
	return m.moveListing(ctx, id,
		listingMove{action: "marketplace_theme.publish", mine: true, to: state.ListingPublished,
			from: []state.ListingStatus{state.ListingApproved, state.ListingUnlisted},
			set: func(row *db.MarketplaceTheme, u *db.MarketplaceThemeUpdate) {
				row.PublishedAt = new(row.UpdatedAt)
				u.SetPublishedAt(row.UpdatedAt)
			}})
}

// MarketplaceThemeUnlist takes a published theme off the marketplace. Stores that
// installed it keep it.
func (m Mutation) MarketplaceThemeUnlist(ctx context.Context, id string) (*model.MarketplaceSubmissionPayload, error) {
	return m.moveListing(ctx, id, listingMove{action: "marketplace_theme.unlist", mine: true, to: state.ListingUnlisted,
		from: []state.ListingStatus{state.ListingPublished}})
}
