package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/returnfile"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// PDF is the content type of PDF documents.
const PDF = "application/pdf"

// The extensions of the files of returns by their content types; never changed.
var extensions = map[string]string{PDF: ".pdf", pixel.PNG: ".png", pixel.JPEG: ".jpg"}

// Extension returns how the names of files of a content type end.
func Extension(contentType string) string { return extensions[contentType] }

// ErrLabel refuses a return label by its content.
var ErrLabel = errors.New("images: the label is neither a PDF nor a PNG nor a JPEG")

// ErrPhoto refuses an animation as a photo.
var ErrPhoto = &pixel.Fault{Text: "This is not a JPEG, PNG or WebP image."}

// KeepLabel stores a return label for the viewer's store as it is. Its content decides what it is.
func (k *Keeper) KeepLabel(ctx context.Context, body []byte) *Upload {
	u := &Upload{ObjectID: xid.New(), Size: int64(len(body))}
	h, err := pixel.Inspect(body)
	switch {
	case bytes.HasPrefix(body, []byte("%PDF-")): // ISO 32000-2, section 7.5.2
		u.ContentType = PDF
	case err == nil && Extension(h.ContentType) != "":
		u.Header = h
	default:
		u.Err = ErrLabel
		return u
	}
	u.Err = k.keepFile(ctx, u, body)
	return u
}

// KeepPhoto stores a photo of a shopper for the viewer's store, decoded and encoded anew as [Keeper.Upload]
// does. The original is not kept, because it may reveal where and by whom the photo was taken.
func (k *Keeper) KeepPhoto(ctx context.Context, body []byte) *Upload {
	u := &Upload{}
	h, err := pixel.Inspect(body)
	if err == nil && h.ContentType == pixel.GIF {
		err = ErrPhoto
	}
	if err != nil {
		u.Err = err
		return u
	}
	clean, err := decoded(ctx, k.decodes, viewer.From(ctx).Store, h,
		func() (*pixel.Image, error) { return pixel.Clean(body) })
	if err != nil {
		u.Err = err
		return u
	}
	u.Header, u.ObjectID, u.Size = clean.Header, xid.New(), int64(len(clean.Body))
	u.Err = k.keepFile(ctx, u, clean.Body)
	return u
}

func (k *Keeper) keepFile(ctx context.Context, u *Upload, body []byte) error {
	err := k.Blobs.Put(ctx, fileKey(viewer.From(ctx).Store, u.ObjectID), u.ContentType, body)
	if err != nil {
		return fmt.Errorf("keep a file of a return: %w", err)
	}
	return nil
}

// returnFiles adds the objects of the files of returns of the viewer's store.
func (k *Keeper) returnFiles(ctx context.Context, used ids) error {
	for after, more := xid.Nil, true; more; {
		query := k.Store.DB(ctx).ReturnFile.Query().Where(returnfile.ReturnIDGT(after)).
			Order(returnfile.ByReturnID(), returnfile.ByPosition()).Limit(sweepBatch)
		rows, err := query.Load(ctx)
		if err != nil {
			return err
		}
		more = len(rows) == sweepBatch
		for _, row := range rows {
			if more && row.ReturnID == rows[len(rows)-1].ReturnID {
				break // the next batch has all files of this return
			}
			after = row.ReturnID
			used[row.ObjectID] = struct{}{}
		}
	}
	return nil
}

// OpenReturnFile returns the bytes of a file of a return, which are read within ctx.
func (k *Keeper) OpenReturnFile(ctx context.Context, row *db.ReturnFile) ([]byte, error) {
	b, err := k.Blobs.Get(ctx, fileKey(row.StoreID, row.ObjectID), row.SizeBytes)
	if err != nil {
		return nil, fmt.Errorf("read a file of a return: %w", err)
	}
	return b, nil
}
