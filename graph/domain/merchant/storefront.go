package merchant

import (
	"context"
	"fmt"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/password"
	"github.com/storefront-go/storefront/graph/model"
)

// Widths of the logo and the favicon in pixels: twice what pages show, for dense displays.
const (
	logoWidth    = 800
	faviconWidth = 320
)

// StorefrontUpdate changes how the shop looks beyond its theme, and whether it sells: the given
// members.
func (m Mutation) StorefrontUpdate(ctx context.Context, in model.StorefrontUpdateInput) (*model.StorePayload, error) {
	c := &core.Check{}
	logo, favicon := fileID(c, "logo_id", in.LogoID.Value()),
		fileID(c, "favicon_id", in.FaviconID.Value())
	core.Opt(in.Announcement.Value(), func(a document.Announcement) { checkAnnouncement(c, &a) })
	core.Opt(in.Pause.Value(), func(p document.Pause) {
		c.Line("pause/message", p.Message, limit.Announcement)
	})
	core.Opt(in.Password.Value(), func(s string) { c.Line("password", s, limit.Line) })
	core.Opt(in.Returns.Value(), func(t document.ReturnTerms) { checkReturns(c, &t) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	hash, err := hashed(ctx, in.Password.Value()) // takes too long for a transaction
	if err != nil {
		return nil, err
	}
	return m.changeStore(ctx, in.ExpectedVersion, "storefront.update", func(ctx context.Context, e *storeEdit) error {
		f, err := e.Row.Storefront.Fields()
		if err != nil {
			return err
		}
		if err := m.setFiles(ctx, &f, in, logo, favicon); err != nil {
			return err
		}
		if in.Announcement.IsSet() {
			f.Announcement = in.Announcement.Value()
		}
		if in.Pause.IsSet() {
			f.Pause = in.Pause.Value()
		}
		if in.Password.IsSet() {
			f.Password = hash
		}
		if in.Returns.IsSet() {
			if f.Returns = in.Returns.Value(); !ent.Writes(ctx, ent.ShopperReturns) {
				return fault.State(fault.InvalidTransition, "Returns by shoppers are available once the upgrade is "+
					"finished (storefront migrate finalize).")
			}
		}
		closes := in.Pause.Value() != nil || hash != ""
		if closes && !ent.Writes(ctx, ent.ClosedShops) { // otherwise an older program would sell
			return fault.State(fault.InvalidTransition, "Pauses and passwords are available once the upgrade is "+
				"finished (storefront migrate finalize).")
		}
		core.MemberDoc(&e.Changed, document.NewStorefront(f), true, "storefront", &e.Row.Storefront,
			e.Update.SetStorefront, e.Update.ClearStorefront)
		return nil
	})
}

func hashed(ctx context.Context, text *string) (string, error) {
	if text == nil {
		return "", nil
	}
	return password.Hash(ctx, *text)
}

func (m Mutation) setFiles(
	ctx context.Context, f *document.StorefrontFields, in model.StorefrontUpdateInput, logo, favicon *xid.ID,
) (err error) {
	if in.LogoID.IsSet() {
		if f.Logo, err = m.filePath(ctx, "logo_id", logo, logoWidth); err != nil {
			return err
		}
	}
	if in.FaviconID.IsSet() {
		f.Favicon, err = m.filePath(ctx, "favicon_id", favicon, faviconWidth)
	}
	return err
}

func checkAnnouncement(c *core.Check, a *document.Announcement) {
	c.Line("announcement/text", a.Text, limit.Announcement)
	core.Opt(a.Link, func(s string) { c.Address("announcement/link", s) })
	if a.From != nil && a.Until != nil && *a.Until <= *a.From {
		c.Add("announcement/until", fault.OutOfRange, "The end is not after the start.")
	}
}

func checkReturns(c *core.Check, t *document.ReturnTerms) {
	c.Within("returns/days", t.Days, 1, limit.ReturnDays)
	core.Opt(t.Instructions, func(s string) { c.Long("returns/instructions", s, limit.ReturnText) })
	if len(t.Countries) > limit.ReturnCountries {
		c.Add("returns/countries", fault.TooLong, fmt.Sprintf("Use at most %d countries.", limit.ReturnCountries))
	}
	seen := map[string]bool{}
	for i, row := range t.Countries {
		at := fmt.Sprintf("returns/countries/%d/", i)
		row.Country = c.AssignedCountry(at+"country", row.Country)
		c.Within(at+"days", row.Days, 1, limit.ReturnDays)
		if seen[row.Country] {
			c.Add(at+"country", fault.Taken, "The country is listed twice.")
		}
		seen[row.Country] = true
	}
	c.Tags("returns/excluded_tags", t.ExcludedTags)
	if len(t.ExcludedTags) > limit.ExcludedTags {
		c.Add("returns/excluded_tags", fault.TooLong, fmt.Sprintf("Use at most %d tags.", limit.ExcludedTags))
	}
}

func fileID(c *core.Check, name string, text *string) (id *xid.ID) {
	core.Opt(text, func(s string) {
		uid, err := xid.ProductImage.Parse(s)
		if err != nil {
			c.Add(name, fault.InvalidFormat, "This is not the id of a file.")
		}
		id = &uid
	})
	return id
}

// filePath returns the path of a file of the media library in a width, "" for no file.
func (m Mutation) filePath(ctx context.Context, name string, id *xid.ID, width int) (string, error) {
	if id == nil {
		return "", nil
	}
	img, err := images.Media(ctx, m.Client(ctx), *id)
	if err != nil {
		return "", err
	}
	if img == nil {
		return "", core.Invalid(name, fault.UnknownValue, "The media library does not have this file.")
	}
	return images.PathWithin(img, width), nil
}
