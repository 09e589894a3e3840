package shop

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/storefront"
)

// chosen returns the index of the variant that a product's page shows: the one with the id, or the
// first available one, or the first.
func chosen(o *storefront.Offer, id string) int {
	at := slices.IndexFunc(o.Variants, func(v *storefront.OfferVariant) bool { return xid.Variant.Format(v.ID) == id })
	if at < 0 {
		at = slices.IndexFunc(o.Variants, func(v *storefront.OfferVariant) bool { return v.Available })
	}
	return max(at, 0)
}

// choices returns the values of all options, each with a link to the page that shows the chosen
// variant with this value instead. A value whose combination with the other chosen values is sold
// out or does not exist is not available; its link leads to the closest variant.
func choices(o *storefront.Offer, at int, l links) []any {
	list := []any{}
	for i, option := range o.Options {
		images, closest := swatches(o, i), closest(o, at, i)
		for j, value := range option.Values {
			c := choice(o, at, i, value, closest[value], l)
			c["name"], c["image"] = option.Name, imageData(images[value])
			c["first"], c["last"] = j == 0, j == len(option.Values)-1
			list = append(list, c)
		}
	}
	return list
}

// match is a variant, and how many of the other chosen values it has.
type match struct {
	*storefront.OfferVariant
	alike int
}

// closest returns the variant for each value of an option that has most of the other chosen values,
// preferably an available one.
func closest(o *storefront.Offer, at, option int) map[string]match {
	now, best := o.Variants[at].Texts, map[string]match{}
	for _, v := range o.Variants {
		alike := 0
		for i, text := range v.Texts {
			if text == now[i] && i != option {
				alike++
			}
		}
		b, found := best[v.Texts[option]]
		if !found || alike > b.alike || alike == b.alike && v.Available && !b.Available {
			best[v.Texts[option]] = match{v, alike}
		}
	}
	return best
}

func choice(o *storefront.Offer, at, option int, value string, best match, l links) map[string]any {
	now := o.Variants[at].Texts
	c := map[string]any{"value": value, "url": nil, "current": value == now[option], "chosen": now[option],
		"available": false}
	if best.OfferVariant == nil { // no variant has the value
		return c
	}
	c["url"] = l.to(productRoot + o.Handle + "?" + variantParam + "=" + xid.Variant.Format(best.ID))
	c["available"] = best.Available && best.alike == len(now)-1
	return c
}

// swatches returns the image of each value of an option if the images of the variants depend on
// this option alone: colors have swatches, and sizes have none.
func swatches(o *storefront.Offer, option int) map[string]*storefront.Image {
	of := map[string]*storefront.Image{}
	distinct := map[xid.ID]bool{}
	for _, v := range o.Variants {
		if v.Image == nil {
			continue
		}
		value := v.Texts[option]
		if of[value] != nil && of[value].ID != v.Image.ID {
			return nil
		}
		of[value] = v.Image
		distinct[v.Image.ID] = true
	}
	if len(distinct) < 2 {
		return nil
	}
	return of
}

// details adds what a product's page shows besides: its maker, videos and size chart.
func details(c map[string]any, o *storefront.Offer, l links) {
	c["maker"], c["size_chart"] = makerData(o.Maker), nil
	if o.SizeChart != nil {
		c["size_chart"] = map[string]any{"title": o.SizeChart.Title, "url": l.to(pageRoot + o.SizeChart.Handle)}
	}
	videos := make([]any, len(o.Videos))
	for i, address := range o.Videos {
		title := "YouTube"
		if u, err := url.Parse(address); err == nil && strings.HasSuffix(u.Host, "vimeo.com") {
			title = "Vimeo"
		}
		if len(videos) > 1 {
			title += " " + strconv.Itoa(i+1)
		}
		videos[i] = map[string]any{"title": title, "href": address}
	}
	c["videos"] = videos
}

func makerData(m *document.MakerFields) any {
	if m == nil {
		return nil
	}
	return map[string]any{"name": orNil(core.Deref(m.Name)), "address": lines(m.Address), "safety": lines(m.Safety),
		"email": orNil(core.Deref(m.Email)), "url": orNil(core.Deref(m.URL))}
}

// lines returns the lines of a text that are not blank.
func lines(text *string) []any {
	list := []any{}
	for line := range strings.Lines(core.Deref(text)) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}
