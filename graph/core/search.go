package core

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Arrangement holds the order and the search of a list, besides its filters.
type Arrangement struct {
	Sort state.ListSort
	// Asked is the normalized text of the search; nil selects all rows.
	Asked *string
	// UpdatedFrom is the filter of the same name.
	UpdatedFrom *micros.Time
	// Until is [List.Until]; nil without UpdatedFrom.
	Until *micros.Time
}

// Arrange validates the arrangement of a list. asked is the normalized text of the search, which
// includes the tag. filtered means that there are filters besides
// updatedFrom and a tag. Combinations that no index serves are refused.
func Arrange(
	asked, tag *string, sort *state.ListSort, updatedFrom *micros.Time, filtered bool,
) (a Arrangement, err error) {
	a.Sort, a.Asked, a.UpdatedFrom = state.ListNewest, asked, updatedFrom
	if updatedFrom != nil {
		a.Until = new(micros.Max)
	}
	Opt(sort, func(s state.ListSort) { a.Sort = s })
	refused := func(name, detail string) (Arrangement, error) {
		return Arrangement{}, &fault.Error{Kind: fault.InvalidParameter, Detail: detail,
			Fields: []fault.Field{{Parameter: name, Code: fault.UnknownValue, Detail: detail}}}
	}
	switch {
	case tag != nil && updatedFrom != nil:
		return refused("tag", "A list of changes cannot be filtered by tag. Leave out the tag or the time.")
	case a.Asked != nil && updatedFrom != nil:
		return refused("query", "A list of changes cannot be searched. Leave out the query or updatedFrom.")
	case a.Sort == state.ListNewest:
		return a, nil
	case a.Asked != nil:
		return refused("sort", "Search results are sorted newest first. Leave out the query, the tag or the order.")
	case updatedFrom != nil:
		return refused("sort", "A list of changes is sorted oldest change first. Leave out the order or updatedFrom.")
	case a.Sort == state.ListUpdated && filtered:
		return refused("sort", "A list sorted by last change has no filters.")
	}
	return a, nil
}

// ByChange reports whether positions in the list are in the order of changes.
func (a Arrangement) ByChange() bool { return a.UpdatedFrom != nil || a.Sort == state.ListUpdated }

// Pairs adds the arrangement to the filters that cursors contain.
func (a Arrangement) Pairs(filters []string) []string {
	if a.Asked != nil {
		filters = append(filters, "query", *a.Asked)
	}
	if a.Sort != state.ListNewest {
		filters = append(filters, "sort", string(a.Sort))
	}
	return filters
}

// Window returns the page of the list after a position, along an index.
func (a Arrangement) Window(after *page.Position, limit int, index string) Window {
	return Window{After: after, Limit: limit, Index: index, UpdatedFrom: a.UpdatedFrom, Until: a.Until,
		Sort: a.Sort}
}

// MaxCount is the largest number that counts return.
const MaxCount = 10_000

// Counts counts the rows of a table in each of several states, up to [MaxCount] per state, along an
// index that begins with the store and the state.
func (c *Core) Counts(ctx context.Context, table, column, index string, states ...string) ([]*model.Count, error) {
	ranges := ent.Ranges{Table: table, Index: index, Columns: []string{column}}
	for _, s := range states {
		ranges.Values = append(ranges.Values, []any{s})
	}
	ns, err := c.CountRanges(ctx, ranges, MaxCount)
	if err != nil {
		return nil, err
	}
	counts := make([]*model.Count, len(ns))
	for i, n := range ns {
		counts[i] = &model.Count{Value: min(n, MaxCount), More: n > MaxCount}
	}
	return counts, nil
}

// CountRanges counts the rows of each range, up to bound + 1, with one statement.
func (c *Core) CountRanges(ctx context.Context, r ent.Ranges, bound int) ([]int, error) {
	var where strings.Builder
	for _, column := range r.Columns {
		where.WriteString(" AND " + column + " = ?")
	}
	parts, args := make([]string, len(r.Values)), []any(nil)
	for i, v := range r.Values {
		parts[i] = fmt.Sprintf("SELECT %d, COUNT(*) FROM (SELECT 1 FROM %s%s WHERE store_id = ?%s LIMIT %d) c%d",
			i, r.Table, ent.IndexHint(c.Store.Dialect(), r.Table, r.Index), where.String(), bound+1, i)
		args = append(append(args, viewer.From(ctx).Store), v...)
	}
	counts := make([]int, len(r.Values))
	err := ent.Read(ctx, c.Client(ctx), func(rows *stdsql.Rows) error {
		var i, n int
		err := rows.Scan(&i, &n)
		counts[i] = n
		return err
	}, strings.Join(parts, " UNION ALL "), args...)
	if err != nil {
		return nil, fmt.Errorf("count %s: %w", r.Table, err)
	}
	return counts, nil
}
