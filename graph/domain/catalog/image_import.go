package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/variant"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// ImportedImage is an image that a file names by its address.
type ImportedImage struct {
	URL, Alt string
	// Position is the place among the images of the product in the file, from 1.
	Position int
	// Shown are the numbers of the variants in the file that show the image, from 0.
	Shown []int
	// Variants are those variants as the product has them.
	Variants []xid.ID
}

// LeftImages returns a product that an import has written, and those of its images in the file that it
// lacks or shows otherwise. Without one of them, the rest stays as it is.
func (b *ProductBatch) LeftImages(in *ImportedProduct) (p *db.Product, left []*ImportedImage) {
	if p = b.find(in); p == nil || len(in.Images) == 0 {
		return p, nil
	}
	by := map[string]*db.Variant{}
	for _, v := range variants.Of(p) {
		by[string(v.Options)] = v
	}
	last, same := 0, true
	for _, image := range in.Images {
		image.Variants = nil
		shown := true
		for _, i := range image.Shown {
			if i >= len(in.Variants) {
				continue
			}
			if v := by[string(document.NewTags(in.Variants[i].Options))]; v != nil {
				image.Variants = append(image.Variants, v.ID)
				shown = shown && v.ImageID != nil && image.is(images.ImageOf(v, p.Images))
			}
		}
		at := slices.IndexFunc(p.Images, image.is)
		if same = same && shown && at >= last && image.as(p.Images[at]); same {
			last = at
		}
	}
	if same {
		return p, nil
	}
	return p, in.Images
}

// is reports whether an image of a product was fetched from the address, or is served there itself.
func (i *ImportedImage) is(img *db.ProductImage) bool {
	return img != nil && (img.SourceID != nil && *img.SourceID == images.IDOf(i.URL) || img.URL == i.URL)
}

// as reports whether the image has the description of the file. An empty one keeps that of the store.
func (i *ImportedImage) as(img *db.ProductImage) bool { return i.Alt == "" || i.Alt == img.Alt }

// FetchImage fetches an image and stores its bytes as those of an upload. It fails before the fetch if
// the store has no room for any image.
func (m Mutation) FetchImage(ctx context.Context, address string) (*images.Upload, error) {
	err := m.Commit(ctx, xid.Product, func(ctx context.Context) (*change.Record, error) {
		return nil, m.imageRoom(ctx, 1)
	})
	if err != nil {
		return nil, err
	}
	body, err := m.Images.Download(ctx, address)
	if err != nil {
		return nil, err
	}
	up := m.upload(ctx, body, m.fetched)
	return up, up.Err
}

// ImportImage adds a stored image to a product, or changes the one that was fetched from its address
// before. Without up it does only the latter: found is false if there is none.
func (m Mutation) ImportImage(
	ctx context.Context, id xid.ID, in *ImportedImage, up *images.Upload,
) (found bool, err error) {
	_, err = m.changeImages(ctx, "product.image_import", func(ctx context.Context) (xid.ID, error) {
		if up == nil {
			_, err := m.LockedStore(ctx)
			return id, err
		}
		return id, m.imageRoom(ctx, up.Size)
	}, func(ctx context.Context, e *productEdit) error {
		at := slices.IndexFunc(e.Row.Images, in.is)
		if found = at >= 0 || up != nil; !found {
			return nil
		}
		if at >= 0 {
			return m.follow(ctx, e, in, e.Row.Images[at])
		}
		return m.addImported(e, in, up)
	})
	return found, err
}

// addImported adds an image in the place that it has in its file.
func (m Mutation) addImported(e *productEdit, in *ImportedImage, up *images.Upload) error {
	if len(e.Row.Images) >= limit.Images {
		return core.Invalid("images", fault.TooLong,
			fmt.Sprintf("A product can have at most %d images.", limit.Images))
	}
	e.Then = func(ctx context.Context) error {
		img, err := m.Client(ctx).ProductImage.Create().SetProductID(e.Row.ID).SetPosition(len(e.Row.Images) + 1).
			SetAlt(in.Alt).SetObjectID(up.ObjectID).SetContentType(up.ContentType).SetWidth(up.Width).
			SetHeight(up.Height).SetSizeBytes(up.Size).SetSourceID(images.IDOf(in.URL)).
			SetSourcePosition(in.Position).Save(ctx)
		if err != nil {
			return fmt.Errorf("add image: %w", err)
		}
		e.Row.Images = inFileOrder(append(e.Row.Images, img))
		if err := m.renumber(ctx, e.Row.Images); err != nil {
			return err
		}
		if err := m.showImage(ctx, e.Row, in, img.ID); err != nil {
			return err
		}
		origin, err := m.StoreURL(ctx)
		images.SetURLs(origin, e.Row)
		return err
	}
	countImages(e, len(e.Row.Images)+1)
	return nil
}

// follow changes an image of a product to what the file says.
func (m Mutation) follow(ctx context.Context, e *productEdit, in *ImportedImage, img *db.ProductImage) error {
	if img.SourcePosition == nil || *img.SourcePosition != in.Position {
		img.SourcePosition = &in.Position
		if err := m.imageUpdate(ctx, img.ID).SetSourcePosition(in.Position).Exec(ctx); err != nil {
			return fmt.Errorf("change image: %w", err)
		}
	}
	next := inFileOrder(slices.Clone(e.Row.Images))
	shown := !slices.ContainsFunc(e.Row.Variants, func(v *db.Variant) bool {
		return slices.Contains(in.Variants, v.ID) && (v.ImageID == nil || *v.ImageID != img.ID)
	})
	if in.as(img) && shown && slices.Equal(next, e.Row.Images) {
		return nil
	}
	e.Then = func(ctx context.Context) error {
		if !in.as(img) {
			img.Alt = in.Alt
			if err := m.imageUpdate(ctx, img.ID).SetAlt(img.Alt).Exec(ctx); err != nil {
				return fmt.Errorf("change image: %w", err)
			}
		}
		if err := m.renumber(ctx, next); err != nil {
			return err
		}
		e.Row.Images = next
		return m.showImage(ctx, e.Row, in, img.ID)
	}
	return nil
}

// showImage makes the variants that the file names show an image.
func (m Mutation) showImage(ctx context.Context, p *db.Product, in *ImportedImage, id xid.ID) error {
	for _, v := range p.Variants {
		if slices.Contains(in.Variants, v.ID) {
			v.ImageID = &id
			v.Image = images.ImageOf(v, p.Images)
		}
	}
	if len(in.Variants) == 0 {
		return nil
	}
	err := m.Client(ctx).Variant.Update().Where(variant.ProductID(p.ID), variant.IDIn(in.Variants...)).
		SetImageID(id).Exec(ctx)
	return fault.Wrap("set the image of variants", err)
}

// inFileOrder sorts the images that imports have placed. The others keep their places.
func inFileOrder(list []*db.ProductImage) []*db.ProductImage {
	placed := slices.DeleteFunc(slices.Clone(list),
		func(img *db.ProductImage) bool { return img.SourcePosition == nil })
	slices.SortStableFunc(placed, func(a, b *db.ProductImage) int {
		return cmp.Compare(*a.SourcePosition, *b.SourcePosition)
	})
	for i, img := range list {
		if img.SourcePosition != nil {
			list[i], placed = placed[0], placed[1:]
		}
	}
	return list
}
