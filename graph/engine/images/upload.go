package images

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbpicture "github.com/storefront-go/storefront/ent/db/picture"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/pixel"
)

// scaleLimit bounds the creation of an image's widths, including the wait for capacity.
const scaleLimit = 45 * time.Second

// heavy is the weight from which an image's memory is returned to the system as soon as it is done.
const heavy = pixel.MaxWeight / 4

// original is the key suffix of the file that a merchant sent. It is never served, because it may
// reveal where and by whom a photo was taken. It is kept so that mistakes in cleaning can be
// repaired.
const original = "-original"

// widths are the widths in which uploaded images are offered besides their own, from the largest.
var widths = []int{1600, 800, 320}

// Upload is an uploaded image or file as it is stored. Its bytes and the original are in the blob store,
// where the sweep removes them unless a row refers to them.
type Upload struct {
	pixel.Header
	ObjectID xid.ID
	Size     int64 // bytes, including the original
	// Err is why the upload failed: a [pixel.Fault] if the image is invalid.
	Err error
}

// Upload cleans an image for the viewer's store and writes its bytes. It waits for capacity: all
// images being decoded together may weigh as much as the largest one, and each store decodes one at
// a time.
func (k *Keeper) Upload(ctx context.Context, body []byte) *Upload {
	u := &Upload{}
	u.Err = k.upload(ctx, body, u)
	return u
}

func (k *Keeper) upload(ctx context.Context, body []byte, u *Upload) error {
	h, err := pixel.Inspect(body)
	if err != nil {
		return err
	}
	clean, err := decoded(ctx, k.decodes, viewer.From(ctx).Store, h,
		func() (*pixel.Image, error) { return pixel.Clean(body) })
	if err != nil {
		return err
	}
	u.Header, u.ObjectID, u.Size = clean.Header, xid.New(), int64(len(clean.Body)+len(body))
	key := keyOf(viewer.From(ctx).Store, u.ObjectID)
	if err := k.Blobs.Put(ctx, key+original, h.ContentType, body); err != nil {
		return fmt.Errorf("keep the original of an image: %w", err)
	}
	if err := k.Blobs.Put(ctx, key, u.ContentType, clean.Body); err != nil {
		return fmt.Errorf("keep image: %w", err)
	}
	return nil
}

func busy(err error) error {
	return &fault.Error{Kind: fault.Unavailable, Detail: "Other images are being processed. Try again in a moment.",
		RetryAfter: time.Second, Err: err}
}

// Discard removes the bytes of an upload that no row refers to. What it cannot remove is swept.
func (k *Keeper) Discard(ctx context.Context, u *Upload) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	store := viewer.From(ctx).Store
	key := keyOf(store, u.ObjectID)
	err := errors.Join(k.Blobs.Delete(ctx, key), k.Blobs.Delete(ctx, key+original),
		k.Blobs.Delete(ctx, fileKey(store, u.ObjectID)))
	if err != nil {
		k.Logger.WarnContext(ctx, "bytes of an upload were left behind", "error", err)
	}
}

// Used returns how many bytes the images and files of the viewer's store take, with those of returns. If the
// caller holds the lock on the store's row, uploads are serialized and each sees the previous ones.
func (k *Keeper) Used(ctx context.Context) (int64, error) {
	sum := func(s *sql.Selector) {
		s.SelectExpr(sql.Expr("COALESCE(SUM(" + s.C(dbpicture.FieldSizeBytes) + "), 0) AS bytes"))
	}
	var fetched, uploaded, files, ofReturns []struct {
		Bytes int64 `sql:"bytes"`
	}
	c := k.Store.DB(ctx)
	err := c.Picture.Query().Where(dbpicture.StateEQ(state.PictureKept)).Modify(sum).Scan(ctx, &fetched)
	if err == nil {
		err = c.ProductImage.Query().Modify(ent.ForUpdate, sum).Scan(ctx, &uploaded)
	}
	if err == nil {
		err = c.ProductFile.Query().Modify(ent.ForUpdate, sum).Scan(ctx, &files)
	}
	if err == nil {
		err = c.ReturnFile.Query().Modify(ent.ForUpdate, sum).Scan(ctx, &ofReturns)
	}
	if err != nil {
		return 0, fmt.Errorf("count the bytes of images: %w", err)
	}
	return fetched[0].Bytes + uploaded[0].Bytes + files[0].Bytes + ofReturns[0].Bytes, nil
}

// room returns a refusal if more bytes do not fit into the limits of the store, whose row is
// locked.
func (k *Keeper) room(ctx context.Context, limits limit.Values, more int64) error {
	used, err := k.Used(ctx)
	if err == nil && used+more > limits.Of(limit.PictureBytes) {
		err = &refusal{outcome: full, why: "the store's images have reached their size limit"}
	}
	return err
}

// Widths returns the widths in which an uploaded image is offered, from the smallest to its own or
// to the largest that is created. An animation has only its own.
func Widths(contentType string, width int) []int {
	if contentType == pixel.GIF {
		return []int{width}
	}
	list := make([]int, 0, len(widths)+1)
	for _, w := range slices.Backward(widths) {
		if w < width {
			list = append(list, w)
		}
	}
	if width <= widths[0] {
		list = append(list, width)
	}
	return list
}

// ImageKey returns the key of an uploaded image at one of its [Widths] in the blob store. Different
// bytes are never stored under the same key.
func ImageKey(img *db.ProductImage, width int) string {
	key := keyOf(img.StoreID, img.ObjectID)
	if width < img.Width {
		key += "-" + strconv.Itoa(width)
	}
	return key
}

// CreateWidths creates the widths of an uploaded image under their [ImageKey]. One process creates them
// once at a time; two processes create the same bytes.
func (k *Keeper) CreateWidths(ctx context.Context, img *db.ProductImage) error {
	_, err := k.scaling.Do(ctx, img.ObjectID, scaleLimit, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, k.scale(ctx, img)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return busy(err)
	}
	return err
}

func (k *Keeper) scale(ctx context.Context, img *db.ProductImage) error {
	var less []int
	for _, w := range widths {
		if w < img.Width {
			less = append(less, w)
		}
	}
	if len(less) == 0 || img.ContentType == pixel.GIF {
		return nil
	}
	h := pixel.Header{ContentType: img.ContentType, Width: img.Width, Height: img.Height}
	list, err := decoded(ctx, k.scales, img.StoreID, h, func() ([][]byte, error) {
		body, err := k.Blobs.Get(ctx, ImageKey(img, img.Width), maxBytes)
		if err != nil {
			return nil, err
		}
		return pixel.Scale(body, less...)
	})
	if err != nil {
		return fmt.Errorf("scale image: %w", err)
	}
	for i, body := range list {
		if err := k.Blobs.Put(ctx, ImageKey(img, less[i]), img.ContentType, body); err != nil {
			return fmt.Errorf("keep a width of an image: %w", err)
		}
	}
	return nil
}

func keyOf(store, object xid.ID) string {
	return folder + hex.EncodeToString(store[:]) + "/" + hex.EncodeToString(object[:])
}
