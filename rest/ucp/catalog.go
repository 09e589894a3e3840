package ucp

import (
	"net/http"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
)

// defaultProducts is how many products a search returns by default, and maxIDs how many a lookup names.
const (
	defaultProducts = 10
	maxIDs          = 50
)

type money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

type plain struct {
	Plain string `json:"plain"`
}

type medium struct {
	Type string `json:"type"`
	URL  string `json:"url"`
	Alt  string `json:"alt_text,omitempty"`
}

type label struct {
	Name  string `json:"name,omitempty"`
	Label string `json:"label"`
}

type productOption struct {
	Name   string  `json:"name"`
	Values []label `json:"values"`
}

type productVariant struct {
	ID           string          `json:"id"`
	SKU          string          `json:"sku,omitempty"`
	Title        string          `json:"title"`
	Description  plain           `json:"description"`
	Price        money           `json:"price"`
	ListPrice    *money          `json:"list_price,omitempty"`
	Availability map[string]bool `json:"availability"`
	Options      []label         `json:"options,omitempty"`
	Inputs       []match         `json:"inputs,omitempty"`
}

// match names the id of a lookup that found a variant.
type match struct {
	ID    string `json:"id"`
	Match string `json:"match"`
}

type product struct {
	ID          string           `json:"id"`
	Handle      string           `json:"handle"`
	Title       string           `json:"title"`
	Description plain            `json:"description"`
	URL         string           `json:"url"`
	PriceRange  map[string]money `json:"price_range"`
	Media       []medium         `json:"media,omitempty"`
	Options     []productOption  `json:"options,omitempty"`
	Tags        []string         `json:"tags,omitempty"`
	Variants    []productVariant `json:"variants"`
}

// searchInput is the body of a search.
type searchInput struct {
	Query   string `json:"query"`
	Filters struct {
		Price struct{ Min, Max *int64 } `json:"price"`
	} `json:"filters"`
	Pagination struct {
		Cursor string `json:"cursor"`
		Limit  int    `json:"limit"`
	} `json:"pagination"`
}

// lookupInput is the body of a lookup.
type lookupInput struct {
	IDs []string `json:"ids"`
}

// productInput is the body that names one product.
type productInput struct {
	ID string `json:"id"`
}

type lookupAnswer struct {
	UCP      metadata  `json:"ucp"`
	Products []product `json:"products"`
}

type productAnswer struct {
	UCP     metadata `json:"ucp"`
	Product product  `json:"product"`
}

type searchAnswer struct {
	lookupAnswer

	Pagination pagination `json:"pagination"`
}

type pagination struct {
	More   bool   `json:"has_next_page"`
	Cursor string `json:"cursor,omitempty"`
}

// search is POST /catalog/search. With words it returns the best matches on one page, without them all
// products, the newest first.
func (c *call) search() (answer, error) {
	var in searchInput
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	most := in.Pagination.Limit
	if most == 0 {
		most = defaultProducts
	}
	if most < 1 || len(in.Query) > limit.Bytes(limit.Line) {
		return answer{}, invalid("The query is too long, or the limit is not positive.")
	}
	most = min(most, storefront.MaxOffers)
	offers, after, err := c.matching(in)
	if err != nil {
		return answer{}, err
	}
	ids := []xid.ID{}
	for _, o := range offers {
		p := in.Filters.Price
		if (p.Min == nil || o.PriceMinor >= *p.Min) && (p.Max == nil || o.PriceMinor <= *p.Max) {
			ids = append(ids, o.ID)
		}
	}
	ids = ids[:min(len(ids), most)]
	list, err := c.whole(ids)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, body: searchAnswer{
		lookupAnswer{named("catalog.search"), list}, pagination{after != "", after}}}, nil
}

// matching returns the products of a search, as the pages list them, and the cursor of the next page.
func (c *call) matching(in searchInput) (list []*storefront.Offer, after string, err error) {
	if strings.TrimSpace(in.Query) != "" {
		list, _, err = c.Core.Search(c.ctx, in.Query)
		return list, "", err
	}
	page, err := c.Core.List(c.ctx, listings.List{ID: listings.All, Sort: listings.Newest,
		Least: in.Filters.Price.Min, Most: in.Filters.Price.Max, After: in.Pagination.Cursor})
	if err != nil {
		return nil, "", err
	}
	return page.Offers, page.After, nil
}

// lookup is POST /catalog/lookup. It leaves out ids that are unknown.
func (c *call) lookup() (answer, error) {
	var in lookupInput
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	if len(in.IDs) == 0 || len(in.IDs) > maxIDs {
		return answer{}, invalid("A lookup names 1 to 50 ids.")
	}
	list, err := c.named(in.IDs)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, body: lookupAnswer{named("catalog.lookup"), list}}, nil
}

// product is POST /catalog/product.
func (c *call) product() (answer, error) {
	var in productInput
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	list, err := c.named([]string{in.ID})
	if err != nil {
		return answer{}, err
	}
	if len(list) == 0 {
		return answer{}, unknown("Product not found.")
	}
	return answer{status: http.StatusOK, body: productAnswer{named("catalog.lookup"), list[0]}}, nil
}

// named returns the products with the ids, each with the ids that named it.
func (c *call) named(ids []string) ([]product, error) {
	refs, err := c.Carts.References(c.ctx, ids)
	if err != nil {
		return nil, err
	}
	products := []xid.ID{}
	for _, id := range ids {
		if ref, ok := refs[id]; ok && !slices.Contains(products, ref.Product) {
			products = append(products, ref.Product)
		}
	}
	list, err := c.whole(products)
	for i := range list {
		for _, id := range ids {
			list[i].matches(id, refs[id].Product, refs[id].Variant)
		}
	}
	return list, err
}

// matches notes which variant an id names: one that a product's id names stands for the others.
func (p *product) matches(id string, of, variant xid.ID) {
	if xid.Product.Format(of) != p.ID {
		return
	}
	for j := range p.Variants {
		v := &p.Variants[j]
		switch {
		case v.ID == xid.Variant.Format(variant):
			v.Inputs = append(v.Inputs, match{id, "exact"})
		case variant.IsNil() && j == 0:
			v.Inputs = append(v.Inputs, match{id, "featured"})
		}
	}
}

// whole returns products in full.
func (c *call) whole(ids []xid.ID) ([]product, error) {
	offers, err := c.Core.Whole(c.ctx, ids)
	list := []product{}
	for _, o := range offers {
		list = append(list, c.productOf(o))
	}
	return list, err
}

func (c *call) productOf(o *storefront.Offer) product {
	p := product{ID: xid.Product.Format(o.ID), Handle: o.Handle, Title: o.Title, Tags: o.Tags,
		Description: plain{strings.Join(o.Paragraphs, "\n\n")}, URL: c.origin() + storefront.ProductRoot + o.Handle}
	for _, i := range o.Images {
		p.Media = append(p.Media, medium{"image", c.absolute(i.URL), i.Alt})
	}
	for _, option := range o.Options {
		values := []label{}
		for _, v := range option.Values {
			values = append(values, label{Label: v})
		}
		p.Options = append(p.Options, productOption{option.Name, values})
	}
	least, most := o.PriceMinor, o.PriceMinor
	for _, v := range o.Variants {
		least, most = min(least, v.PriceMinor), max(most, v.PriceMinor)
		p.Variants = append(p.Variants, variantOf(o, v))
	}
	p.PriceRange = map[string]money{"min": {least, o.Currency}, "max": {most, o.Currency}}
	return p
}

func variantOf(o *storefront.Offer, v *storefront.OfferVariant) productVariant {
	pv := productVariant{ID: xid.Variant.Format(v.ID), SKU: v.SKU, Title: o.Title, Description: plain{v.Title},
		Price: money{v.PriceMinor, o.Currency}, Availability: map[string]bool{"available": v.Available}}
	if v.BeforeMinor > 0 {
		pv.ListPrice = &money{v.BeforeMinor, o.Currency}
	}
	for i, text := range v.Texts {
		if i < len(o.Options) {
			pv.Title = titleOf(o.Title, v.Title)
			pv.Options = append(pv.Options, label{o.Options[i].Name, text})
		}
	}
	return pv
}
