package shop

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

// Query parameters of a list.
const (
	sortParam   = "sort"
	afterParam  = "after"
	beforeParam = "before"
	leastParam  = "min"
	mostParam   = "max"
	optionParam = "option" // such as Color:Red
	stockParam  = "stock"
)

const (
	// maxChosen is how many option values can filter a list at once.
	maxChosen = 3
	// maxParam is the longest parameter of a list, in bytes; longer ones are ignored.
	maxParam = 600
)

type asked struct {
	sort          listings.Sort // "" for the list's default
	after, before string
	least, most   string
	options       []string
	inStock       bool
}

// askedOf parses the parameters of a list. It drops those without effect, so that equal lists have
// one spelling.
func askedOf(q url.Values) (a asked) {
	get := func(name string) string {
		if v := q.Get(name); len(v) <= maxParam {
			return v
		}
		return ""
	}
	if sort := listings.Sort(get(sortParam)); sort.Known() {
		a.sort = sort
	}
	a.after = get(afterParam)
	if a.after == "" {
		a.before = get(beforeParam)
	}
	a.least, a.most = question(get(leastParam)), question(get(mostParam))
	a.inStock = get(stockParam) != ""
	for _, o := range q[optionParam] {
		o = question(o)
		if len(a.options) < maxChosen && strings.Contains(o, ":") && !slices.Contains(a.options, o) {
			a.options = append(a.options, o)
		}
	}
	slices.Sort(a.options)
	return a
}

// query returns the parameters in their one spelling; "" for the first page in the default order
// without filters.
func (a asked) query() string {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set(sortParam, string(a.sort))
	set(afterParam, a.after)
	set(beforeParam, a.before)
	set(leastParam, a.least)
	set(mostParam, a.most)
	if a.inStock {
		q.Set(stockParam, "1")
	}
	for _, o := range a.options {
		q.Add(optionParam, o)
	}
	return q.Encode()
}

// list returns what to read; an invalid price does not filter.
func (a asked) list(on xid.ID, own listings.Sort, currency string) listings.List {
	l := listings.List{ID: on, Sort: a.sort, After: a.after, Before: a.before, InStock: a.inStock,
		Least: storefront.PriceOf(a.least, currency), Most: storefront.PriceOf(a.most, currency)}
	if l.Sort == "" || l.Sort == listings.Manual && own != listings.Manual { // there is no manual order here
		l.Sort = own
	}
	for _, o := range a.options {
		name, value, _ := strings.Cut(o, ":")
		l.On = append(l.On, listings.Option(name, value))
	}
	if on == listings.All && len(l.On) > 0 { // the scan is shorter there
		l.ID, l.On = l.On[0], l.On[1:]
	}
	return l
}

// from returns the parameters of the first page after a change.
func (a asked) from(change func(*asked)) asked {
	a.after, a.before, a.options = "", "", slices.Clone(a.options)
	change(&a)
	return a
}

type listed struct {
	asked
	*storefront.ProductPage
	own    listings.Sort
	facets []storefront.Facet
	path   string
	title  string
	// description is the collection's. always says that the collection never contains sold-out
	// products.
	description string
	always      bool
}

func (s *Shop) readList(ctx context.Context, in scene, l *listed, on xid.ID) (err error) {
	asks := l.list(on, l.own, in.shop.Currency)
	asks.InStock = asks.InStock || l.always
	if l.ProductPage, err = s.Core.List(ctx, asks); err == nil {
		l.facets, err = s.Core.Facets(ctx, on)
	}
	return err
}

func (l *listed) data(in scene) map[string]any {
	at := func(a asked) string {
		if q := a.query(); q != "" {
			return in.links.to(l.path + "?" + q)
		}
		return in.links.to(l.path)
	}
	page := func(cursor string, change func(*asked)) any {
		if cursor == "" {
			return nil
		}
		return at(l.from(change))
	}
	return map[string]any{
		"title": l.title, "description": orNil(l.description), "products": cards(l.Offers, in),
		"url":   in.links.to(l.path),
		"sorts": l.sorts(in.shop, at), "filters": l.filters(at), "filtered": l.narrowed(),
		"min": orNil(l.least), "max": orNil(l.most), "fields": l.fields(in.links), "all_url": in.links.to(l.path),
		"next_url":     page(l.After, func(a *asked) { a.after = l.After }),
		"previous_url": page(l.Before, func(a *asked) { a.before = l.Before }),
	}
}

func (l *listed) narrowed() bool {
	return len(l.options) > 0 || l.least != "" || l.most != "" || l.inStock
}

func (l *listed) sorts(st *storefront.State, at func(asked) string) []any {
	var all []any
	for _, s := range []listings.Sort{
		listings.Manual, listings.Newest, listings.PriceUp, listings.PriceDown, listings.Title,
	} {
		if s == listings.Manual && l.own != s {
			continue
		}
		to := l.from(func(a *asked) {
			if a.sort = s; s == l.own {
				a.sort = ""
			}
		})
		all = append(all, map[string]any{"title": st.WordSort(s), "url": at(to), "current": to.sort == l.asked.sort ||
			l.asked.sort == s})
	}
	return all
}

// filters returns the options that filter a list; each value has the address that adds or removes
// it.
func (l *listed) filters(at func(asked) string) []any {
	groups := []any{}
	var name string
	var values []any
	end := func() {
		if len(values) > 0 {
			groups = append(groups, map[string]any{"name": name, "values": values})
		}
		values = nil
	}
	for _, f := range l.facets {
		if f.Name != name {
			end()
			name = f.Name
		}
		text := f.Name + ":" + f.Value
		chosen := slices.Contains(l.options, text)
		if !chosen && len(l.options) == maxChosen {
			continue
		}
		values = append(values, map[string]any{"title": f.Value, "current": chosen,
			"url": at(l.from(func(a *asked) { a.toggle(text) }))})
	}
	end()
	return groups
}

func (a *asked) toggle(option string) {
	if i := slices.Index(a.options, option); i >= 0 {
		a.options = slices.Delete(a.options, i, i+1)
		return
	}
	a.options = append(a.options, option)
	slices.Sort(a.options)
}

// fields returns the hidden fields of the price form.
func (l *listed) fields(links links) []any {
	all := links.fields()
	add := func(name, value string) {
		if value != "" {
			all = append(all, map[string]any{"name": name, "value": value})
		}
	}
	add(sortParam, string(l.asked.sort))
	if l.inStock {
		add(stockParam, strconv.Itoa(1))
	}
	for _, o := range l.options {
		add(optionParam, o)
	}
	return all
}
