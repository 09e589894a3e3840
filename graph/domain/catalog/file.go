package catalog

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/db/productfile"
	"github.com/storefront-go/storefront/ent/db/productimage"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/model"
)

// ProductFiles returns the files that buyers of a product download.
func (q Query) ProductFiles(ctx context.Context, productID string) ([]*db.ProductFile, error) {
	p, err := q.Product(ctx, productID)
	if err != nil {
		return nil, err
	}
	return q.productFiles(ctx, p.ID)
}

func (r *Resolver) productFiles(ctx context.Context, productID xid.ID) ([]*db.ProductFile, error) {
	rows, err := r.Client(ctx).ProductFile.Query().Where(productfile.ProductID(productID)).Load(ctx)
	slices.SortFunc(rows, func(a, b *db.ProductFile) int { return a.ID.Compare(b.ID) })
	return rows, core.Explain("product", err)
}

// KeepProductFile decodes and stores a base64 file for the input of [Mutation.ProductFileSet].
// Callers use it before a transaction, such as that of an idempotency key, which should not last as
// long. It returns nil if the file is malformed; the mutation then reports it.
func (r *Resolver) KeepProductFile(ctx context.Context, text string) *images.Upload {
	c := &core.Check{}
	body := c.File("content", "file", text, limit.FileBytes)
	if c.Err() != nil {
		return nil
	}
	return r.keepFile(ctx, body)
}

// keepFile stores a file. Each begun megabyte counts as a megapixel of the images that a store may
// upload per minute.
func (r *Resolver) keepFile(ctx context.Context, body []byte) *images.Upload {
	const mega = 1_000_000
	if err := r.megapixels.Spend(ctx, r.Core, 1+int64(len(body))/mega); err != nil {
		return &images.Upload{Err: err}
	}
	return r.Images.KeepFile(ctx, body)
}

// ProductFileSet sets the file that buyers of a variant download. A new file replaces the former
// one for all buyers.
func (m Mutation) ProductFileSet(ctx context.Context, in model.ProductFileInput) (*model.ProductFilesPayload, error) {
	c := &core.Check{}
	name := baseName(in.Filename)
	c.Name("filename", name, limit.Line)
	up, body := in.Upload, []byte(nil)
	if up == nil {
		body = c.File("content", "file", in.Content, limit.FileBytes)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if up == nil {
		up = m.keepFile(ctx, body)
	}
	if up.Err != nil {
		return nil, core.Explain("file", up.Err)
	}
	done, err := m.changeFile(ctx, in.ProductID, in.VariantID, "product.file_set",
		func(ctx context.Context, p *db.Product, id xid.ID, now *db.ProductFile) error {
			if err := m.fileRoom(ctx, p, up, now); err != nil {
				return err
			}
			if now == nil {
				return m.Client(ctx).ProductFile.Create().SetID(id).SetProductID(p.ID).SetFilename(name).
					SetObjectID(up.ObjectID).SetSizeBytes(up.Size).Exec(ctx)
			}
			return m.Client(ctx).ProductFile.Update().Where(productfile.ID(id)).SetFilename(name).
				SetObjectID(up.ObjectID).SetSizeBytes(up.Size).Exec(ctx)
		})
	if err != nil && in.Upload == nil { // else the surrounding transaction may run again
		m.Images.Discard(ctx, up)
	}
	return done, err
}

// fileRoom refuses an upload beyond the files that a product, or the bytes that a store may have. Files
// of removed variants count too.
func (m Mutation) fileRoom(ctx context.Context, p *db.Product, up *images.Upload, now *db.ProductFile) error {
	more := up.Size
	if now != nil {
		more -= now.SizeBytes
	} else if n, err := m.Client(ctx).ProductFile.Query().Where(productfile.ProductID(p.ID)).Count(ctx); err != nil {
		return err
	} else if n >= limit.Variants {
		return core.Invalid("content", fault.TooLong, "A product can have at most "+strconv.Itoa(limit.Variants)+
			" files. Remove those of removed variants.")
	}
	return m.imageRoom(ctx, more)
}

// ProductFileRemove removes the file of a variant. Its buyers can no longer download it.
func (m Mutation) ProductFileRemove(
	ctx context.Context, productID, variantID string,
) (*model.ProductFilesPayload, error) {
	return m.changeFile(ctx, productID, variantID, "product.file_remove",
		func(ctx context.Context, _ *db.Product, id xid.ID, now *db.ProductFile) error {
			if now == nil {
				return fault.Missing("file")
			}
			_, err := m.Client(ctx).ProductFile.Delete().Where(productfile.ID(id)).Exec(ctx)
			return err
		})
}

// changeFile changes the file of a variant: of one that the product has, or of one that was removed
// and still has a file, which is given.
func (m Mutation) changeFile(ctx context.Context, productID, variantID, action string,
	edit func(ctx context.Context, p *db.Product, id xid.ID, now *db.ProductFile) error,
) (*model.ProductFilesPayload, error) {
	pid, err := core.ParseID(xid.Product, productID)
	if err != nil {
		return nil, err
	}
	id, err := core.ParseID(xid.Variant, variantID)
	if err != nil {
		return nil, err
	}
	err = m.Commit(ctx, xid.Product, func(ctx context.Context) (*change.Record, error) {
		if _, err := m.LockedStore(ctx); err != nil { // before the product, as images do
			return nil, err
		}
		c := m.Client(ctx)
		p, err := core.Row(ctx, c.Product.Query().Where(product.ID(pid)), ent.ForUpdate)
		if err != nil {
			return nil, err
		}
		if err := variants.Load(ctx, c, p); err != nil {
			return nil, err
		}
		rows, err := c.ProductFile.Query().Where(productfile.ID(id), productfile.ProductID(pid)).Load(ctx)
		if err != nil {
			return nil, err
		}
		var now *db.ProductFile
		if len(rows) > 0 {
			now = rows[0]
		} else if !slices.ContainsFunc(variants.Of(p), func(v *db.Variant) bool { return v.ID == id }) {
			return nil, fault.Missing("variant")
		}
		return &change.Record{Action: action, Kind: xid.Product, ID: pid, Detail: variantID}, edit(ctx, p, id, now)
	})
	if err != nil {
		return nil, err
	}
	files, err := m.productFiles(ctx, pid)
	return &model.ProductFilesPayload{Files: files}, err
}

// baseName returns the last part of a path, of any system.
func baseName(path string) string {
	return strings.TrimSpace(path[strings.LastIndexAny(path, `/\`)+1:])
}

// dropImages removes the images and files of a product.
func (m Mutation) dropImages(ctx context.Context, p *db.Product) error {
	_, err := m.Client(ctx).ProductImage.Delete().Where(productimage.ProductID(p.ID)).Exec(ctx)
	if err == nil {
		_, err = m.Client(ctx).ProductFile.Delete().Where(productfile.ProductID(p.ID)).Exec(ctx)
	}
	return fault.Wrap("remove images", err)
}
