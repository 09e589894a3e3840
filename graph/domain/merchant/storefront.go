package merchant

import (
	"context"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/model"
)

// Widths of the logo and the favicon in pixels: twice what pages show, for dense displays.
const (
	logoWidth    = 800
	faviconWidth = 320
)

// StorefrontUpdate changes how the shop looks beyond its theme: the given members.
func (m Mutation) StorefrontUpdate(ctx context.Context, in model.StorefrontUpdateInput) (*model.StorePayload, error) {
	c := &core.Check{}
	logo, favicon := fileID(c, "logo_id", in.LogoID.Value()),
		fileID(c, "favicon_id", in.FaviconID.Value())
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeStore(ctx, in.ExpectedVersion, "storefront.update", func(ctx context.Context, e *storeEdit) error {
		f, err := e.Row.Storefront.Fields()
		if err != nil {
			return err
		}
		if in.LogoID.IsSet() {
			if f.Logo, err = m.filePath(ctx, "logo_id", logo, logoWidth); err != nil {
				return err
			}
		}
		if in.FaviconID.IsSet() {
			if f.Favicon, err = m.filePath(ctx, "favicon_id", favicon, faviconWidth); err != nil {
				return err
			}
		}
		core.MemberDoc(&e.Changed, document.NewStorefront(f), true, "storefront", &e.Row.Storefront,
			e.Update.SetStorefront, e.Update.ClearStorefront)
		return nil
	})
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
