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

// scaleLimit bounds the making of a picture's widths, with the wait for a place.
const scaleLimit = 45 * time.Second

// heavy is the weight of a picture whose memory is given back as soon as it is done.
const heavy = pixel.MaxWeight / 4

// original ends the key of what a merchant sent. It is never served, since it may say where and by
// whom a photo was taken, and lets a mistake in cleaning be repaired.
const original = "-original"

// widths are those in which uploaded pictures are shown beside their own, from the largest.
var widths = []int{1600, 800, 320}

// Upload is a picture that a merchant sent, as it is kept. Its bytes and those of the original lie
// in the blob store, where they are swept unless a row comes to refer to them.
type Upload struct {
	pixel.Header
	ObjectID xid.ID
	Size     int64 // bytes, with those of the original
	// Err is why there is none: a [pixel.Fault] where the picture is to blame.
	Err error
}

// Upload cleans a picture for the viewer's store and writes its bytes. Pictures are
// decoded as long as all of them together are not larger than the largest, and one of each store
// at a time; others wait.
func (k *Keeper) Upload(ctx context.Context, body []byte) *Upload {
	u := &Upload{}
	u.Err = k.upload(ctx, body, u)
	return u
}

func (k *Keeper) upload(ctx context.Context, body []byte, u *Upload) error {
	h, err := pixel.Judge(body)
	if err != nil {
		return err
	}
	clean, err := decoded(ctx, k.decodes, viewer.From(ctx).Store, h,
		func() (*pixel.Picture, error) { return pixel.Clean(body) })
	if err != nil {
		return err
	}
	u.Header, u.ObjectID, u.Size = clean.Header, xid.New(), int64(len(clean.Body)+len(body))
	key := keyOf(viewer.From(ctx).Store, u.ObjectID)
	if err := k.Blobs.Put(ctx, key+original, h.ContentType, body); err != nil {
		return fmt.Errorf("keep the original of a picture: %w", err)
	}
	if err := k.Blobs.Put(ctx, key, u.ContentType, clean.Body); err != nil {
		return fmt.Errorf("keep picture: %w", err)
	}
	return nil
}

func busy(err error) error {
	return &fault.Error{Kind: fault.Unavailable, Detail: "Other pictures are being worked on: try again in a moment.",
		RetryAfter: time.Second, Err: err}
}

// Discard removes the bytes of an upload that nothing came to refer to. What it cannot
// remove is swept.
func (k *Keeper) Discard(ctx context.Context, u *Upload) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	key := keyOf(viewer.From(ctx).Store, u.ObjectID)
	if err := errors.Join(k.Blobs.Delete(ctx, key), k.Blobs.Delete(ctx, key+original)); err != nil {
		k.Logger.WarnContext(ctx, "bytes of a picture were left behind", "error", err)
	}
}

// Used is how many bytes the pictures of the viewer's store take, as they are kept. With
// a lock of the store's row, uploads wait for each other and see what others left.
func (k *Keeper) Used(ctx context.Context) (int64, error) {
	var all int64
	sum := func(s *sql.Selector) {
		s.SelectExpr(sql.Expr("COALESCE(SUM(" + s.C(dbpicture.FieldSizeBytes) + "), 0) AS bytes"))
	}
	var used []struct {
		Bytes int64 `sql:"bytes"`
	}
	c := k.Store.DB(ctx)
	err := c.Picture.Query().Where(dbpicture.StateEQ(state.PictureKept)).Modify(sum).Scan(ctx, &used)
	if err == nil {
		all = used[0].Bytes
		used = nil
		err = c.ProductImage.Query().Modify(ent.ForUpdate, sum).Scan(ctx, &used)
	}
	if err != nil {
		return 0, fmt.Errorf("count the bytes of pictures: %w", err)
	}
	return all + used[0].Bytes, nil
}

// room refuses so many bytes beside the pictures of the store, whose row is locked and
// whose limits these are.
func (k *Keeper) room(ctx context.Context, limits limit.Values, more int64) error {
	used, err := k.Used(ctx)
	if err == nil && used+more > limits.Of(limit.PictureBytes) {
		err = &refusal{full, "the store's pictures take all the room that it has for them"}
	}
	return err
}

// Widths are those in which an uploaded picture is shown, from the smallest to its own, or
// to the largest that is made. An animation has its own alone.
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

// ImageKey is where the bytes of an uploaded picture lie at one of its [Widths]. No other
// bytes ever lie there.
func ImageKey(img *db.ProductImage, width int) string {
	key := keyOf(img.StoreID, img.ObjectID)
	if width < img.Width {
		key += "-" + strconv.Itoa(width)
	}
	return key
}

// Make makes the widths of an uploaded picture, for which ImageKey is where they lie. One
// process does so once at a time; what two make is the same.
func (k *Keeper) Make(ctx context.Context, img *db.ProductImage) error {
	_, err := k.makes.Do(ctx, img.ObjectID, scaleLimit, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, k.make(ctx, img)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return busy(err)
	}
	return err
}

func (k *Keeper) make(ctx context.Context, img *db.ProductImage) error {
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
		return fmt.Errorf("scale picture: %w", err)
	}
	for i, body := range list {
		if err := k.Blobs.Put(ctx, ImageKey(img, less[i]), img.ContentType, body); err != nil {
			return fmt.Errorf("keep a width of a picture: %w", err)
		}
	}
	return nil
}

// keyOf is where bytes of a store's pictures lie.
func keyOf(store, object xid.ID) string {
	return folder + hex.EncodeToString(store[:]) + "/" + hex.EncodeToString(object[:])
}
