package appearance

import (
	"context"
	"errors"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/marketplacetheme"
	"github.com/storefront-go/storefront/ent/db/predicate"
	themes "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

const (
	statusIndex    = "marketplacetheme_status_published_at_id"
	submitterIndex = "marketplacetheme_submitter_id_id"
	// installedIndex is the index of a store's themes by the marketplace theme that they were
	// installed from.
	installedIndex = "theme_store_id_marketplace_theme_id_id"
)

// MarketplaceThemes lists the published themes of the marketplace, the most recently published
// first. A page takes two statements: the themes, and the store's installations of them.
func (q Query) MarketplaceThemes(
	ctx context.Context, first *int, after *string,
) (*model.MarketplaceThemeConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.MarketplaceTheme]{
		Name: "marketplace_themes",
		At: func(m *model.MarketplaceTheme) page.Position {
			return page.Position{Time: m.PublishedAt(), ID: m.ID}
		},
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.MarketplaceTheme, error) {
			query := q.Client(ctx).MarketplaceTheme.Query().Where(marketplacetheme.StatusEQ(state.ListingPublished))
			query.Modify(func(s *sql.Selector) { publishedPage(s, after, limit) })
			rows, err := query.Load(ctx)
			if err != nil {
				return nil, err
			}
			return q.listed(ctx, rows)
		},
	}, first, after)
}

func publishedPage(s *sql.Selector, after *page.Position, limit int) {
	ent.ForceIndex(statusIndex)(s)
	published, id := s.C(marketplacetheme.FieldPublishedAt), s.C(marketplacetheme.FieldID)
	if after != nil {
		ent.Below(s, published, id, after.Time, after.ID)
	}
	s.OrderExpr(sql.Raw(published+" DESC"), sql.Raw(id+" DESC")).Limit(limit)
}

// MarketplaceTheme returns one published theme of the marketplace.
func (q Query) MarketplaceTheme(ctx context.Context, id string) (*model.MarketplaceTheme, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	return core.Get(ctx, xid.MarketplaceTheme, id, func(
		ctx context.Context, id xid.ID,
	) (*model.MarketplaceTheme, error) {
		l, err := q.listing(ctx, id, ent.NoLock)
		if err != nil {
			return nil, err
		}
		if l.Status != state.ListingPublished {
			return nil, core.ErrNoRow
		}
		shown, err := q.listed(ctx, []*db.MarketplaceTheme{l})
		if err != nil {
			return nil, err
		}
		return shown[0], nil
	})
}

// listing reads a theme of the marketplace in any state.
func (r *Resolver) listing(ctx context.Context, id xid.ID, lock func(*sql.Selector)) (*db.MarketplaceTheme, error) {
	return core.Row(ctx, r.Client(ctx).MarketplaceTheme.Query().Where(marketplacetheme.ID(id)), lock)
}

// listed returns published themes with the installations of the viewer's store.
func (r *Resolver) listed(ctx context.Context, rows []*db.MarketplaceTheme) ([]*model.MarketplaceTheme, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	query := r.Client(ctx).Theme.Query().
		Where(themes.MarketplaceThemeIDIn(core.IDs(rows, func(m *db.MarketplaceTheme) *xid.ID { return &m.ID })...))
	var mine []struct {
		Listing xid.ID `sql:"marketplace_theme_id"`
		ID      xid.ID `sql:"id"`
	}
	err := query.Modify(func(s *sql.Selector) {
		ent.ForceIndex(installedIndex)(s)
		s.Select(s.C(themes.FieldMarketplaceThemeID), s.C(themes.FieldID)).OrderBy(s.C(themes.FieldID))
	}).Scan(ctx, &mine)
	if err != nil {
		return nil, fmt.Errorf("find installed themes: %w", err)
	}
	newest := make(map[xid.ID]*xid.ID, len(mine))
	for i := range mine {
		newest[mine[i].Listing] = &mine[i].ID
	}
	shown := make([]*model.MarketplaceTheme, len(rows))
	for i, m := range rows {
		if m.PublishedAt == nil {
			return nil, errors.New("a published theme of the marketplace has no time")
		}
		shown[i] = &model.MarketplaceTheme{APIHost: r.APIHost,
			Listing: wire.Listing{MarketplaceTheme: m, PublishedAt: *m.PublishedAt, Installed: newest[m.ID]}}
	}
	return shown, nil
}

// MarketplaceSubmissions lists the store's submissions, newest first.
func (q Query) MarketplaceSubmissions(
	ctx context.Context, first *int, after *string,
) (*model.MarketplaceSubmissionConnection, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	return q.submissions(ctx, "marketplace_submissions", submitterIndex, first, after,
		marketplacetheme.SubmitterID(v.Store))
}

// MarketplaceReviews lists the submissions that await review, newest first. Only reviewers may call
// it.
func (q Query) MarketplaceReviews(
	ctx context.Context, first *int, after *string,
) (*model.MarketplaceSubmissionConnection, error) {
	if err := q.reviewer(ctx); err != nil {
		return nil, core.Explain("store", err)
	}
	return q.submissions(ctx, "marketplace_reviews", statusIndex, first, after,
		marketplacetheme.StatusEQ(state.ListingSubmitted), marketplacetheme.PublishedAtIsNil())
}

func (q Query) submissions(
	ctx context.Context, name, index string, first *int, after *string, where ...predicate.MarketplaceTheme,
) (*model.MarketplaceSubmissionConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.MarketplaceSubmission]{
		Name: name,
		At:   func(m *model.MarketplaceSubmission) page.Position { return core.ByID(m.ID) },
		Read: core.ReadNewest(index, func() *db.MarketplaceThemeQuery {
			return q.Client(ctx).MarketplaceTheme.Query().Where(where...)
		}, q.submission),
	}, first, after)
}

func (r *Resolver) submission(m *db.MarketplaceTheme) *model.MarketplaceSubmission {
	return &model.MarketplaceSubmission{MarketplaceTheme: m, APIHost: r.APIHost}
}

func (r *Resolver) reviewer(ctx context.Context) error {
	if _, err := core.Caller(ctx); err != nil {
		return err
	}
	s, err := r.CurrentStore(ctx)
	if err != nil {
		return err
	}
	if r.Reviewer == nil || !r.Reviewer(s) {
		return fault.New(fault.Forbidden, "Only marketplace reviewers have access to this.")
	}
	return nil
}
