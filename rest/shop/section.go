package shop

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

// sectionOffers is how many products of a collection a section shows.
const sectionOffers = 8

// section is a section of the home page with what it shows.
type section struct {
	theme.Section
	link   string
	image  *storefront.Image // of an image
	offers []*storefront.Offer
}

// sections reads the sections of a home page. Those whose collection or products are gone are left
// out.
func (s *Shop) sections(ctx context.Context, st *storefront.State, list []theme.Section) (shown []section, err error) {
	for _, one := range list {
		show := section{Section: one, link: one.Link}
		switch one.Kind {
		case theme.SectionImage:
			if show.image, err = s.Core.ImageAt(ctx, one.Image, one.Alt); err != nil {
				return nil, err
			}
		case theme.SectionCollection:
			if err := s.fillCollection(ctx, &show); err != nil {
				return nil, err
			}
		case theme.SectionProducts:
			ids := make([]xid.ID, 0, len(one.Products))
			for _, text := range one.Products {
				if id, err := xid.Product.Parse(text); err == nil {
					ids = append(ids, id)
				}
			}
			if show.offers, err = s.Core.Offers(ctx, ids); err != nil {
				return nil, err
			}
			show.Title = cmp.Or(show.Title, st.Say(phrase.Products))
		}
		if show.image != nil || one.Kind == theme.SectionText || len(show.offers) > 0 {
			shown = append(shown, show)
		}
	}
	return shown, nil
}

// sectioned reports whether a theme shows sections.
func (l *look) sectioned() bool {
	return slices.ContainsFunc(l.settings, func(s theme.Setting) bool {
		return s.Name == theme.SectionsSetting && s.Kind == state.SettingText
	})
}

// fillCollection reads the first products of a section's collection.
func (s *Shop) fillCollection(ctx context.Context, show *section) error {
	id, err := xid.Collection.Parse(show.Collection)
	if err != nil {
		return nil //nolint:nilerr // it shows nothing
	}
	c, err := s.Core.CollectionByID(ctx, id)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	p, err := s.Core.List(ctx, listings.List{ID: c.ID, Sort: c.Sort, InStock: c.InStock})
	if err != nil {
		return err
	}
	show.offers, show.link = p.Offers[:min(len(p.Offers), sectionOffers)], storefront.CollectionRoot+c.Handle
	show.Title = cmp.Or(show.Title, c.Title)
	return nil
}

// sectionData returns the sections for templates, flat: a section with products is followed by its
// products and by an end, so that templates need no range inside a range.
func sectionData(list []section, in scene) []any {
	all := []any{}
	for _, s := range list {
		kind := s.Kind
		if len(s.offers) > 0 {
			kind = theme.SectionProducts
		}
		one := map[string]any{"kind": kind, "title": orNil(s.Title), "image": imageData(s.image), "url": nil,
			"label": orNil(s.Label),
			"text": texts(slices.DeleteFunc(strings.Split(s.Text, "\n"),
				func(line string) bool { return strings.TrimSpace(line) == "" }))}
		if s.link != "" {
			one["url"] = s.link
			if strings.HasPrefix(s.link, "/") && !strings.ContainsAny(s.link, "?#") {
				one["url"] = in.links.to(s.link)
			}
		}
		if kind == theme.SectionText {
			one["label"] = orNil(cmp.Or(s.Label, s.Title, s.Link))
		}
		all = append(all, one)
		for _, card := range cards(s.offers, in) {
			all = append(all, map[string]any{"kind": "product", "product": card})
		}
		if len(s.offers) > 0 {
			all = append(all, map[string]any{"kind": "end", "label": in.shop.Say(phrase.ShowAll), "url": one["url"]})
		}
	}
	return all
}
