package storefront

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// SearchPath is where the host of a store serves the search.
const SearchPath = "/search"

// Menus are the menus of a storefront. They have no dead links.
type Menus struct{ Main, Footer []Link }

// Link is a menu link: a path of the shop or an https address.
type Link struct {
	Title    string
	Address  string
	Children []Link
}

// Menus returns the menus of a state, in at most one statement. By default, the main menu has home
// and search, and the footer has the published pages. A link to something that visitors cannot see
// is left out, with the links below it.
func (s Storefront) Menus(ctx context.Context, st *State) (*Menus, error) {
	set, err := st.Menus.Fields()
	if err != nil {
		return nil, fmt.Errorf("read menus: %w", err)
	}
	shown := &Menus{}
	if set.Main == nil {
		set.Main = defaultMain(st.Language)
	}
	found, err := s.targets(ctx, slices.Concat(set.Main, set.Footer), set.Footer == nil)
	if err != nil {
		return nil, core.Explain("menus", err)
	}
	shown.Main, shown.Footer = found.links(set.Main), found.links(set.Footer)
	if set.Footer == nil {
		shown.Footer = found.pages[:min(len(found.pages), limit.MenuLinks)]
	}
	return shown, nil
}

// targets are the pages, products and collections that menus link to.
type targets struct {
	paths map[string]string // by public id
	pages []Link            // the published ones, oldest first
}

const (
	pagesQuery       = "SELECT 0, id, handle, title FROM pages%s WHERE store_id = ? AND status = ?"
	productsQuery    = " UNION ALL SELECT 1, id, handle, '' FROM products WHERE store_id = ? AND status = ? AND id IN (%s)"
	collectionsQuery = " UNION ALL SELECT 2, id, handle, '' FROM collections WHERE store_id = ? AND gone = ? AND id IN (%s)"
)

// targets reads the targets of links. With all, it reads the published pages in any case; the limit
// of pages bounds their number.
func (s Storefront) targets(ctx context.Context, links []*document.MenuLink, all bool) (*targets, error) {
	found := &targets{paths: map[string]string{}}
	to := linked{}
	to.add(links)
	if !to.some && !all {
		return found, nil
	}
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	query := fmt.Sprintf(pagesQuery, ent.IndexHint(s.Store.Dialect(), "pages", "page_store_id_status_id"))
	args := []any{v.Store, state.PagePublished}
	add := func(part string, is any, ids []any) {
		if len(ids) > 0 {
			query += fmt.Sprintf(part, strings.TrimSuffix(strings.Repeat("?, ", len(ids)), ", "))
			args = append(append(args, v.Store, is), ids...)
		}
	}
	add(productsQuery, state.ProductActive, to.products)
	add(collectionsQuery, false, to.collections)
	return found, s.readTargets(ctx, found, query, args)
}

type linked struct {
	products, collections []any
	some                  bool // whether any link leads to these or to a page
}

func (to *linked) add(links []*document.MenuLink) {
	for _, l := range links {
		to.add(l.Children)
		if l.ResourceID == nil {
			continue
		}
		to.some = true
		switch l.Target {
		case state.TargetProduct:
			if id, err := xid.Product.Parse(*l.ResourceID); err == nil {
				to.products = append(to.products, id)
			}
		case state.TargetCollection:
			if id, err := xid.Collection.Parse(*l.ResourceID); err == nil {
				to.collections = append(to.collections, id)
			}
		}
	}
}

func (s Storefront) readTargets(ctx context.Context, found *targets, query string, args []any) error {
	err := ent.Read(ctx, s.Client(ctx), func(rows *stdsql.Rows) error {
		var part int
		var id xid.ID
		var handle, title string
		if err := rows.Scan(&part, &id, &handle, &title); err != nil {
			return fmt.Errorf("scan: %w", err)
		}
		switch part {
		case 1:
			found.paths[xid.Product.Format(id)] = ProductRoot + handle
		case 2:
			found.paths[xid.Collection.Format(id)] = CollectionRoot + handle
		default:
			found.paths[xid.Page.Format(id)] = PageRoot + handle
			found.pages = append(found.pages, Link{Title: title, Address: PageRoot + handle})
		}
		return nil
	}, query, args...)
	slices.SortStableFunc(found.pages, func(a, b Link) int { return strings.Compare(a.Title, b.Title) })
	return err
}

func (t *targets) links(set []*document.MenuLink) (list []Link) {
	for _, l := range set {
		address := ""
		switch l.Target {
		case state.TargetHome:
			address = "/"
		case state.TargetProducts:
			address = ProductsPath
		case state.TargetSearch:
			address = SearchPath
		case state.TargetAddress:
			address = core.Deref(l.Address)
		case state.TargetPage, state.TargetProduct, state.TargetCollection:
			address = t.paths[core.Deref(l.ResourceID)]
		}
		if address != "" {
			list = append(list, Link{l.Title, address, t.links(l.Children)})
		}
	}
	return list
}

func defaultMain(l state.Language) []*document.MenuLink {
	t := phrase.In(l)
	return []*document.MenuLink{
		{Title: t.Say(phrase.Home), Target: state.TargetHome},
		{Title: t.Say(phrase.Products), Target: state.TargetProducts},
		{Title: t.Say(phrase.Search), Target: state.TargetSearch},
	}
}
