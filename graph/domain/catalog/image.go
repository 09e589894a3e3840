package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/pixel"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// VariantFields resolves the image of a variant.
type VariantFields struct{ *Resolver }

// Image returns the image of the variant, or nil.
func (f VariantFields) Image(ctx context.Context, v *db.Variant) (*db.ProductImage, error) {
	if v.ImageID == nil || v.Image != nil {
		return v.Image, nil
	}
	p := &db.Product{ID: v.ProductID, ImagesCount: 1} // it has at least this one
	if err := f.loadAllImages(ctx, p); err != nil {
		return nil, core.Explain("product", err)
	}
	return images.ImageOf(v, p.Images), nil
}

// loadImages loads the uploaded images of products and of their loaded variants, unless the GraphQL
// field that ctx resolves selects neither.
func (r *Resolver) loadImages(ctx context.Context, products ...*db.Product) error {
	if !core.Selects(ctx, "images") && !core.Selects(ctx, "image") {
		return nil
	}
	return r.loadAllImages(ctx, products...)
}

// loadAllImages is [Resolver.loadImages] regardless of the selected fields.
func (r *Resolver) loadAllImages(ctx context.Context, products ...*db.Product) error {
	return images.Load(ctx, r.Client(ctx), r.StoreURL, products...)
}

// Images returns the uploaded images of the product.
func (f ProductFields) Images(ctx context.Context, p *db.Product) ([]*db.ProductImage, error) {
	if p.Images != nil {
		return p.Images, nil
	}
	own := &db.Product{ID: p.ID, ImagesCount: p.ImagesCount} // other fields of p are resolved concurrently
	err := f.loadAllImages(ctx, own)
	return own.Images, core.Explain("product", err)
}

// Image returns the first image of the product, or nil.
func (f ProductFields) Image(ctx context.Context, p *db.Product) (*db.ProductImage, error) {
	list, err := f.Images(ctx, p)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// ProductImageFile returns an uploaded product image of the viewer's store.
func (q Query) ProductImageFile(ctx context.Context, id string) (*db.ProductImage, error) {
	return core.Get(ctx, xid.ProductImage, id, q.imageRow)
}

func (r *Resolver) imageRow(ctx context.Context, id xid.ID) (*db.ProductImage, error) {
	return core.Only(r.Client(ctx).ProductImage.Query().Where(productimage.ID(id)).Load(ctx))
}

func checkAlt(c *core.Check, alt string) {
	if alt != "" {
		c.Line("alt", alt, limit.ImageAlt)
	}
}

// ProductImageAdd adds an image to a product. The file is sanitized first and stored before the row
// that refers to it is written.
func (m Mutation) ProductImageAdd(
	ctx context.Context, in model.ProductImageAddInput,
) (*model.ProductImagePayload, error) {
	c := &core.Check{}
	core.Opt(in.Alt, func(s string) { checkAlt(c, s) })
	core.Opt(in.Filename, func(s string) { c.Line("filename", s, limit.Line) })
	body := []byte(nil)
	if in.Upload == nil {
		body = c.File("content", "file", in.Content, limit.ImageBytes)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	p, err := Query(m).Product(ctx, in.ProductID) // before decoding, so that a missing product is cheap
	if err != nil {
		return nil, err
	}
	up, ours, err := m.storedUpload(ctx, in.Upload, body)
	if err != nil {
		return nil, err
	}
	done := &model.ProductImagePayload{}
	done.Product, done.Image, err = m.addImage(ctx, p.ID, up, core.Deref(in.Alt), core.Deref(in.Filename))
	if err != nil {
		if ours { // else the surrounding transaction may run again
			m.Images.Discard(ctx, up)
		}
		return nil, err
	}
	return done, nil
}

// addImage writes the row of a stored image. It locks the store's row before the product's, like
// publishing does.
func (m Mutation) addImage(
	ctx context.Context, id xid.ID, up *images.Upload, alt, name string,
) (p *db.Product, img *db.ProductImage, err error) {
	p, err = m.changeImages(ctx, "product.image_add", func(ctx context.Context) (xid.ID, error) {
		return id, m.imageRoom(ctx, up.Size)
	}, func(_ context.Context, e *productEdit) error {
		return m.appendImage(e, &img, up, alt, name)
	})
	return p, img, err
}

// appendImage adds a stored image to a product after its other images, and returns it in img.
func (m Mutation) appendImage(e *productEdit, img **db.ProductImage, up *images.Upload, alt, name string) error {
	if len(e.Row.Images) >= limit.Images {
		return core.Invalid("content", fault.TooLong,
			"A product can have at most "+strconv.Itoa(limit.Images)+" images.")
	}
	e.Then = func(ctx context.Context) (err error) {
		if *img, err = m.insertImage(ctx, e.Row.ID, len(e.Row.Images)+1, up, alt, name); err != nil {
			return err
		}
		origin, err := m.StoreURL(ctx)
		e.Row.Images = append(e.Row.Images, *img)
		images.SetURLs(origin, e.Row)
		return err
	}
	countImages(e, len(e.Row.Images)+1)
	return nil
}

func (m Mutation) insertImage(ctx context.Context, product xid.ID, position int, up *images.Upload, alt, name string,
) (*db.ProductImage, error) {
	img, err := m.Client(ctx).ProductImage.Create().SetProductID(product).SetPosition(position).SetAlt(alt).
		SetFilename(name).SetObjectID(up.ObjectID).SetContentType(up.ContentType).SetWidth(up.Width).
		SetHeight(up.Height).SetSizeBytes(up.Size).Save(ctx)
	return img, fault.Wrap("add image", err)
}

// storedUpload returns the upload of an input or, if it has none, stores its file; ours says so.
func (m Mutation) storedUpload(ctx context.Context, up *images.Upload, body []byte) (
	_ *images.Upload, ours bool, err error,
) {
	if ours = up == nil; ours {
		up = m.upload(ctx, body, m.megapixels)
	}
	if wrong, ok := errors.AsType[*pixel.Fault](up.Err); ok {
		return nil, false, core.Invalid("content", fault.InvalidFormat, wrong.Text)
	}
	return up, ours, core.Explain("image", up.Err)
}

func countImages(e *productEdit, n int) {
	e.Row.ImagesCount = n
	e.Update.SetImagesCount(n)
}

func (m Mutation) imageRoom(ctx context.Context, more int64) error {
	return m.PictureRoom(ctx, m.Images.Used, more)
}

// changeImages changes the images of the product whose id find returns, regardless of its version:
// image forms do not depend on the version that they read. It locks the row, so concurrent changes
// of a product run one after the other.
func (m Mutation) changeImages(ctx context.Context, action string, find func(context.Context) (xid.ID, error),
	edit func(context.Context, *productEdit) error,
) (p *db.Product, err error) {
	err = m.Commit(ctx, xid.Product, func(ctx context.Context) (*change.Record, error) {
		id, err := find(ctx)
		if err != nil {
			return nil, err
		}
		if p, err = m.lockedProduct(ctx, id); err != nil {
			return nil, err
		}
		return m.products().Apply(ctx, p, action, func(ctx context.Context, e *productEdit) error {
			err := edit(ctx, e)
			if err == nil && e.Then != nil {
				e.Changed = append(e.Changed, "images")
			}
			return err
		})
	})
	return p, err
}

// lockedProduct reads a product with its variants and images and locks it until the commit.
func (m Mutation) lockedProduct(ctx context.Context, id xid.ID) (*db.Product, error) {
	c := m.Client(ctx)
	p, err := core.Row(ctx, c.Product.Query().Where(product.ID(id)), ent.ForUpdate)
	if err != nil {
		return nil, err
	}
	if err := variants.Load(ctx, c, p); err != nil {
		return nil, err
	}
	origin, err := m.StoreURL(ctx)
	if err != nil {
		return nil, err
	}
	rows := c.ProductImage.Query().Where(productimage.ProductID(id)).
		Order(db.Asc(productimage.FieldPosition), db.Asc(productimage.FieldID))
	rows.Modify(ent.ForUpdate)
	if p.Images, err = rows.Load(ctx); err != nil {
		return nil, err
	}
	images.SetURLs(origin, p)
	return p, nil
}

func (m Mutation) ofImage(id xid.ID) func(context.Context) (xid.ID, error) {
	return func(ctx context.Context) (xid.ID, error) {
		img, err := m.imageRow(ctx, id)
		if errors.Is(err, core.ErrNoRow) {
			return xid.Nil, fault.Missing("image")
		}
		if err != nil {
			return xid.Nil, err
		}
		return img.ProductID, nil
	}
}

func indexOf(images []*db.ProductImage, id xid.ID) (int, error) {
	i := slices.IndexFunc(images, func(img *db.ProductImage) bool { return img.ID == id })
	if i < 0 { // deleted meanwhile
		return i, fault.Missing("image")
	}
	return i, nil
}

// named returns the index of the image with a public id, or -1.
func named(images []*db.ProductImage, text string) int {
	id, err := xid.ProductImage.Parse(text)
	return slices.IndexFunc(images, func(img *db.ProductImage) bool { return err == nil && img.ID == id })
}

// ProductImageChange changes the alternative text of an image.
func (m Mutation) ProductImageChange(
	ctx context.Context, id string, alt string,
) (*model.ProductImagePayload, error) {
	uid, err := core.ParseID(xid.ProductImage, id)
	if err != nil {
		return nil, err
	}
	c := &core.Check{}
	if checkAlt(c, alt); c.Err() != nil {
		return nil, c.Err()
	}
	done := &model.ProductImagePayload{}
	done.Product, err = m.changeImages(ctx, "product.image_change", m.ofImage(uid),
		func(_ context.Context, e *productEdit) error {
			i, err := indexOf(e.Row.Images, uid)
			if err != nil {
				return err
			}
			done.Image = e.Row.Images[i]
			if done.Image.Alt == alt {
				return nil
			}
			done.Image.Alt = alt
			e.Then = func(ctx context.Context) error {
				return fault.Wrap("change image", m.imageUpdate(ctx, uid).SetAlt(alt).Exec(ctx))
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// imageUpdate begins an update of an image, whose product must be locked.
func (m Mutation) imageUpdate(ctx context.Context, id xid.ID) *db.ProductImageUpdate {
	return m.Client(ctx).ProductImage.Update().Where(productimage.ID(id))
}

// ProductImagesOrder reorders the images of a product.
func (m Mutation) ProductImagesOrder(
	ctx context.Context, productID string, ids []string,
) (*model.ProductPayload, error) {
	uid, err := core.ParseID(xid.Product, productID)
	if err != nil {
		return nil, err
	}
	p, err := m.changeImages(ctx, "product.images_order", func(context.Context) (xid.ID, error) { return uid, nil },
		func(_ context.Context, e *productEdit) error {
			next, err := ordered(e.Row.Images, ids)
			if err != nil || slices.Equal(next, e.Row.Images) {
				return err
			}
			e.Row.Images = next
			e.Then = func(ctx context.Context) error { return m.renumber(ctx, next) }
			return nil
		})
	if err != nil {
		return nil, err
	}
	return &model.ProductPayload{Product: p}, nil
}

// ordered returns the images in the order of their ids, which must be complete.
func ordered(images []*db.ProductImage, ids []string) ([]*db.ProductImage, error) {
	c, next := &core.Check{}, []*db.ProductImage{}
	for i, text := range ids[:min(len(ids), limit.Images)] {
		at := named(images, text)
		switch {
		case at < 0:
			c.Add("ids/"+strconv.Itoa(i), fault.UnknownValue, "The product does not have this image.")
		case slices.Contains(next, images[at]):
			c.Add("ids/"+strconv.Itoa(i), fault.Taken, "The image appears twice.")
		default:
			next = append(next, images[at])
		}
	}
	switch {
	case len(ids) < len(images):
		c.Add("ids", fault.TooShort, "List all images of the product.")
	case len(ids) > limit.Images:
		c.Add("ids", fault.TooLong, "A product can have at most "+strconv.Itoa(limit.Images)+" images.")
	}
	return next, c.Err()
}

func (m Mutation) renumber(ctx context.Context, images []*db.ProductImage) error {
	for i, img := range images {
		if img.Position == i+1 {
			continue
		}
		img.Position = i + 1
		if err := m.imageUpdate(ctx, img.ID).SetPosition(i + 1).Exec(ctx); err != nil {
			return fmt.Errorf("change image: %w", err)
		}
	}
	return nil
}

// ProductImageDelete deletes an image of a product. Its file is swept later.
func (m Mutation) ProductImageDelete(ctx context.Context, id string) (*model.ProductImageDeletePayload, error) {
	uid, err := core.ParseID(xid.ProductImage, id)
	if err != nil {
		return nil, err
	}
	p, err := m.changeImages(ctx, "product.image_delete", m.ofImage(uid),
		func(_ context.Context, e *productEdit) error {
			i, err := indexOf(e.Row.Images, uid)
			if err != nil {
				return err
			}
			e.Row.Images = slices.Delete(e.Row.Images, i, i+1)
			countImages(e, len(e.Row.Images))
			for _, v := range e.Row.Variants {
				if v.ImageID != nil && *v.ImageID == uid {
					v.ImageID, v.Image = nil, nil
				}
			}
			e.Then = func(ctx context.Context) error { return m.dropImage(ctx, e.Row, uid) }
			return nil
		})
	if err != nil {
		return nil, err
	}
	return &model.ProductImageDeletePayload{DeletedID: &id, Product: p}, nil
}

func (m Mutation) dropImage(ctx context.Context, p *db.Product, id xid.ID) error {
	c := m.Client(ctx)
	if p.Options != nil {
		err := c.Variant.Update().Where(variant.ProductID(p.ID), variant.ImageID(id)).ClearImageID().Exec(ctx)
		if err != nil {
			return fmt.Errorf("remove the image of variants: %w", err)
		}
	}
	if _, err := c.ProductImage.Delete().Where(productimage.ID(id)).Exec(ctx); err != nil {
		return fmt.Errorf("remove image: %w", err)
	}
	return m.renumber(ctx, p.Images)
}

// ProductVariantImageSet sets the image of a variant.
func (m Mutation) ProductVariantImageSet(
	ctx context.Context, productID string, variantID string, imageID *string,
) (*model.ProductPayload, error) {
	uid, err := core.ParseID(xid.Product, productID)
	if err != nil {
		return nil, err
	}
	vid, err := core.ParseID(xid.Variant, variantID)
	if err != nil {
		return nil, err
	}
	p, err := m.changeImages(ctx, "product.variant_image_set",
		func(context.Context) (xid.ID, error) { return uid, nil },
		func(_ context.Context, e *productEdit) error {
			i := slices.IndexFunc(e.Row.Variants, func(v *db.Variant) bool { return v.ID == vid })
			if i < 0 {
				return fault.Missing("variant")
			}
			return m.showVariant(e, e.Row.Variants[i], imageID)
		})
	if err != nil {
		return nil, err
	}
	return &model.ProductPayload{Product: p}, nil
}

func (m Mutation) showVariant(e *productEdit, v *db.Variant, imageID *string) error {
	var next *xid.ID
	if imageID != nil {
		at := named(e.Row.Images, *imageID)
		if at < 0 {
			return core.Invalid("image_id", fault.UnknownValue, "The product does not have this image.")
		}
		next = &e.Row.Images[at].ID
	}
	if same(v.ImageID, next) {
		return nil
	}
	v.ImageID = next
	v.Image = images.ImageOf(v, e.Row.Images)
	e.Then = func(ctx context.Context) error {
		u := m.Client(ctx).Variant.Update().Where(variant.ProductID(e.Row.ID), variant.ID(v.ID))
		if next == nil {
			u.ClearImageID()
		} else {
			u.SetImageID(*next)
		}
		return fault.Wrap("set the image of a variant", u.Exec(ctx))
	}
	return nil
}

// DecodeUpload decodes and sanitizes a base64 file for the input of [Mutation.ProductImageAdd]. Callers
// use it before a transaction, such as that of an idempotency key, which should not last as long.
// It returns nil if the file is malformed; the mutation then reports it.
func (r *Resolver) DecodeUpload(ctx context.Context, text string) *images.Upload {
	c := &core.Check{}
	body := c.File("content", "file", text, limit.ImageBytes)
	if c.Err() != nil {
		return nil
	}
	return r.upload(ctx, body, r.megapixels)
}

// upload sanitizes an image and stores it, within the store's megapixels per minute.
func (r *Resolver) upload(ctx context.Context, body []byte, megapixels *core.PerMinute) *images.Upload {
	h, err := pixel.Inspect(body)
	if err == nil {
		const mega = 1_000_000
		err = megapixels.Spend(ctx, r.Core, max(1, int64(h.Width)*int64(h.Height)/mega))
	}
	if err != nil {
		return &images.Upload{Err: err}
	}
	return r.Images.Upload(ctx, body)
}
