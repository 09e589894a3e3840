package catalog

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent/db/page"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/markdown"
)

// Members of a product that only staff see. Events do not name them.
const (
	costMember      = "cost_minor"
	sizeChartMember = "size_chart_id"
)

// referenceMember is a member of a product that only the system sees that synchronizes it.
const referenceMember = "external_reference"

// variantsMember is the member of a product with its variants and what shoppers pay for them.
const variantsMember = "variants"

// checkDescription checks that a description can be rendered.
func checkDescription(c *core.Check, format state.TextFormat, text *string) {
	if format != "" && !format.Known() { // of REST
		c.Add("description_format", fault.UnknownValue, "The format must be text or markdown.")
	}
	if format != state.Markdown || text == nil || c.Err() != nil { // a text that is too long is not rendered
		return
	}
	if _, err := markdown.HTML(*text, nil); err != nil {
		c.Add("description", fault.TooLong, "The description is too large: "+err.Error()+".")
	}
}

// checkUnit checks the barcode and the cost of a unit.
func checkUnit(c *core.Check, at string, barcode *string, cost *int64) {
	core.Opt(barcode, func(s string) { c.GTIN(at+"barcode", s) })
	core.Opt(cost, func(v int64) { c.Amount(at+costMember, v) })
}

func checkMaker(c *core.Check, m *document.MakerFields) {
	core.Opt(m.Name, func(s string) { c.Line("maker/name", s, limit.Line) })
	core.Opt(m.Address, func(s string) { c.Long("maker/address", s, limit.MakerAddress) })
	core.Opt(m.Email, func(s string) { c.Email("maker/email", s) })
	core.Opt(m.URL, func(s string) { c.HTTPS("maker/url", s) })
	core.Opt(m.Safety, func(s string) { c.Long("maker/safety", s, limit.Safety) })
}

// videoHosts serve the videos that products may have.
var videoHosts = []string{"youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be", "vimeo.com", "www.vimeo.com",
	"player.vimeo.com"}

func checkVideos(c *core.Check, list []string) {
	if len(list) > limit.Videos {
		c.Add("videos", fault.TooLong, "A product can have at most "+strconv.Itoa(limit.Videos)+" videos.")
		return
	}
	for i, address := range list {
		at := "videos/" + strconv.Itoa(i)
		c.HTTPS(at, address)
		if u, err := url.Parse(address); err != nil || !slices.Contains(videoHosts, u.Host) || len(u.Path) < 2 {
			c.Add(at, fault.UnknownValue, "This is not the address of a video at YouTube or Vimeo.")
		}
	}
}

// videos returns a list as stored; an empty one is absent.
func videos(list []string) document.Tags {
	if len(list) == 0 {
		return nil
	}
	return document.NewTags(list)
}

// sizeChart returns the id of a page that [Mutation.checkSizeChart] has checked.
func sizeChart(text *string) *xid.ID {
	if text == nil {
		return nil
	}
	id, _ := xid.Page.Parse(*text)
	return &id
}

// checkSizeChart checks that the store has the page. Shops show it as long as it is published.
func (m Mutation) checkSizeChart(ctx context.Context, c *core.Check, text *string) error {
	if text == nil {
		return nil
	}
	id, err := xid.Page.Parse(*text)
	if err == nil {
		_, err = core.Only(m.Client(ctx).Page.Query().Where(page.ID(id)).Load(ctx))
		if err != nil && !errors.Is(err, core.ErrNoRow) {
			return core.Explain("page", err)
		}
	}
	if err != nil {
		c.Add(sizeChartMember, fault.UnknownValue, "The store has no such page.")
	}
	return nil
}
