package catalog

import (
	"context"
	"errors"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	dbpage "github.com/storefront-go/storefront/ent/db/page"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/pixel"
	"github.com/storefront-go/storefront/graph/model"
)

// Media lists the files of the media library, newest first. A search finds them by a part of their
// name or description.
func (q Query) Media(ctx context.Context, first *int, after, query *string) (*model.MediaConnection, error) {
	words := strings.TrimSpace(core.Deref(query))
	var stopped *page.Position
	c, err := core.Connect(ctx, q.Core, core.List[*db.ProductImage]{
		Name: "media", Filters: []string{"query", words},
		At: func(img *db.ProductImage) page.Position { return core.ByID(img.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) (rows []*db.ProductImage, err error) {
			rows, stopped, err = q.media(ctx, words, after, limit)
			return rows, err
		},
	}, first, after)
	if err != nil {
		return nil, err
	}
	if c.Next == "" && stopped != nil {
		c.Next = c.Sign(&db.ProductImage{ID: stopped.ID})
	}
	return c, q.locate(ctx, c.Nodes...)
}

// media reads one page. stopped is where a search ended before the limit and before the last row.
func (q Query) media(ctx context.Context, words string, after *page.Position, limit int) (
	rows []*db.ProductImage, stopped *page.Position, err error,
) {
	all := func() *db.ProductImageQuery { return q.Client(ctx).ProductImage.Query().Where(images.InLibrary...) }
	w := core.Window{After: after, Limit: limit, Index: images.ProductIndex}
	read := func(to *page.Position) ([]*db.ProductImage, error) {
		rows := all()
		if words != "" {
			rows.Where(productimage.Or(productimage.FilenameContainsFold(words), productimage.AltContainsFold(words)))
		}
		rows.Modify(w.Apply, w.To(to))
		return rows.Load(ctx)
	}
	if words == "" {
		rows, err = read(nil)
		return rows, nil, err
	}
	return core.Sift(limit, core.ScanLimit(limit), func(n int) (*page.Position, error) {
		return core.Floor(ctx, w, n, all())
	}, read)
}

// locate sets the URLs of files.
func (r *Resolver) locate(ctx context.Context, list ...*db.ProductImage) error {
	origin, err := r.StoreURL(ctx)
	images.SetURLs(origin, &db.Product{Images: list})
	return core.Explain("media", err)
}

// mediaFile returns a file of the media library, or a fault.
func (r *Resolver) mediaFile(ctx context.Context, id xid.ID) (*db.ProductImage, error) {
	img, err := images.Media(ctx, r.Client(ctx), id)
	if err == nil && img == nil {
		err = fault.Missing("media")
	}
	return img, err
}

// MediaUpload adds a file to the media library.
func (m Mutation) MediaUpload(ctx context.Context, in model.MediaUploadInput) (*model.MediaPayload, error) {
	c := &core.Check{}
	core.Opt(in.Alt, func(s string) { checkAlt(c, s) })
	core.Opt(in.Name, func(s string) { c.Line("name", s, limit.Line) })
	body := []byte(nil)
	if in.Upload == nil {
		body = c.File("content", "file", in.Content, limit.ImageBytes)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	up, ours, err := m.storedUpload(ctx, in.Upload, body)
	if err != nil {
		return nil, err
	}
	img, err := core.Commit(ctx, m.Core, xid.ProductImage,
		func(ctx context.Context) (*db.ProductImage, *change.Record, error) {
			if err := m.imageRoom(ctx, up.Size); err != nil {
				return nil, nil, err
			}
			img, err := m.insertImage(ctx, xid.Nil, 0, up, core.Deref(in.Alt), core.Deref(in.Name))
			return img, mediaRecord("media.upload", img), err
		})
	if err != nil {
		if ours {
			m.Images.Discard(ctx, up)
		}
		return nil, err
	}
	return &model.MediaPayload{Media: img}, m.locate(ctx, img)
}

func mediaRecord(action string, img *db.ProductImage) *change.Record {
	if img == nil {
		return nil
	}
	return &change.Record{Action: action, Kind: xid.Store, ID: img.StoreID, Detail: img.PublicID()}
}

// MediaUpdate changes the name and the description of a file. Pages and products keep the
// description that they have.
func (m Mutation) MediaUpdate(ctx context.Context, id string, name, alt *string) (*model.MediaPayload, error) {
	uid, err := core.ParseID(xid.ProductImage, id)
	if err != nil {
		return nil, err
	}
	c := &core.Check{}
	core.Opt(name, func(s string) { c.Line("name", s, limit.Line) })
	core.Opt(alt, func(s string) { checkAlt(c, s) })
	if err := c.Err(); err != nil {
		return nil, err
	}
	img, err := core.Commit(ctx, m.Core, xid.ProductImage,
		func(ctx context.Context) (*db.ProductImage, *change.Record, error) {
			img, err := m.mediaFile(ctx, uid)
			if err != nil {
				return nil, nil, err
			}
			u, changed := m.imageUpdate(ctx, uid), []string(nil)
			core.Replace(&changed, name, "name", &img.Filename, u.SetFilename)
			core.Replace(&changed, alt, "alt", &img.Alt, u.SetAlt)
			if len(changed) == 0 {
				return img, nil, nil
			}
			return img, mediaRecord("media.update", img), fault.Wrap("change a file", u.Exec(ctx))
		})
	if err != nil {
		return nil, err
	}
	return &model.MediaPayload{Media: img}, m.locate(ctx, img)
}

// MediaDelete deletes a file that nothing shows. Its bytes are swept later.
func (m Mutation) MediaDelete(ctx context.Context, id string) (*model.MediaDeletePayload, error) {
	uid, err := core.ParseID(xid.ProductImage, id)
	if err != nil {
		return nil, err
	}
	err = m.Commit(ctx, xid.ProductImage, func(ctx context.Context) (*change.Record, error) {
		s, err := m.LockedStore(ctx) // like every change that could begin to use the file
		if err != nil {
			return nil, err
		}
		img, err := m.mediaFile(ctx, uid)
		if err != nil {
			return nil, err
		}
		use, err := m.useOf(ctx, s, img)
		if err == nil && use != "" {
			err = fault.State(fault.InvalidTransition, "The file is used by "+use+". Remove it there first.")
		}
		if err != nil {
			return nil, err
		}
		_, err = m.Client(ctx).ProductImage.Delete().Where(productimage.ID(uid)).Exec(ctx)
		return mediaRecord("media.delete", img), fault.Wrap("delete a file", err)
	})
	if err != nil {
		return nil, err
	}
	return &model.MediaDeletePayload{DeletedID: &id}, nil
}

// useOf names something that shows a file, "" for nothing.
func (r *Resolver) useOf(ctx context.Context, s *db.Store, img *db.ProductImage) (string, error) {
	id, c := img.PublicID(), r.Client(ctx)
	if strings.Contains(string(s.Storefront), id) {
		return "the storefront settings", nil
	}
	copies, err := c.ProductImage.Query().
		Where(productimage.ObjectID(img.ObjectID), productimage.ProductIDNEQ(xid.Nil)).Limit(1).Load(ctx)
	if err != nil {
		return "", err
	}
	if len(copies) > 0 {
		p, err := core.Only(c.Product.Query().Where(product.ID(copies[0].ProductID)).Load(ctx))
		if err != nil && !errors.Is(err, core.ErrNoRow) {
			return "", err
		}
		return "the product " + core.Deref(p).Title, nil
	}
	described, err := c.Product.Query().Where(product.DescriptionContains(id)).Limit(1).Load(ctx)
	if err != nil {
		return "", err
	}
	if len(described) > 0 {
		return "the description of the product " + described[0].Title, nil
	}
	pages, err := c.Page.Query().Where(dbpage.BodyContains(id)).Limit(1).Load(ctx)
	if err != nil {
		return "", err
	}
	if len(pages) > 0 {
		return "the page " + pages[0].Title, nil
	}
	themes, err := c.Theme.Query().All(ctx)
	for _, t := range themes {
		if strings.Contains(string(t.Settings)+string(t.DraftSettings), id) {
			return "the theme " + t.Name, err
		}
	}
	return "", err
}

// ProductImageUse adds a file of the media library to a product, after its other images.
func (m Mutation) ProductImageUse(
	ctx context.Context, productID string, mediaID string,
) (*model.ProductImagePayload, error) {
	pid, err := core.ParseID(xid.Product, productID)
	if err != nil {
		return nil, err
	}
	uid, err := core.ParseID(xid.ProductImage, mediaID)
	if err != nil {
		return nil, err
	}
	done := &model.ProductImagePayload{}
	var img *db.ProductImage
	done.Product, err = m.changeImages(ctx, "product.image_add", func(ctx context.Context) (xid.ID, error) {
		if _, err := m.LockedStore(ctx); err != nil {
			return pid, err
		}
		img, err = m.mediaFile(ctx, uid)
		return pid, err
	}, func(_ context.Context, e *productEdit) error {
		up := &images.Upload{ObjectID: img.ObjectID, // the size counts once, in the library
			Header: pixel.Header{ContentType: img.ContentType, Width: img.Width, Height: img.Height}}
		return m.appendImage(e, &done.Image, up, img.Alt, img.Filename)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}
