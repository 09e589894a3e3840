package storefront

import (
	"context"
	stdsql "database/sql"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
)

// ProductRoot is where the host of a store serves its products, each by handle.
const ProductRoot = "/products/"

const (
	// MaxSitemapEntries is how many addresses one part of the sitemap has at most.
	MaxSitemapEntries = 10_000
	// maxParts is how many parts of products the sitemap has: a million products.
	maxParts = 100
)

// SitemapEntry is an address of the storefront and when its content last changed.
type SitemapEntry struct {
	Path    string
	Changed micros.Time
}

const partQuery = "SELECT MAX(p.id), COUNT(*) FROM (SELECT id FROM products%s WHERE store_id = ? AND status = ? AND " +
	"id > ? ORDER BY id LIMIT %d) p"

// Parts returns where the sitemap's parts of active products begin: each part is what follows one
// of these ids, the first of which is nil. Each part is counted by its own statement, from the
// index alone.
func (s Storefront) Parts(ctx context.Context) ([]xid.ID, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	query := fmt.Sprintf(partQuery, ent.IndexHint(s.Store.Dialect(), "products", activeByID), MaxSitemapEntries)
	after := xid.Nil
	var parts []xid.ID
	for len(parts) < maxParts {
		var last stdsql.Null[xid.ID]
		var count int
		err := ent.Read(ctx, s.Client(ctx), func(rows *stdsql.Rows) error { return rows.Scan(&last, &count) },
			query, v.Store, state.ProductActive, after)
		if err != nil {
			return nil, core.Explain("products", err)
		}
		if count > 0 {
			parts = append(parts, after)
		}
		if count < MaxSitemapEntries {
			break
		}
		after = last.V
	}
	return parts, nil
}

const entriesQuery = "SELECT handle, updated_at FROM %s WHERE store_id = ? AND status = ? AND id > ? " +
	"ORDER BY id LIMIT %d"

// ProductEntries returns the active products of a part of the sitemap.
func (s Storefront) ProductEntries(ctx context.Context, after xid.ID) ([]SitemapEntry, error) {
	return s.entries(ctx, ProductRoot, "products", activeByID, string(state.ProductActive), after)
}

// PageEntries returns the published pages.
func (s Storefront) PageEntries(ctx context.Context) ([]SitemapEntry, error) {
	return s.entries(ctx, PageRoot, "pages", "page_store_id_status_id", string(state.PagePublished), xid.Nil)
}

func (s Storefront) entries(
	ctx context.Context, root, table, index, status string, after xid.ID,
) ([]SitemapEntry, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	query := fmt.Sprintf(entriesQuery, table+ent.IndexHint(s.Store.Dialect(), table, index), MaxSitemapEntries)
	var list []SitemapEntry
	err = ent.Read(ctx, s.Client(ctx), func(rows *stdsql.Rows) error {
		var p SitemapEntry
		err := rows.Scan(&p.Path, &p.Changed)
		p.Path = root + p.Path
		list = append(list, p)
		return err
	}, query, v.Store, status, after)
	return list, core.Explain("storefront", err)
}
